import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Client } from '../dist/index.js'

const projectId = `0x${'ab'.repeat(32)}`
const path = `http://api/projects/${projectId}/events`

const told = (cursor, id) => `id: ${cursor}\nevent: update.applied\ndata: {"id":"${id}","type":"update.applied",\r\ndata: "data":{"outcome":"ü"}}\n\n`

// answering returns a client that receives the texts in turn, 7 bytes at a time, and its requests. After a text with
// silent set, the response stays open without data.
function answering(answers) {
  const asked = []
  const client = new Client('http://api', 'key', { fetch: async (url, { headers, signal }) => {
    assert.equal(headers['X-API-KEY'], 'key')
    asked.push(`${url} ${headers['Last-Event-ID'] ?? ''}`.trim())
    const { status = 200, text, silent } = answers.shift()
    const bytes = new TextEncoder().encode(text)
    let at = 0
    const body = new ReadableStream({
      start: (controller) => signal.addEventListener('abort', () => { try { controller.error(signal.reason) } catch { /* it was at its end */ } }),
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.slice(at, at += 7))
        else if (!silent) controller.close()
        else return new Promise(() => {})
      },
    })
    return new Response(body, { status, headers: { 'Content-Type': 'application/problem+json; charset=utf-8' } })
  } })
  return { client, asked }
}

// soon advances the mocked timers until the work is done.
async function soon(work) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let over = false
  const done = work().finally(() => { over = true })
  try {
    while (!over) {
      for (let i = 0; i < 50; i++) await new Promise(setImmediate)
      mock.timers.tick(60_000)
    }
    await done
  } finally {
    mock.timers.reset()
  }
}

test('events are followed over connections, from the newest cursor that came', () => soon(async () => {
  const { client, asked } = answering([
    { text: 'retry: 2000\nid: c0\n\n: nothing\n\n' },
    { text: `${told('c1', 'one')}${told('c2', 'two')}id: c3\ndata: {"id":"th` },
    { status: 503, text: '{"code":"shutting_down"}' },
    { status: 404, text: '<html>' },
    { text: 'id: c3\ndata: oops\n\n' },
    { text: `${told('c3', 'three')}id: c4\n\n`, silent: true },
    { status: 401, text: '{"code":"invalid_api_key"}' },
  ])
  const seen = []
  const trouble = []
  const moved = []
  await assert.rejects(async () => {
    for await (const { id, cursor, data } of client.events(projectId, { after: 'start', moved: (cursor) => moved.push(cursor), trouble: (error) => trouble.push(error.message) })) {
      assert.deepEqual(data, { outcome: 'ü' })
      seen.push([id, cursor])
    }
  }, { code: 'invalid_api_key' })
  assert.deepEqual(seen, [['one', 'c1'], ['two', 'c2'], ['three', 'c3']])
  assert.deepEqual(moved, ['c0', 'c4'])
  assert.deepEqual(asked, ['', ' c0', ' c2', ' c2', ' c2', ' c2', ' c4'].map((cursor) => `${path}?after=start${cursor}`))
  const expected = [/ended the stream/, /ended the stream/, /503 shutting_down/, /answered 404/, /JSON/, /said nothing for 45 s/]
  assert.equal(trouble.length, expected.length)
  expected.forEach((want, i) => assert.match(trouble[i], want))
}))

test('following events ends with its signal or its loop', async () => {
  const { client, asked } = answering([{ text: told('c1', 'one'), silent: true }, { text: '', silent: true }])
  for await (const { id } of client.events(projectId)) {
    assert.equal(id, 'one')
    break
  }
  const stop = new AbortController()
  const next = client.events(projectId, { after: 'c1', signal: stop.signal }).next()
  setImmediate(() => stop.abort(new Error('enough')))
  await assert.rejects(next, /enough/)
  assert.deepEqual(asked, [path, `${path}?after=c1`])
})
