// These tests run the example server with clients of others: both generations of
// the official TypeScript SDK, and the command line of the MCP Inspector.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'

const here = import.meta.dirname
const contract = join(here, '../../testdata/contract')
let folder, server

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'clarify-mcp-'))
  server = join(folder, 'server')
  execFileSync('go', ['build', '-o', server, '.'], { cwd: join(here, '../example') })
})
after(() => rmSync(folder, { recursive: true }))

const name = { name: 'test', version: '1' }

const generations = {
  'SDK 1': {
    speaks: '2025-11-25',
    async connect({ capabilities, person, args }) {
      const client = new Client1(name, { capabilities })
      if (person) client.setRequestHandler(ElicitRequestSchema, (request, extra) => person(request.params, extra.signal))
      const transport = new Stdio1({ command: server, args })
      let speaks
      transport.setProtocolVersion = (version) => (speaks = version)
      await client.connect(transport)
      return { client, speaks, call: (params, options) => client.callTool(params, undefined, options) }
    },
  },
  'SDK 2 as SDK 1': {
    speaks: '2025-11-25',
    connect: (options) => connect2(options, 'legacy'),
  },
  'SDK 2': {
    speaks: '2026-07-28',
    connect: (options) => connect2(options, 'auto'),
  },
}

async function connect2({ capabilities, person, args }, mode) {
  const client = new Client2(name, { capabilities, versionNegotiation: { mode } })
  if (person) client.setRequestHandler('elicitation/create', (request, context) => person(request.params, context.mcpReq.signal))
  await client.connect(new Stdio2({ command: server, args }))
  return { client, speaks: client.getNegotiatedProtocolVersion(), call: (params, options) => client.callTool(params, options) }
}

// session runs use with a client of the generation. Its person answers the forms.
async function session(generation, { elicitation = {}, person, args = [] }, use) {
  const capabilities = elicitation ? { elicitation } : {}
  const s = await generation.connect({ capabilities, person, args })
  try {
    assert.equal(s.speaks, generation.speaks)
    await use(s)
  } finally {
    await s.client.close()
  }
}

const gives = (action, content) => () => ({ action, ...(content && { content }) })
const nobody = () => assert.fail('the client was asked')
const remove = { name: 'delete_bucket', arguments: { bucket: 'avatars' } }
const ask = (...prompts) => ({ name: 'ask', arguments: { prompts } })

function said(result) {
  assert.equal(result.content.length, 1)
  return result.content[0].text
}

const silence = (why) => `reply: ${why}: nothing is answered, confirmed or refused\nproceed: no, because nothing was answered\n`

const options = [
  { id: 'fra', label: 'Frankfurt', description: 'Germany' },
  { id: 'nyc', label: 'New York' },
  { id: 'syd', label: 'Sydney' },
]
const titled = [
  { const: 'fra', title: 'Frankfurt — Germany' },
  { const: 'nyc', title: 'New York' },
  { const: 'syd', title: 'Sydney' },
]

for (const [title, generation] of Object.entries(generations)) {
  describe(title, () => {
    test('the clarify tool', async () => {
      await session(generation, { person: nobody }, async ({ client, call }) => {
        const { tools } = await client.listTools() // from here on the client checks results against the schema
        assert.deepEqual(tools.map((tool) => tool.name), ['ask', 'clarify', 'delete_bucket'])
        const [, clarify] = tools
        assert.equal(clarify.inputSchema.properties.prompts.type, 'string')
        const valid = new AjvJsonSchemaValidator().getValidator(clarify.outputSchema)

        const names = readdirSync(contract).filter((file) => file.endsWith('.canonical.json'))
        assert.ok(names.length >= 3)
        for (const file of names) {
          const canonical = readFileSync(join(contract, file), 'utf8').trim()
          const { title, prompts } = JSON.parse(canonical)
          const result = await call({ name: 'clarify', arguments: { title, prompts: JSON.stringify(prompts) } })
          assert.equal(said(result), canonical)
          assert.deepEqual(result.structuredContent, JSON.parse(canonical))
          assert.ok(!result.isError)
          assert.ok(valid(result.structuredContent).valid)
          result.structuredContent.prompts[0].kind = 'slider'
          assert.ok(!valid(result.structuredContent).valid)
        }

        const refused = await call({ name: 'clarify', arguments: { prompts: '[{"id":"X","kind":"text","question":"?"}]' } })
        assert.equal(refused.isError, true)
        assert.equal(refused.structuredContent, undefined)
        assert.match(said(refused), /^Error: invalid clarify prompts — prompts\[0\]\.id: got "X", want /)
      })
    })

    // What the person sees of each prompt, what they do, and what the model reads.
    const forms = {
      choice: {
        prompt: { id: 'c', kind: 'choice', question: 'Where?', hint: 'Pick one.', options },
        field: { type: 'string', title: 'Where?', description: 'Pick one.', oneOf: titled },
        gives: 'syd',
        line: 'answer: "c" ("Where?"): chose "syd" ("Sydney")',
      },
      'multiple choice': {
        prompt: { id: 'm', kind: 'choice', question: 'Where?', options, allowMultiple: true },
        field: { type: 'array', title: 'Where?', items: { anyOf: titled }, minItems: 1 },
        gives: ['syd', 'fra'],
        line: 'answer: "m" ("Where?"): chose "syd" ("Sydney"), "fra" ("Frankfurt")',
      },
      confirm: {
        prompt: { id: 'ok', kind: 'confirm', question: 'Restart?' },
        field: { type: 'boolean', title: 'Restart?', description: 'Yes is “Confirm”, no is “Cancel”.' },
        gives: false,
        line: 'answer: "ok" ("Restart?"): cancelled ("Cancel")',
      },
      danger: {
        prompt: { id: 'ok', kind: 'confirm', question: 'Delete?', confirmLabel: 'Delete', cancelLabel: 'Keep', danger: true },
        field: { type: 'boolean', title: 'Delete?', description: 'Warning: destructive. Yes is “Delete”, no is “Keep”.' },
        gives: true,
        line: 'answer: "ok" ("Delete?"): confirmed ("Delete")',
      },
      text: {
        prompt: { id: 't', kind: 'text', question: 'Name?', placeholder: 'main', defaultValue: 'db' },
        field: { type: 'string', title: 'Name?', description: 'For example “main”.', minLength: 1, maxLength: 26214, default: 'db' },
        gives: ' Ä\n<b>',
        line: 'answer: "t" ("Name?"): wrote " Ä\\n<b>"',
      },
    }
    for (const [title, { prompt, field, gives, line }] of Object.entries(forms)) {
      test(`a form: ${title}`, async () => {
        let shown
        const person = (params) => {
          shown = params
          return { action: 'accept', content: { [prompt.id]: gives } }
        }
        await session(generation, { person }, async ({ call }) => {
          const result = await call(ask(prompt))
          assert.equal(shown.message, prompt.question)
          assert.deepEqual(shown.requestedSchema, { type: 'object', properties: { [prompt.id]: field }, required: [prompt.id] })
          assert.equal(said(result).split('\n')[1], line)
        })
      })
    }

    test('a form of several, in order, all optional', async () => {
      const { choice, danger, text } = forms
      const prompts = [text, danger, choice].map(({ prompt }) => ({ ...prompt, required: false }))
      const person = ({ requestedSchema }) => {
        assert.deepEqual(Object.keys(requestedSchema.properties), ['t', 'ok', 'c'])
        assert.ok(!requestedSchema.required)
        return { action: 'accept', content: {} }
      }
      // A client that fills in defaults finds none.
      await session(generation, { person, elicitation: { form: { applyDefaults: true } } }, async ({ call }) => {
        assert.equal(said(await call(ask(...prompts))), `reply: the user answered, and no answer holds: nothing is answered, confirmed or refused
left out: "t" ("Name?"): optional, and not answered
left out: "ok" ("Delete?"): optional, and not answered
left out: "c" ("Where?"): optional, and not answered
proceed: no, because nothing was answered
`)
      })
    })

    const deleted = 'deleted avatars'
    const outcomes = {
      yes: { person: gives('accept', { confirm_delete: true }), want: deleted },
      no: { person: gives('accept', { confirm_delete: false }), want: /cancelled: "confirm_delete".*\nproceed: no, because the user cancelled\n$/ },
      decline: { person: gives('decline'), want: silence('the user declined to answer') },
      'decline with a yes': { person: gives('decline', { confirm_delete: true }), want: silence('the user declined to answer') },
      cancel: { person: gives('cancel'), want: silence('the user closed the form') },
      'accept without content': { person: gives('accept'), want: /missing: "confirm_delete".*\nproceed: no, because .*\n$/ },
      'accept of nothing': { person: gives('accept', {}), want: /missing: "confirm_delete".*\nproceed: no, because .*\n$/ },
      'yes in words': { person: gives('accept', { confirm_delete: 'true' }), want: /problem: answers\[0\]\.confirmed.*\nproceed: no, because .*\n$/ },
      'yes as a number': { person: gives('accept', { confirm_delete: 1 }), want: /problem: answers\[0\]\.confirmed.*\nproceed: no, because .*\n$/ },
      'yes and a key more': { person: gives('accept', { confirm_delete: true, more: true }), want: /problem: answers\[1\]\.id.*\nproceed: no, because .*\n$/ },
    }
    for (const [title, { person, want }] of Object.entries(outcomes)) {
      test(`delete: ${title}`, async () => {
        await session(generation, { person }, async ({ call }) => {
          const result = await call(remove)
          if (want instanceof RegExp) assert.match(said(result), want)
          else assert.equal(said(result), want)
          // A bucket that was deleted cannot be deleted again.
          const again = await call(remove)
          assert.equal(said(again) === 'there is no bucket "avatars"', want === deleted)
        })
      })
    }

    test('delete: an unknown action', async () => {
      await session(generation, { person: gives('approve', { confirm_delete: true }) }, async ({ call }) => {
        // Either the client refuses it or the server.
        const text = await call(remove).then(said, (error) => `refused: ${error.message}`)
        assert.doesNotMatch(text, /deleted/)
      })
    })

    test('a client that cannot show a form', async () => {
      await session(generation, { elicitation: null }, async ({ call }) => {
        const result = await call(remove)
        assert.equal(result.isError, true)
        assert.match(said(result), /the client cannot show a form/)
      })
    })

    describe('a slow person', { concurrency: true, timeout: 60_000 }, () => {
      const rounds = generation.speaks >= '2026-07-28'
      const yes = gives('accept', { confirm_delete: true })
      // A slow person says yes after the form is withdrawn. With rounds it never
      // is, so there the person says yes after a while.
      const slow = () => {
        const person = (_, signal) => (person.answered = (rounds ? sleep(1500) : once(signal, 'abort')).then(() => {
          assert.ok(!rounds || !signal?.aborted)
          return yes()
        }))
        return person
      }

      test('later than the server waits', async () => {
        const person = slow()
        await session(generation, { person, args: ['-timeout', '200ms'] }, async ({ call }) => {
          const text = said(await call(remove))
          assert.equal(text, rounds ? deleted : silence('the user did not answer in time, and the form was withdrawn'))
          await person.answered
        })
      })

      test('later than the client waits', async () => {
        let person = slow()
        await session(generation, { person: (...args) => person(...args) }, async ({ call }) => {
          const result = call(remove, { timeout: 1000 })
          if (rounds) {
            assert.equal(said(await result), deleted)
            return
          }
          await assert.rejects(result, /timed out/i)
          await person.answered // with a yes that is too late
          assert.match(said(await call({ ...remove, arguments: { bucket: 'nothing' } })), /there is no bucket "nothing"/)
          person = yes
          assert.equal(said(await call(remove)), deleted)
        })
      })

      test('a client that waits as long as it hears something', async () => {
        let heard = 0, onprogress
        const twice = new Promise((resolve) => (onprogress = () => ++heard === 2 && resolve())) // after the client's timeout
        const person = () => (rounds ? sleep(5000) : twice).then(yes)
        await session(generation, { person, args: ['-timeout', '1m'] }, async ({ call }) => {
          assert.equal(said(await call(remove, { timeout: 4500, resetTimeoutOnProgress: true, onprogress })), deleted)
          assert.ok(heard >= 1)
        })
      })
    })
  })
}

describe('Inspector', { concurrency: 2 }, () => {
  const run = (...args) =>
    new Promise((resolve) => {
      const inspector = join(here, 'node_modules/.bin/mcp-inspector')
      execFile(inspector, ['--cli', server, '--format', 'json', ...args], (error, stdout, stderr) => {
        resolve({ code: error ? error.code : 0, stdout, stderr })
      })
    })
  const call = (tool, args, ...more) => run('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args), ...more)

  for (const era of ['legacy', 'modern']) {
    const only = ['--protocol-era', era]

    test(`${era}: the tools are portable`, async () => {
      const { code, stdout, stderr } = await run('--method', 'tools/list', '--strict', ...only)
      assert.equal(code, 0, stderr)
      assert.deepEqual(JSON.parse(stdout).result.tools.map((tool) => tool.name), ['ask', 'clarify', 'delete_bucket'])
      assert.doesNotMatch(stderr, /schema/i)
    })

    test(`${era}: a question`, async () => {
      const { code, stdout, stderr } = await call('clarify', { prompts: '[{"id":"name","kind":"text","question":"<Name>?"}]' }, ...only)
      assert.equal(code, 0, stderr)
      const { result } = JSON.parse(stdout)
      const want = '{"protocol":"appwrite.clarify/v1","prompts":[{"id":"name","kind":"text","question":"<Name>?","required":true,"multiline":false}]}'
      assert.equal(said(result), want)
      assert.equal(JSON.stringify(result.structuredContent), want)
    })

    test(`${era}: prompts as an object, where the schema says string`, async () => {
      const { code, stdout, stderr } = await run('--method', 'tools/call', '--tool-name', 'clarify', '--tool-arg', 'prompts={"id":"name","kind":"text","question":"?"}', ...only)
      assert.equal(code, 0, stderr)
      assert.equal(JSON.parse(stdout).result.structuredContent.prompts[0].id, 'name')
    })

    test(`${era}: a refused one`, async () => {
      const { code, stdout } = await call('clarify', { prompts: '[]' }, ...only)
      assert.notEqual(code, 0)
      const { result } = JSON.parse(stdout)
      assert.equal(result.isError, true)
      assert.match(said(result), /^Error: invalid clarify prompts — prompts: got 0 prompts, want 1 to 5$/)
    })

    test(`${era}: it shows no forms`, async () => {
      const { code, stdout } = await call('delete_bucket', { bucket: 'avatars' }, ...only)
      assert.notEqual(code, 0)
      assert.match(said(JSON.parse(stdout).result), /the client cannot show a form/)
    })
  }
})
