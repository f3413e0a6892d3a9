import type { NamedUpdate, SignMessage, UpdateStatus } from './client.js'
import type { ApiError } from './errors.js'
import type { Domain, SignTypedData } from './domain.js'
import type { Spool } from './spool.js'

/**
 * How a sender has updates signed: time (the time of sending), whole (each update), or groups (many at once). The
 * domain is of the backend's own configuration.
 */
export type Signing = { time: SignMessage } | { whole: SignTypedData; domain: Domain } | { groups: SignTypedData; domain: Domain }

export interface SenderOptions {
  projectId: string
  /** With the wallet of an owner or updater of the project. */
  signing: Signing
  /** Maximum wait until a group is full, ms; default 1,000. */
  linger?: number
  /** Maximum number of updates held, followed ones included; default 100,000. */
  capacity?: number
  /** Concurrent requests; default 8. */
  requests?: number
  /** Preserves unsent updates across restarts; without it they are in memory only. */
  spool?: Spool
  /** Polls each update until it is final; this uses the key's quota of look-ups. */
  follow?: boolean
  /**
   * Called with each update's result, sequentially. It may call tryEnqueue, but must not wait for the sender. With a
   * spool a report may repeat after a crash.
   */
  report?: (report: Report) => void | Promise<void>
}

/**
 * The result of an update. accepted: stored by the API, now or under this id before. final: the outcome is final,
 * with SenderOptions.follow. refused: by the API, permanently.
 */
export type Report =
  | { stage: 'accepted'; update: NamedUpdate }
  | { stage: 'final'; update: NamedUpdate; status: UpdateStatus }
  | { stage: 'refused'; update: NamedUpdate; error: ApiError }

/** An update to queue. A missing updateId is set by the sender's minter. */
export type NewUpdate = Omit<NamedUpdate, 'updateId' | 'projectId'> & { updateId?: string; projectId?: string }

/** Reports that a sender is at its capacity. */
export class SenderFullError extends Error {
  override readonly name = 'SenderFullError'
}

/** Reports that the spool may contain updates. Queue them again under the ids in updates. */
export class SpoolError extends Error {
  override readonly name = 'SpoolError'

  constructor(readonly updates: NamedUpdate[], options: ErrorOptions) {
    super('the spool could not be written', options)
  }
}
