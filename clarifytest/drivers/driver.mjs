// Answers the requests of a conformance run with an implementation in JavaScript.
//
//	node driver.mjs MODULE [SUITE=NAME…]
//
// MODULE is a path or the name of a package, an ES module or CommonJS. NAME is the function that
// answers a suite; without one it is the name in the list below.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'

const names = {
  engine: 'clarify',
  console: 'parseClarifyEnvelope',
  answers: 'parseClarifyAnswers',
  summary: 'summarizeClarifyAnswers',
  reply: 'readClarifyReply',
}

// What the implementation prints goes to standard error.
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)

const [name, ...pairs] = process.argv.slice(2)
for (const pair of pairs) {
  const [suite, exported] = pair.split('=')
  names[suite] = exported
}

const implementation = await (existsSync(name) ? import(pathToFileURL(resolve(name)).href) : importPackage(name))

// A package is looked for from the current directory, not from this file.
function importPackage(name) {
  const importHere = vm.runInThisContext('(name) => import(name)', {
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  return importHere(name)
}

// An error by which a framework refuses arguments.
const refuses = (error) =>
  [error?.name, error?.constructor?.name].some((name) =>
    ['ZodError', 'ValidationError', 'ToolInputParsingException'].includes(name),
  )
const refusal = (error) => 'Error: invalid clarify prompts — ' + String(error.message).replace(/\s+/g, ' ')

// Calls a tool as a framework does, which refuses arguments that do not fit.
async function callTool(tool, text) {
  let args
  try {
    args = JSON.parse(text)
  } catch (error) {
    return refusal(error)
  }
  try {
    return await (tool.invoke ? tool.invoke(args) : tool(args))
  } catch (error) {
    if (refuses(error)) return refusal(error)
    throw error
  }
}

async function answer(request) {
  const name = names[request.suite]
  const found = name && (implementation[name] ?? implementation.default?.[name])
  if (!found) throw new Error(`no function for the suite ${request.suite}`)
  if (request.suite === 'engine') return callTool(found, request.arguments)
  return found(...[request.output, request.message].filter((text) => text !== undefined))
}

async function respond(line) {
  const request = JSON.parse(line)
  let text
  try {
    text = JSON.stringify({ id: request.id, result: (await answer(request)) ?? null })
  } catch (error) {
    text = JSON.stringify({ id: request.id, error: String(error) })
  }
  await new Promise((written) => write(text + '\n', written))
}

// Only LF ends a line: readline would also end one at U+2028.
let rest = ''
for await (const chunk of process.stdin.setEncoding('utf8')) {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) await respond(line)
}
if (rest) await respond(rest)
process.exit(0)
