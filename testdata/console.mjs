// A Console in JavaScript: the contract's parseClarifyEnvelope, the rules for prompts and answers
// that are left out, and the summary.
//
// As a script it reads one JSON object a line, {"output": "…"} or {"message": "…"}, and writes one
// line for each: the canonical JSON, or null. An envelope without a usable prompt is written with
// no prompts.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PROTOCOL = 'appwrite.clarify/v1'

// Returns the envelope that is shown, or null if there is nothing to show.
export function parseClarifyEnvelope(output) {
  const envelope = readEnvelope(output)
  return envelope?.prompts.length > 0 ? envelope : null
}

// Returns the answers in a user's message, or null if there are none.
export function parseClarifyAnswers(message) {
  const answers = decode(message)?.answers
  if (!Array.isArray(answers)) return null
  const usable = answers.flatMap(readAnswer)
  return usable.length > 0 ? { protocol: PROTOCOL, answers: usable } : null
}

// Returns the answers in a user's message for people. A message without answers stays as it is.
export function summarizeClarifyAnswers(message) {
  const answers = parseClarifyAnswers(message)?.answers ?? []
  return answers.map((answer) => `${summarizeId(answer.id)}: ${summarizeValue(answer)}`).join('\n') || message
}

// Returns the protocol's object in a text, or null.
function decode(text) {
  try {
    const parsed = JSON.parse(text.trim())
    return parsed?.protocol === PROTOCOL ? parsed : null
  } catch {
    return null
  }
}

const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v)
const isString = (v) => typeof v === 'string'

// A string as it is, or undefined if it is empty. A lone surrogate is no code point: it has no UTF-8,
// and becomes U+FFFD.
const whole = (v) => (isString(v) && v.toWellFormed()) || undefined

// A trimmed string, or undefined where there is nothing to show. JSON.stringify leaves it out.
const text = (v) => whole(v)?.trim() || undefined
const flag = (v, byDefault) => (typeof v === 'boolean' ? v : byDefault)

function readOption(option) {
  if (!isObject(option)) return []
  const id = text(option.id)
  const label = text(option.label)
  if (!id || !label) return []
  return [{ id, label, description: text(option.description) }]
}

function readPrompt(prompt) {
  if (!isObject(prompt)) return []
  const id = text(prompt.id)
  const kind = text(prompt.kind)
  const question = text(prompt.question)
  if (!id || !question) return []
  const shared = { id, kind, question, hint: text(prompt.hint), required: flag(prompt.required, true) }
  switch (kind) {
    case 'choice': {
      if (!Array.isArray(prompt.options)) return []
      const options = prompt.options.flatMap(readOption)
      if (options.length < 2) return []
      return [{ ...shared, options, allowMultiple: flag(prompt.allowMultiple, false) }]
    }
    case 'confirm':
      return [
        {
          ...shared,
          confirmLabel: text(prompt.confirmLabel) ?? 'Confirm',
          cancelLabel: text(prompt.cancelLabel) ?? 'Cancel',
          danger: flag(prompt.danger, false),
        },
      ]
    case 'text':
      return [
        {
          ...shared,
          placeholder: text(prompt.placeholder),
          defaultValue: whole(prompt.defaultValue),
          multiline: flag(prompt.multiline, false),
        },
      ]
    default:
      return [] // a newer kind
  }
}

// Returns an envelope, perhaps with no prompts, or null. No text that starts with "Error:" is JSON.
function readEnvelope(output) {
  const envelope = decode(output)
  if (!Array.isArray(envelope?.prompts)) return null
  return { protocol: PROTOCOL, title: text(envelope.title), prompts: envelope.prompts.flatMap(readPrompt) }
}

function readAnswer(answer) {
  if (!isObject(answer)) return []
  const id = text(answer.id)
  const kind = text(answer.kind)
  if (!id) return []
  switch (kind) {
    case 'choice':
      if (!Array.isArray(answer.values)) return []
      return [{ id, kind, values: answer.values.filter(text).map(whole) }]
    case 'confirm':
      if (typeof answer.confirmed !== 'boolean') return []
      return [{ id, kind, confirmed: answer.confirmed }]
    case 'text':
      if (!isString(answer.value)) return []
      return [{ id, kind, value: whole(answer.value) ?? '' }]
    default:
      return []
  }
}

// Returns an id so that it cannot pass for more than one.
function summarizeId(id) {
  if (/^[a-z][a-z0-9_.-]{0,63}$/.test(id)) return id
  return JSON.stringify(id).replace(/[\u0085\u2028\u2029]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
}

// Returns a value so that no line of it can pass for another answer.
function summarizeValue({ kind, values, confirmed, value }) {
  if (kind === 'choice') value = values.join(', ')
  if (kind === 'confirm') value = confirmed ? 'confirmed' : 'cancelled'
  return value.replace(/(?:\r\n|\r(?!\n)|[\n\v\f\u0085\u2028\u2029])(?!$)/g, '$&  ')
}

function main() {
  const results = []
  for (const line of readFileSync(0, 'utf8').split('\n')) {
    if (line === '') continue
    const { output, message } = JSON.parse(line)
    const result = isString(output) ? readEnvelope(output) : parseClarifyAnswers(message)
    results.push(JSON.stringify(result) + '\n')
  }
  writeFileSync(1, results.join(''))
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main()
