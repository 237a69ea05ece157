// What a Console in JavaScript makes of a tool's output and of a user's message: the contract's
// parseClarifyEnvelope, and the rules for prompts and answers that are left out. It reads one JSON
// object a line, {"output": "…"} or {"message": "…"}, and writes one line for each: the canonical
// JSON, or null. An envelope without a usable prompt is written with no prompts.
import { readFileSync, writeFileSync } from 'node:fs'

const PROTOCOL = 'appwrite.clarify/v1'

// As the contract has it, less the types.
function parseClarifyEnvelope(output) {
  const text = output.trim()
  if (text.startsWith('Error:')) return null
  try {
    const parsed = JSON.parse(text)
    if (parsed?.protocol !== 'appwrite.clarify/v1') return null
    if (!Array.isArray(parsed.prompts)) return null
    return parsed
  } catch {
    return null
  }
}

function parseClarifyAnswers(message) {
  try {
    const parsed = JSON.parse(message.trim())
    if (parsed?.protocol !== PROTOCOL || !Array.isArray(parsed.answers)) return null
    return parsed
  } catch {
    return null
  }
}

const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v)
const isString = (v) => typeof v === 'string'

// A trimmed string, or undefined where there is nothing to show. JSON.stringify leaves it out.
const text = (v) => (isString(v) && v.trim()) || undefined
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
          defaultValue: (isString(prompt.defaultValue) && prompt.defaultValue) || undefined,
          multiline: flag(prompt.multiline, false),
        },
      ]
    default:
      return [] // a newer kind
  }
}

function readEnvelope(output) {
  const envelope = parseClarifyEnvelope(output)
  if (!envelope) return null
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
      return [{ id, kind, values: answer.values.filter((v) => text(v)) }]
    case 'confirm':
      if (typeof answer.confirmed !== 'boolean') return []
      return [{ id, kind, confirmed: answer.confirmed }]
    case 'text':
      if (!isString(answer.value)) return []
      return [{ id, kind, value: answer.value }]
    default:
      return []
  }
}

function readAnswers(message) {
  const parsed = parseClarifyAnswers(message)
  const answers = parsed ? parsed.answers.flatMap(readAnswer) : []
  return answers.length > 0 ? { protocol: PROTOCOL, answers } : null
}

// A lone surrogate is no code point: it has no UTF-8, and is written as U+FFFD.
const wellFormed = (key, value) => (isString(value) ? value.toWellFormed() : value)

const results = []
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line === '') continue
  const { output, message } = JSON.parse(line)
  const result = isString(output) ? readEnvelope(output) : readAnswers(message)
  results.push(JSON.stringify(result, wellFormed) + '\n')
}
writeFileSync(1, results.join(''))
