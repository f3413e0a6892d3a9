import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { NamedUpdate } from './client.js'
import type { Spool, Spooled } from './spool.js'

const compactBytes = 1 << 20 // a spool is rewritten from this size on, if less than half of it is needed
const damagedCopies = 9 // of a damaged spool beside it at most

interface Line {
  n: number
  update?: NamedUpdate
  state?: 'accepted' | 'done'
}

/** A line of the file is the first eight hex digits of the SHA-256 of its JSON, and the JSON. */
function written(line: Line): string {
  const json = JSON.stringify(line)
  return `${sum(json)} ${json}\n`
}

function sum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, 8)
}

/** Reads a line; it has no number if it is damaged. */
function parseLine(line: string): Partial<Line> {
  const json = line.slice(9)
  try {
    return line.slice(0, 9) === `${sum(json)} ` ? JSON.parse(json) ?? {} : {}
  } catch {
    return {}
  }
}

/** Reads what is not done, by ascending numbers, and counts the lines that it cannot read, but for a torn one at the end. */
export function parseSpool(text: string): { entries: Spooled[]; damaged: number } {
  const live = new Map<number, Spooled>()
  let damaged = 0
  const lines = text.split('\n')
  lines.pop() // what is behind the last line is torn, of an update that was not promised to anyone
  for (const line of lines) {
    const { n, update, state } = parseLine(line)
    const known = live.get(n ?? 0)
    if (n === undefined) damaged++
    else if (state === 'done') live.delete(n) // as it is so far: a number that was done may come again
    else if (state === 'accepted' && known) known.accepted = true
    else if (update) live.set(n, { n, update, accepted: false })
  }
  const entries = [...live.values()].sort((a, b) => a.n - b.n)
  // An update that was queued again when its end was reported is there twice, if the process died before the first was done: the newer one counts.
  const newest = new Map(entries.map(({ n, update }) => [update.updateId, n]))
  return { entries: entries.filter(({ n, update }) => newest.get(update.updateId) === n), damaged }
}

/** Makes a file that is on the disk, or none. Throws EEXIST if there is one of the name. */
async function writeSynced(path: string, data: Buffer): Promise<FileHandle> {
  const file = await open(path, 'ax', 0o600)
  try {
    await file.appendFile(data)
    await file.sync()
    return file
  } catch (error) {
    await file.close()
    await rm(path, { force: true }) // on a full disk it may have taken the last room
    throw error
  }
}

/** Makes a file that is on the disk in place of that of its name, which stays if it cannot. */
async function replaceSynced(path: string, data: Buffer): Promise<FileHandle> {
  const next = `${path}.new`
  await rm(next, { force: true })
  const file = await writeSynced(next, data)
  try {
    await rename(next, path)
    return file
  } catch (error) {
    await file.close()
    await rm(next, { force: true })
    throw error
  }
}

const exlock = process.platform === 'win32' ? 0x10000000 : 0x20 // UV_FS_O_EXLOCK, which libuv has on macOS and Windows only

/**
 * Keeps a sender's updates in a file that is only appended to, the same as that of the Go package. What put resolves for is
 * synced, and survives kill -9 and a loss of power. One sender of one machine may have it, in
 * TypeScript or Go: that is held by a lock (flock) of a file beside it, .lock. On Linux the program flock takes it, which all but the smallest images have.
 */
export class FileSpool implements Spool {
  /** Lines that could not be read when it was opened; they are in a copy beside it, .damaged, .damaged-2 … .damaged-9. */
  damaged = 0
  private copied = true // what could not be read
  private readonly path: string
  private file: FileHandle | undefined
  private locked: FileHandle | undefined
  private size = 0
  private updates = 0 // about how many the file holds, with those that are done
  private compactAt = compactBytes
  private readonly live = new Map<number, Spooled>()
  private waiting: { lines: string; sync: boolean; resolve: () => void; reject: (error: unknown) => void }[] = []
  private draining: Promise<void> | undefined
  private broken: unknown

  constructor(path: string) {
    this.path = resolve(path)
  }

  async open(): Promise<Spooled[]> {
    await mkdir(dirname(this.path), { recursive: true })
    await this.lock()
    try {
      const raw = await readFile(this.path).catch((error) => {
        if (error.code !== 'ENOENT') throw error
        return Buffer.alloc(0)
      })
      const { entries, damaged } = parseSpool(raw.toString())
      this.damaged = damaged
      this.copied = damaged === 0
      for (const entry of entries) this.live.set(entry.n, { ...entry })
      this.updates = entries.length
      await this.compact().catch((error) => this.reuse(raw, error)) // such as a full disk: what there is is sent, which makes room
      return entries
    } catch (error) {
      await this.unlock()
      throw error
    }
  }

  async put(entries: Spooled[]): Promise<void> {
    for (const { n, update, accepted } of entries) this.live.set(n, { n, update, accepted })
    this.updates += entries.length
    try {
      await this.append(entries.map(({ n, update }) => written({ n, update })).join(''), true)
    } catch (error) {
      for (const { n } of entries) this.live.delete(n)
      throw error
    }
  }

  async mark(numbers: number[], state: 'accepted' | 'done'): Promise<void> {
    for (const n of numbers) {
      const entry = this.live.get(n)
      if (state === 'done') this.live.delete(n)
      else if (entry) entry.accepted = true
    }
    await this.append(numbers.map((n) => written({ n, state })).join(''), false)
  }

  async close(): Promise<void> {
    await this.draining
    this.broken ??= new Error('the spool is closed')
    await this.file?.close()
    await this.unlock()
  }

  /** Appends lines. Those that came during a write share the next, and its sync. */
  private append(lines: string, sync: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ lines, sync, resolve, reject })
      this.draining ??= this.drain()
    })
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const some = this.waiting
      this.waiting = []
      try {
        await this.write(Buffer.from(some.map(({ lines }) => lines).join('')), some.some(({ sync }) => sync))
        for (const { resolve } of some) resolve()
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
    }
    this.draining = undefined // before anything else appends
  }

  private async write(lines: Buffer, sync: boolean): Promise<void> {
    if (this.broken) throw this.broken
    const file = this.file!
    try {
      await file.appendFile(lines)
    } catch (error) {
      await file.truncate(this.size).catch((cut) => { this.broken = cut }) // half a line would spoil the next
      if (this.broken || 2 * this.live.size >= this.updates) throw error
      this.updates = this.live.size // else each call on a full disk would try it
      return this.compact().catch(() => { throw error }) // of what is live, which is what the lines tell
    }
    this.size += lines.length
    if (this.size >= this.compactAt) {
      await this.compact().catch(() => { this.compactAt = 2 * this.size }) // such as a full disk: what there is still does
      if (this.broken) throw this.broken
      if (this.file !== file) return
    }
    if (!sync) return
    await file.sync().catch((error) => {
      this.broken = error // the kernel may have dropped what it could not write
      throw error
    })
  }

  /** Replaces the file by one of what is not done. */
  private async compact(): Promise<void> {
    if (!this.copied) await this.copyDamaged()
    this.copied = true
    const lines = [...this.live.values()].sort((a, b) => a.n - b.n).map(({ n, update, accepted }) =>
      written({ n, update }) + (accepted ? written({ n, state: 'accepted' }) : ''))
    const data = Buffer.from(lines.join(''))
    const file = await replaceSynced(this.path, data)
    const old = this.file
    this.file = file
    this.size = data.length
    this.updates = lines.length
    this.compactAt = Math.max(compactBytes, 2 * this.size)
    await old?.close()
    await this.syncDirectory()
  }

  /** Keeps the file beside the spool before it is rewritten without what cannot be read. Copies of earlier damages stay, but for the ninth. */
  private async copyDamaged(): Promise<void> {
    const raw = await readFile(this.path)
    for (let i = 1; ; i++) {
      const path = `${this.path}.damaged${i > 1 ? `-${i}` : ''}`
      const kept = await readFile(path).catch(() => undefined)
      if (kept?.equals(raw)) return // the process died before it rewrote the spool
      try {
        return await (await (i < damagedCopies ? writeSynced : replaceSynced)(path, raw)).close()
      } catch (error) {
        if (i === damagedCopies || (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  }

  /** Continues the file that was read, without what is torn at its end. */
  private async reuse(raw: Buffer, why: unknown): Promise<void> {
    if (this.file || raw.length === 0) throw why
    const file = await open(this.path, 'a', 0o600)
    this.size = raw.lastIndexOf('\n') + 1
    try {
      await file.truncate(this.size)
      await file.sync()
    } catch {
      await file.close()
      throw why
    }
    this.file = file
    this.compactAt = Math.max(compactBytes, 2 * this.size)
  }

  /** Makes the rename last: after a crash the directory may else name the old file. Windows has no such call. */
  private async syncDirectory(): Promise<void> {
    if (process.platform === 'win32') return
    const directory = await open(dirname(this.path), 'r')
    try {
      await directory.sync()
    } catch (error) {
      this.broken = error
      throw error
    } finally {
      await directory.close()
    }
  }

  /** Takes the lock that the Go package takes: it ends with the process, however that ends. */
  private async lock(): Promise<void> {
    const { O_CREAT, O_NONBLOCK, O_RDWR } = constants
    const path = `${this.path}.lock`
    const taken = new Error(`another sender has the spool ${this.path}`)
    if (process.platform !== 'linux') {
      this.locked = await open(path, O_CREAT | O_RDWR | O_NONBLOCK | exlock, 0o600).catch((error) => {
        throw ['EAGAIN', 'EWOULDBLOCK', 'EBUSY'].includes(error.code) ? taken : error
      })
      return
    }
    this.locked = await open(path, O_CREAT | O_RDWR, 0o600)
    // Node has no call for it, but the lock is of the open file, which is still ours when the program that took it has ended.
    const { error, status } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', this.locked.fd] })
    if (status === 0) return
    await this.unlock()
    throw status === 1 ? taken : new Error('the spool needs the program flock, of util-linux or busybox', { cause: error })
  }

  private async unlock(): Promise<void> {
    await this.locked?.close()
    this.locked = undefined
  }
}
