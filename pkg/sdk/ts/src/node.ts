import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { NamedUpdate } from './client.js'
import type { Spool, Spooled } from './spool.js'

// Spool size from which an append compacts it; afterwards twice the compacted size, if larger.
const compactBytes = 1 << 20
const damagedCopies = 9 // maximum number of copies of damaged spools

interface Line {
  n: number
  update?: NamedUpdate
  state?: 'accepted' | 'done'
}

/** Encodes a line: the first eight hex digits of the SHA-256 of its JSON, and the JSON. */
function written(line: Line): string {
  const json = JSON.stringify(line)
  return `${sum(json)} ${json}\n`
}

function sum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, 8)
}

/** Decodes a line; n is missing if it is damaged. */
function parseLine(line: string): Partial<Line> {
  const json = line.slice(9)
  try {
    return line.slice(0, 9) === `${sum(json)} ` ? JSON.parse(json) ?? {} : {}
  } catch {
    return {}
  }
}

/**
 * Returns the updates that are not done in the order of their numbers. It counts unreadable lines, except for a torn
 * one at the end.
 */
export function parseSpool(text: string): { entries: Spooled[]; damaged: number } {
  const live = new Map<number, Spooled>()
  let damaged = 0
  const lines = text.split('\n')
  lines.pop() // a torn line, of an update whose put has not resolved
  for (const line of lines) {
    const { n, update, state } = parseLine(line)
    const known = live.get(n ?? 0)
    if (n === undefined) damaged++
    else if (state === 'done') live.delete(n) // a later line may reuse the number of a done update
    else if (state === 'accepted' && known) known.accepted = true
    else if (update) live.set(n, { n, update, accepted: false })
  }
  const entries = [...live.values()].sort((a, b) => a.n - b.n)
  // An id occurs twice if the update was queued again at its last report and the process died before the first was
  // done. The newer one counts.
  const newest = new Map(entries.map(({ n, update }) => [update.updateId, n]))
  return { entries: entries.filter(({ n, update }) => newest.get(update.updateId) === n), damaged }
}

/** Creates a synced file, or none. Throws EEXIST if the name exists. */
async function writeSynced(path: string, data: Buffer): Promise<FileHandle> {
  const file = await open(path, 'ax', 0o600)
  try {
    await file.appendFile(data)
    await file.sync()
    return file
  } catch (error) {
    await file.close()
    await rm(path, { force: true }) // frees the space, since the disk may be full
    throw error
  }
}

/** Atomically replaces a file by a synced one. If it fails, the old file stays. */
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

// UV_FS_O_EXLOCK, which libuv supports only on macOS and Windows.
const exlock = process.platform === 'win32' ? 0x10000000 : 0x20

/**
 * A spool in an append-only file, in the same format as the Go package's. Updates are synced when put resolves, and
 * survive kill -9 and power loss. One sender per machine, in TypeScript or Go, may open it: it holds a lock (flock)
 * on the file .lock beside it. On Linux the program flock takes the lock; all but the smallest images contain it.
 */
export class FileSpool implements Spool {
  /** Unreadable lines when it was opened; kept in a copy beside it: .damaged, .damaged-2 … .damaged-9. */
  damaged = 0
  private copied = true // the damaged file was copied, or is undamaged
  private readonly path: string
  private file: FileHandle | undefined
  private locked: FileHandle | undefined
  private size = 0
  private updates = 0 // approximate number in the file, done ones included
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
      // Such as a full disk: sending the existing updates makes room.
      await this.compact().catch((error) => this.reuse(raw, error))
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

  /** Appends lines. Lines that arrive during a write share the next write and sync. */
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
    this.draining = undefined // before the next append
  }

  private async write(lines: Buffer, sync: boolean): Promise<void> {
    if (this.broken) throw this.broken
    const file = this.file!
    try {
      await file.appendFile(lines)
    } catch (error) {
      // A partial line would corrupt the next one.
      await file.truncate(this.size).catch((cut) => { this.broken = cut })
      if (this.broken || 2 * this.live.size >= this.updates) throw error
      this.updates = this.live.size // otherwise each call on a full disk would retry it
      // The live updates include those of the lines.
      return this.compact().catch(() => { throw error })
    }
    this.size += lines.length
    if (this.size >= this.compactAt) {
      // Such as a full disk: the file is still usable.
      await this.compact().catch(() => { this.compactAt = 2 * this.size })
      if (this.broken) throw this.broken
      if (this.file !== file) return
    }
    if (!sync) return
    await file.sync().catch((error) => {
      this.broken = error // the kernel may have dropped the dirty pages
      throw error
    })
  }

  /** Rewrites the file with the updates that are not done. */
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

  /**
   * Copies a damaged file before compact drops its unreadable lines. Earlier copies stay, except that the last
   * (damagedCopies) is overwritten.
   */
  private async copyDamaged(): Promise<void> {
    const raw = await readFile(this.path)
    for (let i = 1; ; i++) {
      const path = `${this.path}.damaged${i > 1 ? `-${i}` : ''}`
      const kept = await readFile(path).catch(() => undefined)
      if (kept?.equals(raw)) return // the process died before it compacted the spool
      try {
        return await (await (i < damagedCopies ? writeSynced : replaceSynced)(path, raw)).close()
      } catch (error) {
        if (i === damagedCopies || (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
  }

  /** Continues the existing file, minus a torn end. */
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

  /**
   * Makes the rename durable: otherwise the directory may name the old file after a crash. Windows has no such call.
   */
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

  /** Takes the same lock as the Go package. The system releases it when the process ends. */
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
    // Node has no flock call. The lock belongs to the open file, which stays open here after the program flock has
    // exited.
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
