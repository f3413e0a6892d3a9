import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { mock, test } from 'node:test'
import { verifyTypedData } from 'ethers'
import { actionIndex, ApiError, Client, DomainError, retry, scoreTypeIndex, total, updateTypedData } from '../dist/index.js'
import { address, libraries } from './libraries.mjs'

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
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers: { 'Content-Type': 'application/problem+json', ...headers } })
    },
  })
  return { client, requests }
}

test('requests are those of the interface', async () => {
  const { client, requests } = answering(200, { status: 'accepted', accepted: 1, duplicates: [] })
  const project = { projectId, name: 'Acme', inputActions: [{ name: 'win', points: 5, direction: 0 }], owners: [`0x${'0a'.repeat(20)}`], updaters: [], signedOnly: true }
  await client.createProject(project)
  assert.deepEqual(requests.pop(), { call: 'POST http://api/create-project', body: project })

  const update = { updateId, projectId, actionName: 'win', scoreType: 'reputation', targetWallet: `0x${'02'.repeat(20)}` }
  assert.deepEqual(await client.updateScore(update, (message) => `signed ${message}`), { status: 'accepted', accepted: 1, duplicates: [] })
  const { call, body } = requests.pop()
  assert.equal(call, 'POST http://api/update-score')
  assert(Math.abs(Number(body.message) - Date.now()) < 60_000)
  assert.deepEqual(body, { ...update, message: body.message, signature: `signed ${body.message}` })

  const group = { projectId, kind: 1, updates: '0x01', signature: '0x02' }
  await client.updateScores(group)
  assert.deepEqual(requests.pop(), { call: 'POST http://api/update-scores', body: group })
  await client.project(projectId)
  assert.deepEqual(requests.pop(), { call: `GET http://api/projects/${projectId}`, body: undefined })
  await client.scores(projectId, update.targetWallet)
  assert.deepEqual(requests.pop(), { call: `GET http://api/projects/${projectId}/scores/${update.targetWallet}`, body: undefined })
  await client.update(projectId, updateId)
  assert.deepEqual(requests.pop(), { call: `GET http://api/projects/${projectId}/updates/${updateId}`, body: undefined })
})

test('a creation may be sent again: an id that is taken by this very creation is no error', async () => {
  const create = (body) => answering(409, { code: 'project_exists', ...body }).client.createProject({ projectId })
  await create({ same: true })
  for (const body of [{ same: false }, {}, { same: 'true' }]) await assert.rejects(create(body), { code: 'project_exists', same: false })
})

test('what is final is asked for by pages', async () => {
  const { client, requests } = answering(200, {})
  const wallet = `0x${'02'.repeat(20)}`
  const asked = () => requests.pop().call.replace('GET http://api', '').replace(projectId, 'p').replaceAll(wallet, 'w')
  await client.projects()
  assert.equal(asked(), '/projects')
  await client.projects({ limit: 5, cursor: 'x' })
  assert.equal(asked(), '/projects?limit=5&cursor=x')
  await client.leaderboard(projectId, 'a/b ü', { cursor: undefined })
  assert.equal(asked(), '/projects/p/leaderboards/a%2Fb%20%C3%BC')
  await client.leaderboard(projectId, total, { around: wallet, limit: 5 })
  assert.equal(asked(), '/projects/p/leaderboards/total?around=w&limit=5')
  await client.finalScores(projectId, [wallet, wallet])
  assert.equal(asked(), '/projects/p/scores?wallets=w,w')
  await client.history(projectId, wallet, { cursor: 'y', final: true })
  assert.equal(asked(), '/projects/p/wallets/w/history?cursor=y&final=true')
  await client.stats(projectId, { from: '2026-11-22' })
  assert.equal(asked(), '/projects/p/stats?from=2026-11-22')
})

test('several groups stand or fall by themselves', async () => {
  const group = { projectId, kind: 1, updates: '0x01', signature: '0x02' }
  const refused = { status: 'refused', accepted: 0, duplicates: [] }
  const accepted = { status: 'accepted', accepted: 1, duplicates: [updateId] }
  const { client, requests } = answering(200, { groups: [
    accepted,
    { ...refused, problem: { status: 400, code: 'invalid_body', errors: [{ pointer: '/groups/1/kind', detail: 'is', code: 'invalid' }] } },
    { ...refused, problem: { status: 503, code: 'stream_full' }, retryAfter: 5 },
    { ...accepted, status: 'duplicate' },
    { status: 'unheard of' },
  ] })
  const groups = Array(5).fill(group)
  const results = await client.updateGroups(groups)
  assert.deepEqual(requests.pop(), { call: 'POST http://api/update-groups', body: { groups } })
  assert.deepEqual(results[0], accepted)
  assert.deepEqual([results[1].status, results[1].error.fields[0].pointer, results[1].error.retryAfter], ['refused', '/groups/1/kind', 0])
  assert.deepEqual([results[2].error.code, results[2].error.retryAfter], ['stream_full', 5])
  for (const { error, ...rest } of results.slice(3)) {
    assert.deepEqual(rest, refused)
    assert.match(error.message, /makes no sense/)
    assert.deepEqual([error.status, error.retryAfter], [0, 1])
  }
  await assert.rejects(client.updateGroups([...groups, group]), { name: 'ApiError', retryAfter: 1 })
})

test('a whole update is signed under the domain', async () => {
  const domain = { chainId: 1337, verifyingContract: `0x${'0c'.repeat(20)}` }
  const update = { updateId, projectId, actionName: 'win', scoreType: 'reputation', targetWallet: `0x${'02'.repeat(20)}` }
  for (const configured of [undefined, domain]) {
    const requests = []
    const client = new Client('http://api', 'key', {
      domain: configured,
      fetch: async (_, { body }) => (requests.push(JSON.parse(body)), new Response('{"status":"accepted"}')),
    })
    for (const [library, sign] of Object.entries(libraries)) {
      const whole = configured ? { scheme: 'eip712' } : { scheme: 'eip712', domain }
      assert.deepEqual(await client.updateScore(update, sign, whole), { status: 'accepted' })
      const { signature, scheme, message, ...rest } = requests.pop()
      assert.deepEqual([rest, scheme], [update, 'eip712'])
      const data = updateTypedData(update, Number(message), domain)
      assert.equal(verifyTypedData(data.domain, data.types, data.message, signature).toLowerCase(), address, library)
    }
    if (!configured) await assert.rejects(client.updateScore(update, libraries.ethers, { scheme: 'eip712' }), DomainError)
  }
})

test('updates are followed until they are final', async () => {
  const ids = Array.from({ length: 300 }, (_, i) => `0x${i.toString(16).padStart(64, '0')}`)
  const asked = []
  let began = Date.now()
  const statusOf = (id) => (Number(id) % 2 && Date.now() - began < 2000 ? 'unknown' : 'final')
  const client = new Client('http://api', 'key', {
    fetch: async (url, { body }) => {
      assert.equal(url, 'http://api/look-up-updates')
      const { projectId: project, updateIds } = JSON.parse(body)
      assert.equal(project, projectId)
      asked.push(updateIds.length)
      if (asked.length === 1) return new Response('{}', { status: 503, headers: { 'Retry-After': '1' } })
      return new Response(JSON.stringify({ projectId, updates: updateIds.map((updateId) => ({ updateId, status: statusOf(updateId) })) }))
    },
  })
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  try {
    began = Date.now()
    const ended = client.untilFinal(projectId, ids)
    let done
    ended.then((updates) => { done = updates })
    for (let step = 0; !done && step < 10; step++) {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      if (!done) mock.timers.tick(1000)
    }
    assert.deepEqual(done.map((update) => update.updateId), ids, 'in the order asked')
    assert.deepEqual(asked, [256, 256, 44, 150], 'again after a 503, and then only those that were not final')

    assert.deepEqual(await client.untilFinal(projectId, []), [])
    const abort = new AbortController()
    began = Date.now()
    const never = client.untilFinal(projectId, [ids[1]], abort.signal)
    await new Promise(setImmediate)
    abort.abort()
    await assert.rejects(never, { name: 'AbortError' })
  } finally {
    mock.timers.reset()
  }
  const { client: other, requests } = answering(200, { projectId, updates: [{ updateId, projectId, status: 'unknown' }] })
  assert.deepEqual(await other.updates(projectId, [updateId]), [{ updateId, projectId, status: 'unknown' }])
  assert.deepEqual(requests, [{ call: 'POST http://api/look-up-updates', body: { projectId, updateIds: [updateId] } }])
  await assert.rejects(answering(400, { code: 'invalid_body' }).client.untilFinal(projectId, ['0x1']), { code: 'invalid_body' })
})

test('where Redis is away, statuses are waited for: no outcome is made up meanwhile', async () => {
  const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '5' }
  const away = () => new Response('{"status":503,"code":"status_unavailable"}', { status: 503, headers })
  const transactionHash = `0x${'03'.repeat(32)}`
  const final = { projectId, updateId, status: 'final', outcome: 'duplicate', transactionHash, blockNumber: 7 }
  const looks = [
    async () => (await client.untilFinal(projectId, [updateId]))[0],
    () => retry(() => client.update(projectId, updateId)),
  ]
  const asked = []
  const client = new Client('http://api', 'key', {
    fetch: async (url) => {
      asked.push(Date.now() - began)
      if (asked.length <= 2) return away()
      return new Response(JSON.stringify(url.endsWith('/look-up-updates') ? { projectId, updates: [final] } : final))
    },
  })
  let began = 0
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  try {
    for (const look of looks) {
      asked.length = 0
      began = Date.now()
      let seen
      const looked = look().then((update) => { seen = update })
      for (let second = 0; !seen && second < 15; second++) {
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
        if (!seen) mock.timers.tick(1000)
      }
      await looked
      assert.deepEqual(seen, final)
      assert.deepEqual(asked, [0, 5000, 10_000], 'as the API asks for it')
    }
    asked.length = 0
    const refused = { status: 503, code: 'status_unavailable', retryAfter: 5 }
    await assert.rejects(client.update(projectId, updateId), refused)

    for (const look of [(signal) => client.untilFinal(projectId, [updateId], signal), (signal) => client.editFinal(projectId, 0, signal)]) {
      asked.length = 0
      const abort = new AbortController()
      const never = look(abort.signal)
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      abort.abort()
      await assert.rejects(never, (error) => error.name === 'AbortError' && error.cause.code === 'status_unavailable')
    }
  } finally {
    mock.timers.reset()
  }
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
  for (const media of ['application/json', '', 'application/problem+jsonx']) {
    await assert.rejects(answering(403, { code: 'access_denied' }, { 'Content-Type': media }).client.project(projectId), { code: '' }, 'a proxy\'s code')
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

test('the key is not sent elsewhere: a proxy before the API may lead to its own login page', async (t) => {
  const serve = async (answer) => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    return `http://127.0.0.1:${server.address().port}`
  }
  let sent = 0
  const elsewhere = await serve((_, res) => { sent++; res.end('{}') })
  const client = new Client(await serve((_, res) => res.writeHead(307, { Location: elsewhere }).end()), 'key')
  await assert.rejects(client.project(projectId), ApiError)
  const stop = new AbortController()
  await assert.rejects(client.events(projectId, { signal: stop.signal, trouble: () => stop.abort() }).next())
  assert.equal(sent, 0)
})

test('no more is read of an answer than the API can have written', async () => {
  let read = 0
  const body = () => new ReadableStream({ pull: (to) => (++read > 100 ? to.close() : to.enqueue(new Uint8Array(65_536))) })
  for (const status of [200, 503]) {
    read = 0
    const client = new Client('http://api', 'key', { fetch: async () => new Response(body(), { status }) })
    await assert.rejects(client.project('0x1'), ({ retryAfter }) => retryAfter === 1)
    assert(read < 20)
  }
})

test('a client needs a URL and a key', () => {
  for (const url of ['', undefined, 'api', 'ftp://api', 'http://']) assert.throws(() => new Client(url, 'key'), /URL must be like https:/)
  for (const key of ['', undefined]) assert.throws(() => new Client('http://api', key), /API key is missing/)
})
