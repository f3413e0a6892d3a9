// The spool on disk: what it keeps over crashes of any kind, and a sender that is killed with one.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FileSpool, parseSpool } from '../dist/node.js'

const folder = mkdtempSync(join(tmpdir(), 'scorelay-spool-'))
after(() => rmSync(folder, { recursive: true }))

const update = (n) => ({ updateId: `0x${n.toString(16).padStart(64, '0')}`, projectId: `0x${'02'.repeat(32)}`, actionName: 'win ü', scoreType: 's', targetWallet: `0x${'03'.repeat(20)}` })
const entry = (n) => ({ n, update: update(n), accepted: false })

test('the spool is that of the Go package', async () => {
  const vector = readFileSync(new URL('../../testdata/spool.txt', import.meta.url), 'utf8')
  const one = { ...update(0), updateId: `0x0101${'00'.repeat(30)}`, projectId: `0x02${'00'.repeat(31)}`, targetWallet: `0x03${'00'.repeat(19)}` }
  const two = { ...one, updateId: `0x0201${'00'.repeat(30)}` }
  assert.deepEqual(parseSpool(vector), { entries: [{ n: 1, update: one, accepted: true }, { n: 4, update: two, accepted: false }], damaged: 0 })
  const path = join(folder, 'vector')
  const spool = new FileSpool(path)
  await spool.open()
  await spool.put([{ n: 1, update: one, accepted: false }])
  await spool.mark([1], 'accepted')
  await spool.put([{ n: 2, update: one, accepted: false }])
  await spool.mark([2], 'done')
  await spool.put([{ n: 3, update: two, accepted: false }])
  await spool.put([{ n: 4, update: two, accepted: false }])
  await spool.close()
  assert.equal(readFileSync(path, 'utf8'), vector.slice(0, vector.lastIndexOf('\n') + 1))
})

test('a spool keeps what is not done, over crashes at any byte', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`SEED=${seed}`)
  let state = seed
  const random = (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  for (let run = 0; run < 40; run++) {
    const path = join(folder, `run${run}`)
    let spool = new FileSpool(path)
    await spool.open()
    const kept = new Set()
    let synced = 0
    let last = 0
    let unsure = new Set() // done, by a mark that was not synced
    const size = () => readFileSync(path).length
    for (let step = 0; step < 25; step++) {
      switch (random(4)) {
        case 0:
        case 1: {
          const numbers = Array.from({ length: 1 + random(3) }, () => ++last)
          await Promise.all(numbers.map((n) => spool.put([entry(n)])))
          numbers.forEach((n) => kept.add(n))
          synced = size()
          unsure = new Set()
          break
        }
        case 2: {
          const [n] = [...kept].slice(random(kept.size))
          if (n === undefined) break
          const state = random(2) ? 'done' : 'accepted'
          await spool.mark([n], state)
          if (state === 'done') {
            kept.delete(n)
            unsure.add(n)
          }
          break
        }
        default: {
          await spool.close()
          truncateSync(path, synced + random(size() - synced + 1))
          spool = new FileSpool(path)
          const entries = await spool.open()
          assert.equal(spool.damaged, 0)
          const found = new Set(entries.map(({ n }) => n))
          for (const n of kept) assert(found.has(n), `number ${n} of run ${run}, seed ${seed}`)
          for (const { n, update: is } of entries) {
            assert.deepEqual(is, update(n))
            assert(kept.has(n) || unsure.has(n), `number ${n} was done: run ${run}, seed ${seed}`)
            kept.add(n)
          }
          synced = size()
          unsure = new Set()
        }
      }
    }
    await spool.close()
  }
})

test('a spool that cannot be rewritten, such as on a full disk, is used as it is, and leaves no half of another one there', async () => {
  const path = join(folder, 'full')
  const opened = async () => {
    const spool = new FileSpool(path)
    const entries = await spool.open()
    assert.equal(spool.damaged, 0)
    return { spool, numbers: entries.map(({ n }) => n) }
  }
  let { spool } = await opened()
  await spool.put([entry(1)])
  await spool.close()
  appendFileSync(path, '12345678 {"n":2,"upda')
  mkdirSync(`${path}.new/x`, { recursive: true })
  for (let n = 1; n <= 3; n++) {
    const { spool, numbers } = await opened()
    assert.equal(numbers.length, n)
    await spool.put([entry(n + 1)])
    await spool.close()
  }
  rmSync(`${path}.new`, { recursive: true })
  const again = await opened()
  assert.deepEqual(again.numbers, [1, 2, 3, 4])
  rmSync(path)
  mkdirSync(`${path}/x`, { recursive: true }) // nothing can be renamed to it
  again.spool.compactAt = 0
  await again.spool.put([entry(5)])
  assert(!existsSync(`${path}.new`))
  await again.spool.close()
})

test('a spool is rewritten when little of it is needed, and has one owner', async () => {
  const path = join(folder, 'big')
  const spool = new FileSpool(path)
  await spool.open()
  await assert.rejects(new FileSpool(path).open(), /another sender has the spool/)
  for (let n = 1; n <= 6000; n += 1000) {
    const numbers = Array.from({ length: 1000 }, (_, i) => n + i)
    await spool.put(numbers.map(entry))
    await spool.mark(numbers.slice(1), 'done')
  }
  assert(readFileSync(path).length < 1_500_000)
  await spool.close()
  const again = new FileSpool(path)
  assert.deepEqual((await again.open()).map(({ n }) => n), [1, 1001, 2001, 3001, 4001, 5001])
  await again.close()

  const raw = readFileSync(path)
  raw[20] ^= 1
  writeFileSync(path, raw)
  const damaged = new FileSpool(path)
  assert.equal((await damaged.open()).length, 5)
  assert.equal(damaged.damaged, 1)
  assert.deepEqual(readFileSync(`${path}.damaged`), raw)
  await damaged.close()
})

test('a spool has one sender, in TypeScript or Go', { skip: process.platform !== 'linux' }, async () => {
  const path = join(folder, 'shared')
  const spool = new FileSpool(path)
  const free = () => spawnSync('flock', ['-n', `${path}.lock`, 'true']).status === 0 // the lock as the Go package takes it
  await spool.open()
  assert(!free())
  await spool.close()
  assert(free())

  const other = spawn('flock', ['-n', `${path}.lock`, 'sh', '-c', 'echo has it; cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  await assert.rejects(spool.open(), /another sender has the spool/)
  other.stdin.end()
  await once(other, 'close')
  await spool.open()
  await spool.close()

  const program = `import { FileSpool } from ${JSON.stringify(new URL('../dist/node.js', import.meta.url).href)}
    await new FileSpool(${JSON.stringify(path)}).open()
    console.log('has it')
    process.stdin.resume()`
  const killed = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(killed.stdout, 'data')
  assert(!free())
  killed.kill('SIGKILL')
  await once(killed, 'close')
  assert(free(), 'the lock ends with its process')

  const given = process.env.PATH
  process.env.PATH = folder
  try {
    await assert.rejects(spool.open(), /needs the program flock/)
  } finally {
    process.env.PATH = given
  }
})

test('a sender that is killed sends the rest when it is started again', { timeout: 120_000 }, async () => {
  const stored = new Map()
  let requests = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (++requests % 7 === 0) return void response.writeHead(429, { 'Retry-After': '1' }).end('{"code":"rate_limited"}')
    const { updateId } = JSON.parse(text)
    stored.set(updateId, (stored.get(updateId) ?? 0) + 1)
    if (requests % 5 === 0) return void request.socket.destroy() // stored, but not answered
    response.end(JSON.stringify({ status: stored.get(updateId) > 1 ? 'duplicate' : 'accepted' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const program = `
    import { Client, Sender } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)}
    import { FileSpool } from ${JSON.stringify(new URL('../dist/node.js', import.meta.url).href)}
    const say = (text) => process.stdout.write(text + '\\n')
    const sender = await Sender.open(new Client('http://127.0.0.1:${server.address().port}', 'key'), {
      projectId: '0x${'02'.repeat(32)}', signing: { time: () => '0x' }, capacity: 20, spool: new FileSpool(${JSON.stringify(join(folder, 'killed'))}),
      report: ({ stage, update }) => say(stage + ' ' + update.updateId),
    })
    while (process.argv[1] === 'more') say('queued ' + (await sender.enqueue([{ actionName: 'win', scoreType: 's', targetWallet: '0x${'03'.repeat(20)}' }]))[0])
    await sender.close()`
  const said = { queued: new Set(), accepted: new Set() }
  const run = async (mode, lines) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, mode], { cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] })
    let rest = ''
    child.stdout.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n')
      rest = parts.pop()
      for (const part of parts) {
        const [word, id] = part.split(' ')
        said[word].add(id)
        if (--lines === 0) child.kill('SIGKILL')
      }
    })
    return once(child, 'close')
  }
  try {
    for (let i = 0; i < 2; i++) assert.deepEqual(await run('more', 60), [null, 'SIGKILL'])
    assert.deepEqual(await run('rest', 0), [0, null])
    assert(said.queued.size > 40)
    for (const id of said.queued) assert(stored.has(id), 'what enqueue took is sent')
    assert.deepEqual([...stored.keys()].sort(), [...said.accepted].sort(), 'each is told, and no other was sent')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
