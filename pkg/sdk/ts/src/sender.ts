import { actionIndex, type Client, maxLookUp, type NamedUpdate, type Project, scoreTypeIndex, type UpdateStatus } from './client.js'
import { tellsOf } from './answers.js'
import { ApiError, pause } from './errors.js'
import { checkDomain, type SigningDomain, type SignTypedData, signingDomain } from './domain.js'
import { buildGroups, type Group, maxSigned, signGroup, type Update } from './groups.js'
import { type Hex, Minter } from './ids.js'
import { maxAsked, Pace, refuses } from './pace.js'
import { type NewUpdate, type Report, SenderFullError, type SenderOptions, SpoolError } from './reports.js'
import type { Spooled } from './spool.js'

interface Held extends Spooled {
  stored: boolean // enqueue resolved, or is about to
  since: number // time of its queueing, acceptance or last look-up
}

const roundLookUps = 16 // per second, so that other callers of the key keep some of its quota
const lostAfter = 60_000 // ms until an accepted update that the API does not know is sent again
const projectAge = 60_000 // ms until names are resolved again, since an owner may have edited the project

/**
 * Sends updates in the background. It queues them, mints their ids, and retries each under the same id until the API
 * accepts or refuses it. It keeps no order: scores are sums.
 *
 * A refusal is a 4xx response of the API itself that concerns the update. Problems of the sender (its API key, its
 * clock, a proxy's page) are retried until they are fixed, since the update is valid. state contains them.
 */
export class Sender {
  private readonly minter = new Minter()
  private readonly held = new Map<string, Held>()
  private readonly pace = new Pace()
  private readonly projectId: string
  private readonly domain: SigningDomain | undefined
  private readonly options: SenderOptions & { linger: number; capacity: number; requests: number }
  private queue: Held[] = [] // unsent, and waiting for a request
  private followed: Held[] = [] // accepted, and waiting for a look-up; the least recently polled first
  private open = 0 // followed, in look-ups, or with a final outcome being reported
  private unsent = 0 // queued, in requests, or with an acceptance or refusal being reported
  private last = 0 // number of the newest held
  private followError: unknown
  private flushes = 0 // in progress; disables linger
  private closed = false
  private readonly end = new AbortController()
  private reported: Promise<void> = Promise.resolve()
  private project: { seen: number; is: Project } | undefined
  private wake: () => void = () => {}
  private changed: Promise<void> = Promise.resolve()

  private constructor(private readonly client: Client, options: SenderOptions) {
    const { linger = 1000, capacity = 100_000, requests = 8 } = options
    this.options = { ...options, linger, capacity, requests }
    if (!(linger >= 0 && capacity >= 1 && requests >= 1)) throw new RangeError('a sender needs a linger of 0 or more, a capacity and requests of 1 or more')
    this.projectId = options.projectId.toLowerCase()
    this.domain = 'domain' in options.signing ? signingDomain(options.signing.domain) : undefined
    this.change()
  }

  /**
   * Starts a sender, first with the updates that an earlier one left in the spool. Throws a DomainError for an
   * invalid domain, a RangeError for an invalid number in its options, and the spool's errors.
   */
  static async open(client: Client, options: SenderOptions): Promise<Sender> {
    const sender = new Sender(client, options)
    await sender.restore()
    for (let i = 0; i < sender.options.requests; i++) void sender.work()
    if (options.follow) void sender.follow()
    return sender
  }

  private async restore(): Promise<void> {
    const { spool, follow } = this.options
    const entries = (await spool?.open()) ?? []
    const other = entries.find(({ update }) => update.projectId !== this.projectId)
    if (other) {
      await spool?.close()
      throw new RangeError(`the spool holds updates of the project ${other.update.projectId}`)
    }
    for (const entry of entries) {
      this.last = Math.max(this.last, entry.n)
      if (entry.accepted && !follow) {
        await this.mark([entry.n], 'done')
        continue
      }
      const held = { ...entry, stored: true, since: performance.now() }
      this.held.set(held.update.updateId, held)
      if (held.accepted) this.open = this.followed.push(held)
      else this.unsent = this.queue.push(held)
    }
  }

  /**
   * Queues all of the updates or none, and waits for room until the signal aborts; then it throws the signal's
   * reason. With a spool they survive a crash once it resolves with the ids in order. It skips an update if the
   * sender holds its id already. A crash during enqueue leaves it unknown whether the spool contains the updates. A
   * caller that queues them again must choose the ids itself and store them with its own data.
   */
  async enqueue(updates: NewUpdate[], signal?: AbortSignal): Promise<Hex[]> {
    return this.take(updates, true, signal)
  }

  /** Is enqueue, except that it throws a SenderFullError instead of waiting for room. */
  async tryEnqueue(updates: NewUpdate[]): Promise<Hex[]> {
    return this.take(updates, false)
  }

  private async take(given: NewUpdate[], wait: boolean, signal?: AbortSignal): Promise<Hex[]> {
    const updates = given.map((update) => this.named(update))
    if (updates.length > this.options.capacity) throw new SenderFullError(`${updates.length} updates; the sender holds up to ${this.options.capacity}`)
    let fresh = this.admit(updates)
    for (; !Array.isArray(fresh); fresh = this.admit(updates)) {
      if (fresh === 'full' && !wait) throw new SenderFullError('the sender holds as many updates as it may')
      signal?.throwIfAborted()
      await this.awake(signal)
    }
    try {
      if (fresh.length > 0) await this.options.spool?.put(fresh.map(({ n, update, accepted }) => ({ n, update, accepted })))
    } catch (cause) {
      for (const { update } of fresh) this.held.delete(update.updateId)
      this.unsent -= fresh.length
      this.change()
      throw new SpoolError(updates, { cause })
    }
    for (const held of fresh) {
      held.stored = true
      this.queue.push(held)
    }
    this.change()
    return updates.map(({ updateId }) => updateId as Hex)
  }

  private named({ updateId, projectId, actionName, scoreType, targetWallet }: NewUpdate): NamedUpdate {
    if ((projectId ?? this.projectId).toLowerCase() !== this.projectId) throw new RangeError(`the sender's project is ${this.projectId}, not ${projectId}`)
    if (!/^0x[0-9a-fA-F]{40}$/.test(targetWallet) || /^0x0*$/.test(targetWallet)) throw new RangeError(`${targetWallet} is no targetWallet`)
    const id = updateId?.toLowerCase() ?? this.minter.next()
    if (!/^0x[0-9a-f]{64}$/.test(id)) throw new RangeError(`${id} is no updateId`)
    return { updateId: id, projectId: this.projectId, actionName, scoreType, targetWallet: targetWallet.toLowerCase() }
  }

  /**
   * Adds the new ones of the updates if there is room for all. storing: another call is writing one of them to the
   * spool.
   */
  private admit(updates: NamedUpdate[]): Held[] | 'full' | 'storing' {
    if (this.closed) throw new Error('the sender is closed')
    const fresh = new Map<string, Held>()
    for (const update of updates) {
      const known = this.held.get(update.updateId) ?? fresh.get(update.updateId)
      if (!known) {
        fresh.set(update.updateId, { n: this.last + fresh.size + 1, update, accepted: false, stored: false, since: performance.now() })
        continue
      }
      const { actionName, scoreType, targetWallet } = known.update
      if (actionName !== update.actionName || scoreType !== update.scoreType || targetWallet !== update.targetWallet) throw new RangeError(`another update has the id ${update.updateId}`)
      if (!known.stored && !fresh.has(update.updateId)) return 'storing'
    }
    if (this.held.size + fresh.size > this.options.capacity) return 'full'
    for (const [id, held] of fresh) this.held.set(id, held)
    this.last += fresh.size
    this.unsent += fresh.size
    return [...fresh.values()]
  }

  /**
   * Waits until each queued update was accepted or refused, and reported; linger is off meanwhile. If the signal
   * aborts or the sender ends first, it resolves with the unsent updates, oldest first; otherwise with none.
   */
  async flush(signal?: AbortSignal): Promise<NamedUpdate[]> {
    this.flushes++
    this.change()
    while (this.unsent > 0 && !signal?.aborted && !this.ended) await this.awake(signal)
    this.flushes--
    return this.unsentUpdates()
  }

  /**
   * Stops accepting updates, flushes, and ends the sender, and with it follow. It resolves with the unsent updates.
   * They are in the spool, or can be queued in another sender under their ids. Requests in progress may have reached
   * the API.
   */
  async close(signal?: AbortSignal): Promise<NamedUpdate[]> {
    if (this.closed) throw new Error('the sender is closed')
    this.closed = true
    await this.flush(signal)
    this.end.abort()
    this.change()
    await this.options.spool?.close()
    return this.unsentUpdates()
  }

  private unsentUpdates(): NamedUpdate[] {
    const unsent = [...this.held.values()].filter(({ accepted }) => !accepted)
    return unsent.sort((a, b) => a.n - b.n).map(({ update }) => update)
  }

  /**
   * The backlog and errors of the sender. error is that of the last attempt to send or sign an update, absent after a
   * success.
   */
  get state(): { unsent: number; followed: number; error?: unknown; followError?: unknown } {
    const { pace: { error }, followError } = this
    return { unsent: this.unsent, followed: this.open, ...(error === undefined ? {} : { error }), ...(followError === undefined ? {} : { followError }) }
  }

  private change(): void {
    this.wake()
    this.changed = new Promise((resolve) => { this.wake = resolve })
  }

  /** Waits for a change, for ms milliseconds, or until the signal aborts. */
  private async awake(signal?: AbortSignal, ms?: number): Promise<void> {
    const over = new AbortController()
    const waits = [this.changed]
    if (ms !== undefined) waits.push(pause(ms, over.signal))
    if (signal) waits.push(new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal })))
    await Promise.race(waits)
    over.abort()
  }

  private get ended(): boolean {
    return this.end.signal.aborted
  }

  private async work(): Promise<void> {
    while (!this.ended) {
      const [n, wait] = this.due()
      if (n === 0) {
        await this.awake(undefined, wait)
        continue
      }
      this.pace.requests++
      await this.send(this.queue.splice(0, n))
      this.pace.requests--
      this.change()
    }
  }

  /**
   * Returns the number of updates in the next request. If it is 0, wait is the time to check again, unless something
   * changes.
   */
  private due(): [n: number, wait?: number] {
    const first = this.queue[0]
    if (!first || this.pace.single) return [0]
    if (this.pace.wait > 0) return [0, this.pace.wait]
    if (!('groups' in this.options.signing)) return [1]
    const lingers = first.since + this.options.linger - performance.now()
    if (this.queue.length < maxSigned && this.flushes === 0 && lingers > 0) return [0, lingers]
    return [Math.min(this.queue.length, maxSigned)]
  }

  /**
   * Sends updates once. Without a result they go to the end of the queue, so that others overtake one that always
   * fails.
   */
  private async send(part: Held[]): Promise<void> {
    const { signing } = this.options
    if ('groups' in signing) return this.sendGroups(part, signing.groups)
    const [{ update }] = part as [Held]
    await this.answered(part, 'time' in signing
      ? this.client.updateScore(update, signing.time)
      : this.client.updateScore(update, signing.whole, { scheme: 'eip712', domain: signing.domain }))
  }

  /**
   * Sends updates in signed groups. If the API refuses a group for its content, it bisects the group to find the bad
   * update.
   */
  private async sendGroups(part: Held[], sign: SignTypedData): Promise<void> {
    let groups: Group[]
    try {
      groups = buildGroups(this.projectId as Hex, await this.resolve(part))
    } catch (error) {
      return this.answered(part.filter((held) => this.held.get(held.update.updateId) === held), Promise.reject(error))
    }
    for (const group of groups) {
      const some = group.updates.map(({ updateId }) => this.held.get(updateId)!)
      const request = signGroup(group, this.domain!, sign).then((signed) => this.client.updateScores(signed)).then((answer) => tellsOf(some.length, answer))
      const error = await request.then(() => undefined, (reason: unknown) => reason)
      if (some.length > 1 && refuses(error) && (error.status === 400 || error.status === 413)) {
        await this.sendGroups(some.slice(0, some.length / 2), sign)
        await this.sendGroups(some.slice(some.length / 2), sign)
      } else {
        await this.answered(some, request)
      }
    }
  }

  /** Replaces the updates' names by indexes. It refuses updates with unknown names, with the API's error code. */
  private async resolve(part: Held[]): Promise<Update[]> {
    const known = (project: Project, { update }: Held): boolean =>
      project.inputActions.some(({ name }) => name === update.actionName) && project.scoreTypes.includes(update.scoreType)
    let project = this.project && performance.now() - this.project.seen < projectAge ? this.project.is : undefined
    if (!project || !part.every((held) => known(project!, held))) {
      project = await this.client.project(this.projectId)
      checkDomain(project.signing, this.domain)
      this.project = { seen: performance.now(), is: project }
    }
    const updates: Update[] = []
    for (const held of part) {
      const { updateId, actionName, scoreType, targetWallet } = held.update
      if (known(project, held)) {
        updates.push({ updateId: updateId as Hex, targetWallet: targetWallet as Hex, action: actionIndex(project, actionName), scoreType: scoreTypeIndex(project, scoreType) })
        continue
      }
      const code = project.scoreTypes.includes(scoreType) ? 'unknown_action' : 'unknown_score_type'
      await this.answered([held], Promise.reject(new ApiError(`the project has no action ${actionName} or no score type ${scoreType}`, 400, code, 0)))
    }
    return updates
  }

  /** Settles updates after a response, or queues them again. */
  private async answered(part: Held[], request: Promise<unknown>): Promise<void> {
    let refused: ApiError | undefined
    try {
      await request
    } catch (error) {
      if (!refuses(error)) {
        this.pace.failed(error)
        this.queue.push(...part)
        return
      }
      refused = error
    }
    // The spool is closed; another request for the update has no effect.
    if (this.ended) return
    this.pace.succeeded()
    await this.settle(part, ({ update }) => (refused ? { stage: 'refused', update, error: refused } : { stage: 'accepted', update }))
  }

  /**
   * Records and reports the outcome of updates. Each is reported at least once, since the spool is marked last. An
   * update that ends is released before its report, so that the callback may queue it again.
   */
  private async settle(part: Held[], report: (held: Held) => Report): Promise<void> {
    const { stage } = report(part[0]!)
    const ends = stage !== 'accepted' || !this.options.follow
    for (const held of part) {
      held.accepted = stage !== 'refused'
      if (ends) this.held.delete(held.update.updateId)
    }
    this.change()
    await this.tell(part.map(report))
    await this.mark(part.map(({ n }) => n), ends ? 'done' : 'accepted')
    if (stage === 'final') this.open -= part.length
    else this.unsent -= part.length
    if (!ends) {
      this.open += part.length
      for (const held of part) held.since = performance.now()
      this.followed.push(...part)
    }
    this.change()
  }

  private async tell(reports: Report[]): Promise<void> {
    const { report } = this.options
    if (!report) return
    this.reported = this.reported.then(async () => {
      for (const one of reports) {
        try {
          await report(one)
        } catch (error) {
          queueMicrotask(() => { throw error }) // the caller's error; the sender continues
        }
      }
    })
    await this.reported
  }

  /** Marks updates in the spool. After a failure they are sent again after a restart. */
  private async mark(numbers: number[], state: 'accepted' | 'done'): Promise<void> {
    await this.options.spool?.mark(numbers, state).catch(() => {})
  }

  /** Polls the status of the accepted updates once a second, until the sender ends. */
  private async follow(): Promise<void> {
    while (!this.ended) {
      while (this.followed.length === 0 && !this.ended) await this.awake()
      await pause(1000, this.end.signal)
      const round = Math.min(Math.ceil(this.followed.length / maxLookUp), roundLookUps)
      for (let i = 0; i < round && !this.ended; i++) {
        try {
          await this.lookUp()
          this.followError = undefined
        } catch (error) {
          this.followError = error
          await pause(Math.min((error instanceof ApiError ? error.retryAfter : 0) * 1000, maxAsked), this.end.signal)
          break
        }
      }
    }
  }

  /**
   * Polls the updates that were polled longest ago and settles the final ones. If the API has not known an update for
   * a minute after accepting it, its NATS lost the update: it is queued again under its id.
   */
  private async lookUp(): Promise<void> {
    const some = this.followed.splice(0, maxLookUp)
    const statuses = await this.client.updates(this.projectId, some.map(({ update }) => update.updateId)).catch((error) => {
      this.followed.push(...some)
      throw error
    })
    if (this.ended) return
    for (const [i, held] of some.entries()) {
      const status = statuses[i]
      if (status?.status === 'final') {
        await this.settle([held], ({ update }) => ({ stage: 'final', update, status: status as UpdateStatus }))
      } else if (status && (status.status !== 'unknown' || performance.now() - held.since < lostAfter)) {
        if (status.status !== 'unknown') held.since = performance.now()
        this.followed.push(held)
      } else {
        held.accepted = false
        held.since = performance.now()
        this.queue.push(held)
        this.open--
        this.unsent++
      }
    }
    this.change()
  }
}
