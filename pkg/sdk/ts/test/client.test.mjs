import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { actionIndex, ApiError, Client, retry, scoreTypeIndex } from '../dist/index.js'

const projectId = `0x${'ab'.repeat(32)}`
const updateId = `0x${'01'.repeat(32)}`

// answering is a client of an API that gives one answer, and the requests it got. docs/ids.md and the tests of
// docs/examples run the client against a whole stack.
function answering(status, body, headers = {}) {
  const requests = []
  const client = new Client('http://api/', 'key', {
    fetch: async (url, { method, headers: sent, body: text }) => {
      assert.equal(sent['X-API-KEY'], 'key')
      assert.equal(sent['Content-Type'], text === undefined ? undefined : 'application/json')
      requests.push({ call: `${method} ${url}`, body: text && JSON.parse(text) })
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
    },
  })
  return { client, requests }
}

test('requests are those of the interface', async () => {
  const { client, requests } = answering(200, { status: 'accepted' })
  const project = { projectId, name: 'Acme', inputActions: [{ name: 'win', points: 5, direction: 0 }], owners: [`0x${'0a'.repeat(20)}`], updaters: [], signedOnly: true }
  await client.createProject(project)
  assert.deepEqual(requests.pop(), { call: 'POST http://api/create-project', body: project })

  const update = { updateId, projectId, actionName: 'win', scoreType: 'reputation', targetWallet: `0x${'02'.repeat(20)}` }
  assert.deepEqual(await client.updateScore(update, (message) => `signed ${message}`), { status: 'accepted' })
  const { call, body } = requests.pop()
  assert.equal(call, 'POST http://api/update-score')
  assert(Math.abs(Number(body.message) - Date.now()) < 60_000)
  assert.deepEqual(body, { ...update, message: body.message, signature: `signed ${body.message}` })

  const group = { projectId, kind: 1, updates: '0x01', signature: '0x02' }
  await client.updateScores(group)
  assert.deepEqual(requests.pop(), { call: 'POST http://api/update-scores', body: group })
  await client.project(projectId)
  assert.deepEqual(requests.pop(), { call: `GET http://api/projects/${projectId}`, body: undefined })
  await client.update(projectId, updateId)
  assert.deepEqual(requests.pop(), { call: `GET http://api/projects/${projectId}/updates/${updateId}`, body: undefined })
})

test('reserved ids are a range', async () => {
  const { client, requests } = answering(200, { projectId, first: `0x${'00'.repeat(31)}ff`, count: 2 })
  assert.deepEqual([...(await client.reserveIds(projectId, 2))], [`0x${'00'.repeat(31)}ff`, `0x${'00'.repeat(30)}0100`])
  assert.deepEqual(requests, [{ call: 'POST http://api/reserve-ids', body: { projectId, count: 2 } }])
})

test('errors say what to do', async () => {
  for (const [status, header, body, want] of [
    [503, '7', { code: 'stream_full', detail: 'later' }, ['stream_full', 7, 'the API answered 503 stream_full: later']],
    [429, '', { code: 'rate_limited' }, ['rate_limited', 1, 'the API answered 429 rate_limited']],
    [408, '0', { code: 'request_timeout' }, ['request_timeout', 1, 'the API answered 408 request_timeout']],
    [502, 'soon', '<html>', ['', 1, 'the API answered 502 ']],
    [500, '', 'null', ['', 1, 'the API answered 500 ']],
    [403, '7', { code: 'signer_not_member' }, ['signer_not_member', 0, 'the API answered 403 signer_not_member']],
    [400, '', { code: 'invalid_body', errors: [{ pointer: '/kind', detail: 'is required', code: 'required' }] }, ['invalid_body', 0, 'the API answered 400 invalid_body; /kind is required']],
  ]) {
    const { client } = answering(status, body, { 'Retry-After': header })
    await assert.rejects(client.project(projectId), (error) => {
      assert(error instanceof ApiError)
      assert.deepEqual([error.status, error.code, error.retryAfter, error.message], [status, ...want])
      return true
    })
  }
})

test('what got no answer is sent again', async () => {
  const cause = new TypeError('fetch failed')
  const client = new Client('http://api', 'key', { fetch: async () => { throw cause } })
  await assert.rejects(client.project(projectId), { name: 'ApiError', status: 0, retryAfter: 1, cause })
  await assert.rejects(answering(200, '<html>').client.project(projectId), { name: 'ApiError', status: 0, retryAfter: 1 })

  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    let calls = 0
    const done = retry(async () => {
      if (++calls < 3) throw new ApiError('later', 503, 'stream_full', 2)
      return 'done'
    })
    for (let step = 0; step < 2; step++) {
      await new Promise(setImmediate)
      mock.timers.tick(2000)
    }
    assert.equal(await done, 'done')
    assert.equal(calls, 3)

    const refused = new ApiError('no', 400, 'invalid_body', 0)
    await assert.rejects(retry(async () => { throw refused }), refused)

    const abort = new AbortController()
    const busy = new ApiError('later', 503, 'stream_full', 60)
    const given = retry(async () => { throw busy }, abort.signal)
    await new Promise(setImmediate)
    abort.abort()
    await assert.rejects(given, busy)
    await assert.rejects(retry(async () => { throw busy }, abort.signal), busy)
  } finally {
    mock.timers.reset()
  }
})

test('indexes are found by name', () => {
  const project = { inputActions: [{ name: 'win' }, { name: 'foul' }, { name: 'win' }], scoreTypes: ['reputation', 'skill'] }
  assert.equal(actionIndex(project, 'win'), 2, 'the newest of the name')
  assert.equal(actionIndex(project, 'foul'), 1)
  assert.equal(scoreTypeIndex(project, 'skill'), 1)
  assert.throws(() => actionIndex(project, 'draw'), RangeError)
  assert.throws(() => scoreTypeIndex(project, 'fame'), RangeError)
})
