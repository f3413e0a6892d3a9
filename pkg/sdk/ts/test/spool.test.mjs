// The spool on disk: what it keeps over crashes of any kind, and a sender that is killed with one.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FileSpool, parseSpool } from '../dist/node.js'

const folder = mkdtempSync(join(tmpdir(), 'scorelay-spool-'))
after(() => rmSync(folder, { recursive: true }))

const update = (n) => ({ updateId: `0x${n.toString(16).padStart(64, '0')}`, projectId: `0x${'02'.repeat(32)}`, actionName: 'win ü', scoreType: 's', targetWallet: `0x${'03'.repeat(20)}` })
const sum = (json) => createHash('sha256').update(json).digest('hex').slice(0, 8)
const line = (one) => `${sum(JSON.stringify(one))} ${JSON.stringify(one)}\n`
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

const damage = (n) => `damaged\n${line({ n, state: 'done' })}`
const copies = (path) => Array.from({ length: 9 }, (_, i) => `${path}.damaged${i > 0 ? `-${i + 1}` : ''}`)

test('copies of damaged spools stay, up to nine, of which the last gives way', async () => {
  const path = join(folder, 'damaged')
  for (const n of [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
    writeFileSync(path, damage(n))
    for (const lines of [1, 0]) {
      const spool = new FileSpool(path)
      await spool.open()
      assert.equal(spool.damaged, lines)
      await spool.close()
    }
  }
  assert.deepEqual(copies(path).map((name) => readFileSync(name, 'utf8')), [1, 2, 3, 4, 5, 6, 7, 8, 12].map(damage))
  assert.equal(readdirSync(folder).filter((name) => name.startsWith('damaged.damaged')).length, 9)
})

test('the ninth copy of a damaged spool stays where the new one has no room', { skip: process.platform === 'win32' }, async () => {
  const path = join(folder, 'ninth')
  const program = `import { FileSpool } from ${JSON.stringify(new URL('../dist/node.js', import.meta.url).href)}
    const spool = new FileSpool(${JSON.stringify(path)})
    await spool.open()
    await spool.close()`
  const earlier = copies(path).map((name, i) => (writeFileSync(name, damage(i + 1)), damage(i + 1)))
  const kept = () => copies(path).map((name) => readFileSync(name, 'utf8'))
  const raw = damage(10) + line({ n: 1, update: update(1) }).repeat(40)
  writeFileSync(path, raw)
  const { status, stderr } = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"', process.execPath, program], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.equal(readFileSync(path, 'utf8'), raw)
  assert.deepEqual(kept(), earlier)
  assert(!existsSync(`${path}.damaged-9.new`))
  writeFileSync(`${path}.damaged-9.new`, 'of one that died in it')
  const spool = new FileSpool(path)
  await spool.open()
  await spool.close()
  assert.deepEqual(kept(), [...earlier.slice(0, 8), raw])
  assert(!existsSync(`${path}.damaged-9.new`))
})

test('a damaged spool that cannot be copied, such as on a full disk, is used as it is, and copied before it is rewritten', async () => {
  const path = join(folder, 'uncopied')
  const raw = `damaged\n${line({ n: 1, update: update(1) })}`
  writeFileSync(path, raw)
  for (const name of copies(path)) mkdirSync(`${name}/x`, { recursive: true })
  const spool = new FileSpool(path)
  assert.deepEqual((await spool.open()).map(({ n }) => n), [1])
  spool.compactAt = 0
  await spool.put([entry(2)])
  const whole = readFileSync(path, 'utf8')
  assert(whole.startsWith(raw))
  rmSync(`${path}.damaged`, { recursive: true })
  spool.compactAt = 0
  await spool.put([entry(3)])
  assert(readFileSync(`${path}.damaged`, 'utf8').startsWith(whole))
  assert(!readFileSync(path, 'utf8').includes('damaged'))
  await spool.close()
})

test('a line that is not JSON is damaged, with the right sum too', () => {
  const odd = ['', 'null', '{', '[]'].map((json) => `${sum(json)} ${json}\n`).join('')
  assert.deepEqual(parseSpool(odd + line({ n: 1, update: update(1) })), { entries: [entry(1)], damaged: 4 })
})

test('a number that was done may come again in a spool that cannot be rewritten', async () => {
  const path = join(folder, 'again')
  const opened = async () => {
    const spool = new FileSpool(path)
    return { spool, entries: await spool.open() }
  }
  const { spool } = await opened()
  await spool.put([entry(1)])
  await spool.mark([1], 'done')
  await spool.close()
  mkdirSync(`${path}.new/x`, { recursive: true })
  const second = await opened()
  assert.deepEqual(second.entries, [])
  const next = { ...entry(1), update: update(2) }
  await second.spool.put([next])
  await second.spool.close()
  const third = await opened()
  assert.deepEqual(third.entries, [next])
  await third.spool.close()
})

test('a spool that cannot grow makes room of what is done', { skip: process.platform === 'win32' }, () => {
  const program = `import { FileSpool } from ${JSON.stringify(new URL('../dist/node.js', import.meta.url).href)}
    import assert from 'node:assert/strict'
    const entry = (n) => ({ n, update: { ...${JSON.stringify(update(0))}, updateId: '0x' + n.toString(16).padStart(64, '0') }, accepted: false })
    const path = ${JSON.stringify(join(folder, 'small'))}
    const spool = new FileSpool(path)
    await spool.open()
    let n = 0
    while (await spool.put([entry(++n)]).then(() => true, () => false));
    assert(n > 5)
    await assert.rejects(spool.put([entry(++n)]))
    for (let i = 1; i < n - 1; i++) await spool.mark([i], 'done').catch(() => {})
    await spool.put([entry(++n)])
    await spool.close()
    assert.deepEqual(await new FileSpool(path).open(), [entry(n)])`
  const { status, stderr } = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$0" --input-type=module -e "$1"', process.execPath, program], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('each call of a spool that is broken ends, however close they come', { timeout: 60_000 }, async () => {
  const spool = new FileSpool(join(folder, 'broken'))
  await spool.open()
  await spool.close()
  for (let apart = 0; apart < 30; apart++) {
    const first = assert.rejects(spool.mark([1], 'done'))
    for (let i = 0; i < apart; i++) await null
    await assert.rejects(spool.mark([1], 'done'))
    await first
  }
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
    if (++requests % 7 === 0) return void response.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/problem+json' }).end('{"code":"rate_limited"}')
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
