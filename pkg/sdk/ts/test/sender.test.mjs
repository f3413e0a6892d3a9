import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ApiError, Client, Sender, SenderFullError, SpoolError } from '../dist/index.js'
import { pause } from '../dist/errors.js'

const projectId = `0x${'ab'.repeat(32)}`
const domain = { chainId: 1337, verifyingContract: `0x${'0c'.repeat(20)}` }
const signature = `0x${'01'.repeat(65)}`
const signings = { time: { time: () => signature }, whole: { whole: () => signature, domain }, groups: { groups: () => signature, domain } }

/** An in-memory API that counts stored updates and injects faults. docs/examples run a sender on a stack. */
class Api {
  stored = new Map()
  requests = 0
  groups = []
  bad = new Set()
  fault = () => undefined // {status, code, after, answer}; status 0: no answer, -1: none, but stored
  status = () => ({ status: 'batched' })
  client = new Client('http://api', 'key', { fetch: (url, init) => this.fetch(new URL(url).pathname, init.body && JSON.parse(init.body)) })

  async fetch(path, body) {
    const headers = { 'Content-Type': 'application/problem+json' }
    const { status = 200, code, after = 0, answer: odd } = this.fault(path, ++this.requests) ?? {}
    if (odd !== undefined) return new Response(status === 204 ? null : JSON.stringify(odd), { status, headers })
    if (status === 0) throw new TypeError('fetch failed')
    const answer = status === 200 || status === -1 ? this.serve(path, body) : { code }
    if (status === -1) throw new TypeError('connection reset')
    return new Response(JSON.stringify(answer), { status: answer.code === undefined ? status : status === 200 ? 400 : status, headers: after ? { ...headers, 'Retry-After': `${after}` } : headers })
  }

  serve(path, body) {
    const store = (id) => this.stored.set(id, (this.stored.get(id) ?? 0) + 1)
    switch (path) {
      case '/update-score':
        if (Date.now() - Number(body.message) > 300_000) return { code: 'message_too_old' }
        if (this.bad.has(body.updateId)) return { code: 'unknown_action' }
        store(body.updateId)
        return { status: this.stored.get(body.updateId) > 1 ? 'duplicate' : 'accepted' }
      case '/update-scores': {
        const ids = idsOf(body)
        if (ids.some((id) => this.bad.has(id))) return { code: 'invalid_body' }
        ids.forEach(store)
        this.groups.push(ids.length)
        return { status: 'accepted', accepted: ids.length, duplicates: [] }
      }
      case '/look-up-updates':
        return { updates: body.updateIds.map(this.status) }
      default:
        return { inputActions: [{ name: 'win', points: 1, direction: 0 }], scoreTypes: ['skill'], signing: { name: 'Scorelay', version: '1', ...domain } }
    }
  }

  /** A sender that reports into told. */
  async sender(options) {
    const told = []
    const sender = await Sender.open(this.client, { projectId, signing: signings.time, report: (report) => { told.push(report) }, ...options })
    return { sender, told }
  }
}

/** The ids of a group, as groups.ts writes them. */
function idsOf({ kind, updates }) {
  const bytes = Buffer.from(updates.slice(2), 'hex')
  const word = kind === 3 ? '' : bytes.subarray(0, 31).toString('hex')
  const ids = []
  if (kind === 1) {
    const [start, length] = bytes.subarray(31)
    for (let bit = 0; bit < 8 * length; bit++) {
      if (bytes[32 + length - (bit >> 3)] & (1 << (bit & 7))) ids.push(`0x${word}${(8 * start + bit).toString(16).padStart(2, '0')}`)
    }
    return ids
  }
  const size = kind === 2 ? 1 : 32
  let at = word.length / 2 + 2
  for (let runs = bytes.readUInt16BE(word.length / 2); runs > 0; runs--) {
    const more = bytes[at + 21]
    at += 22
    for (let i = 0; i <= more; i++, at += size + 1) ids.push(`0x${word}${bytes.subarray(at, at + size).toString('hex')}`)
  }
  return ids
}

const updates = (n) => Array.from({ length: n }, (_, i) => ({ actionName: 'win', scoreType: 'skill', targetWallet: `0x01${i.toString(16).padStart(38, '0')}` }))
const of = (told, stage) => told.filter((report) => report.stage === stage).map(({ update }) => update.updateId)

/** Runs a test on virtual time: pass lets so many ms pass. */
function timed(name, run) {
  test(name, async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
    let now = 0
    const clock = mock.method(performance, 'now', () => now)
    const settle = async () => { for (let i = 0; i < 40; i++) await setImmediate() }
    try {
      await run(async (ms, until = () => false) => {
        await settle()
        for (let at = 0; at < ms && !until(); at += 500) {
          now += 500
          mock.timers.tick(500)
          await settle()
        }
      })
    } finally {
      clock.mock.restore()
      mock.timers.reset()
    }
  })
}

test('a sender that would never send is none', async () => {
  for (const options of [{ requests: 0 }, { requests: NaN }, { capacity: -1 }, { linger: -1 }]) await assert.rejects(new Api().sender(options), RangeError)
})

const odd = [
  [200, null], [200, 'accepted'], [200, { status: 'ok' }], [202, { status: 'accepted', accepted: 3, duplicates: [] }], [204, null], [403, { code: 403 }], [400, { code: ['x'], errors: 1 }],
  [400, null], [200, { status: 'accepted', accepted: 2, duplicates: [] }, 'groups'], [200, { status: 'duplicate', accepted: 3, duplicates: [] }, 'groups'], [200, { status: 'accepted' }, 'groups'],
]
for (const [name, signing] of Object.entries(signings)) {
  timed(`an odd answer is no promise and no refusal: ${name}`, async (pass) => {
    for (const [status, answer] of odd.filter(([, , only = name]) => only === name)) {
      const api = new Api()
      let down = true
      api.fault = (path) => (down && path.startsWith('/update-score') ? { status, answer } : undefined)
      const { sender, told } = await api.sender({ signing })
      const ids = await sender.enqueue(updates(3))
      await pass(10_000)
      assert.deepEqual(told, [], `${status} ${JSON.stringify(answer)}`)
      assert(sender.state.error)
      down = false
      await pass(90_000)
      assert.deepEqual(of(told, 'accepted').sort(), [...ids].sort())
      assert.deepEqual(await sender.close(), [])
    }
  })
}

timed('odd answers to look-ups lose nothing that is followed, and have nothing sent again', async (pass) => {
  const api = new Api()
  const answers = [null, {}, { updates: 'final' }, { updates: [] }, { updates: [null, null, null] }, { updates: [{ status: 'final' }] }]
  api.fault = (path) => (path === '/look-up-updates' && answers.length > 0 ? { answer: answers.shift() } : undefined)
  api.status = () => ({ status: 'final', outcome: 'applied' })
  const { sender, told } = await api.sender({ follow: true })
  const ids = await sender.enqueue(updates(3))
  await pass(60_000)
  assert.deepEqual(of(told, 'final').sort(), [...ids].sort())
  assert.deepEqual([...api.stored.values()], [1, 1, 1])
  assert.deepEqual(await sender.close(), [])
})

timed('a clock that is set back delays nothing', async (pass) => {
  const api = new Api()
  let down = true
  api.fault = () => (down ? { status: 0 } : undefined)
  const { sender, told } = await api.sender({ signing: signings.groups })
  const ids = await sender.enqueue(updates(3))
  await pass(2000)
  assert(sender.state.error)
  const now = Date.now
  Date.now = () => now() - 86_400_000
  try {
    down = false
    ids.push(...await sender.enqueue(updates(3)))
    await pass(60_000)
    assert.deepEqual(of(told, 'accepted').sort(), [...ids].sort())
  } finally {
    Date.now = now
  }
  assert.deepEqual(await sender.close(), [])
})

timed('a sender that is closed ends a flush, and a signal that is over ends waiting for room', async () => {
  const api = new Api()
  api.fault = () => ({ status: 0 })
  const { sender } = await api.sender({ capacity: 1 })
  const [id] = await sender.enqueue(updates(1))
  await assert.rejects(sender.enqueue(updates(1), AbortSignal.abort(new Error('over'))), /over/)
  const flushed = sender.flush()
  assert.equal((await sender.close(AbortSignal.abort())).length, 1)
  assert.deepEqual((await flushed).map(({ updateId }) => updateId), [id])
})

test('a pause of a signal that is over is none', { timeout: 60_000 }, () => pause(3_600_000, AbortSignal.abort()))

for (const [name, signing] of Object.entries(signings)) {
  timed(`a sender sends under one id until it is accepted: ${name}`, async (pass) => {
    const api = new Api()
    const began = Date.now()
    const faults = [
      { status: 503, code: 'stream_full', after: 2 }, { status: 429, code: 'rate_limited', after: 60 }, { status: 502 }, { status: 403 },
      { status: 401, code: 'invalid_api_key' }, { status: 400, code: 'message_too_old' }, { status: -1 }, { status: 500, code: 'internal' }, { status: 0 },
      { status: 431, code: 'headers_too_large' }, { status: 415, code: 'unsupported_encoding' },
    ]
    api.fault = (_, n) => (Date.now() - began > 600_000 ? undefined : faults[n % faults.length])
    const { sender, told } = await api.sender({ signing })
    const ids = await sender.enqueue(updates(60))
    assert.equal(ids[0].slice(0, -2), ids[59].slice(0, -2), 'they count up')
    await pass(500_000)
    assert(sender.state.error)
    assert(api.requests < 100, `${api.requests} requests in a while`)
    const flushed = sender.flush()
    await pass(300_000, () => sender.state.unsent === 0)
    assert.deepEqual(await flushed, [])
    assert.deepEqual(sender.state, { unsent: 0, followed: 0 })
    assert.deepEqual(of(told, 'accepted').sort(), [...ids].sort(), 'each is told once')
    assert.deepEqual([...api.stored.keys()].sort(), [...ids].sort(), 'no other ids were sent')
    assert.deepEqual(await sender.close(), [])
    await assert.rejects(sender.tryEnqueue(updates(1)), /closed/)
  })
}

timed('a sender holds a bounded number', async (pass) => {
  const api = new Api()
  let down = true
  api.fault = () => (down ? { status: 0 } : undefined)
  const { sender, told } = await api.sender({ capacity: 3 })
  await assert.rejects(sender.enqueue(updates(4)), SenderFullError, 'it never fits')
  const ids = await sender.tryEnqueue(updates(2))
  await assert.rejects(sender.tryEnqueue(updates(2)), SenderFullError, 'all or none')
  const again = updates(2).map((update, i) => ({ ...update, updateId: ids[i].toUpperCase().replace('0X', '0x') }))
  assert.deepEqual(await sender.tryEnqueue(again), ids, 'what is queued already takes no room')
  await assert.rejects(sender.tryEnqueue([{ ...again[0], actionName: 'lose' }]), /another update has the id/)
  await assert.rejects(sender.tryEnqueue([{ ...again[0], targetWallet: `0x${'00'.repeat(20)}` }]), RangeError)
  await assert.rejects(sender.tryEnqueue([{ ...again[0], projectId: `0x${'00'.repeat(32)}` }]), RangeError)

  const patience = new AbortController()
  const waits = assert.rejects(sender.enqueue(updates(2), patience.signal), { name: 'AbortError' })
  const flushed = sender.flush(patience.signal)
  await pass(5000)
  patience.abort()
  await waits
  assert.deepEqual((await flushed).map(({ updateId }) => updateId), ids)
  const later = sender.enqueue(updates(2))
  down = false
  await pass(60_000, () => sender.state.unsent === 0)
  await later
  await pass(1000)
  assert.equal(of(told, 'accepted').length, 4)

  down = true
  const [lost] = await sender.enqueue(updates(1))
  const [left] = await sender.close(AbortSignal.abort())
  assert.equal(left.updateId, lost)
})

for (const name of ['time', 'groups']) {
  timed(`a sender tells what is refused: ${name}`, async (pass) => {
    const api = new Api()
    const bad = [`0x${'08'.repeat(32)}`, `0x${'09'.repeat(32)}`]
    bad.forEach((id) => api.bad.add(id))
    const told = []
    const { sender } = await api.sender({
      signing: signings[name],
      report: async (report) => {
        told.push(report)
        if (report.stage !== 'refused') return
        assert(report.error instanceof ApiError && report.error.code !== '')
        api.bad.delete(report.update.updateId)
        if (report.update.actionName === 'win') await sender.tryEnqueue([report.update])
      },
    })
    const all = updates(50)
    all[20].updateId = bad[0]
    Object.assign(all[30], { updateId: bad[1], actionName: 'lose' })
    const ids = await sender.enqueue(all)
    await pass(10_000)
    assert.deepEqual(of(told, 'refused').sort(), bad)
    assert.deepEqual(of(told, 'accepted').sort(), ids.filter((id) => id !== bad[1]).sort(), 'of the refused, what was queued again')
    assert.deepEqual(await sender.close(), [])
  })
}

timed('groups linger until they are full, or flushed', async (pass) => {
  const api = new Api()
  const { sender } = await api.sender({ signing: signings.groups, linger: 60_000 })
  for (let i = 0; i < 3; i++) {
    await sender.enqueue(updates(10))
    await pass(10_000)
  }
  assert.deepEqual(api.groups, [])
  await pass(40_000)
  assert.deepEqual(api.groups, [30])
  await sender.enqueue(updates(226))
  assert.deepEqual(await sender.close(), [])
  assert.deepEqual(api.groups, [30, 226])
})

timed('a sender signs for no other deployment', async (pass) => {
  const api = new Api()
  const { sender } = await api.sender({ signing: { groups: () => assert.fail('signed'), domain: { ...domain, chainId: 1 } } })
  await sender.enqueue(updates(1))
  await pass(5000)
  assert.equal(sender.state.error.name, 'DomainError')
  assert.equal((await sender.close(AbortSignal.abort())).length, 1)
})

timed('a sender follows, and sends again what was lost', async (pass) => {
  const api = new Api()
  const began = Date.now()
  let ids = []
  api.status = (id) => {
    if (id === ids[7] && api.stored.get(id) < 2) return { status: 'unknown' } // its NATS lost it
    return Date.now() - began < 10_000 ? { status: 'batched' } : { status: 'final', outcome: 'applied' }
  }
  api.fault = (path, n) => (path === '/look-up-updates' && n % 2 === 0 ? { status: 503, code: 'status_rebuilding', after: 2 } : undefined)
  const { sender, told } = await api.sender({ follow: true, signing: signings.groups })
  ids = await sender.enqueue(updates(600))
  await pass(3000, () => sender.state.followError)
  assert.equal(sender.state.followError.code, 'status_rebuilding')
  assert.equal(sender.state.followed, 600)
  await pass(120_000)
  assert.deepEqual(sender.state, { unsent: 0, followed: 0 })
  assert.deepEqual(of(told, 'final').sort(), [...ids].sort())
  assert.equal(of(told, 'accepted').length, 601)
  assert.equal(told.find(({ stage }) => stage === 'final').status.outcome, 'applied')
  assert.deepEqual(await sender.close(), [])
})

timed('what a spool does not keep is not queued', async () => {
  const api = new Api()
  const broken = new Error('disk full')
  const spool = { open: async () => [], put: () => Promise.reject(broken), mark: async () => {}, close: async () => {} }
  const { sender, told } = await api.sender({ spool })
  await assert.rejects(sender.enqueue(updates(1)), (error) => error instanceof SpoolError && error.cause === broken && error.updates[0].updateId.length === 66)
  assert.deepEqual(await sender.close(), [])
  assert.deepEqual(told, [])
})

/** A spool as a browser may have one: each entry is a record of a database, which copies it. */
class Records {
  records = new Map()
  open = async () => structuredClone([...this.records.values()])
  put = async (entries) => entries.forEach((entry) => this.records.set(entry.n, structuredClone(entry)))
  mark = async (numbers, state) => numbers.forEach((n) => (state === 'done' ? this.records.delete(n) : (this.records.get(n).accepted = true)))
  close = async () => {}
}

timed('a sender resumes from a spool of the caller', async (pass) => {
  const api = new Api()
  const spool = new Records()
  let { sender } = await api.sender({ spool, follow: true })
  const first = await sender.enqueue(updates(10))
  assert.deepEqual(Object.keys(spool.records.get(1)), ['n', 'update', 'accepted'])
  await pass(5000)
  api.fault = () => ({ status: 0 })
  const second = await sender.enqueue(updates(10))
  assert.deepEqual((await sender.close(AbortSignal.abort())).map(({ updateId }) => updateId), second)
  await assert.rejects(Sender.open(api.client, { projectId: `0x${'00'.repeat(32)}`, signing: signings.time, spool }), /holds updates of the project/)

  api.fault = () => undefined
  api.status = () => ({ status: 'final', outcome: 'applied' })
  let told
  ;({ sender, told } = await api.sender({ spool, follow: true }))
  assert.deepEqual(sender.state, { unsent: 10, followed: 10 })
  await pass(10_000)
  assert.deepEqual(of(told, 'accepted').sort(), [...second].sort())
  assert.deepEqual(of(told, 'final').sort(), [...first, ...second].sort())
  assert.deepEqual(await sender.close(), [])
  assert.equal(spool.records.size, 0)
  assert(first.concat(second).every((id) => api.stored.get(id) === 1), 'each was sent once')
})
