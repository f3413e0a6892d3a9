import type { NamedUpdate, SignMessage, UpdateStatus } from './client.js'
import type { ApiError } from './errors.js'
import type { Domain, SignTypedData } from './domain.js'
import type { Spool } from './spool.js'

/** How a sender has updates signed: each at the time of sending, each as a whole, or many in a group, under the domain of the backend's own configuration. */
export type Signing = { time: SignMessage } | { whole: SignTypedData; domain: Domain } | { groups: SignTypedData; domain: Domain }

export interface SenderOptions {
  projectId: string
  /** With the wallet of an owner or updater of the project. */
  signing: Signing
  /** How long an update waits until a group is full, ms; 1,000 unless given. */
  linger?: number
  /** How many updates it holds at most, those that it follows among them; 100,000 unless given. */
  capacity?: number
  /** How many requests are in progress at once; 8 unless given. */
  requests?: number
  /** Keeps what is not sent over a restart; without it is in memory only. */
  spool?: Spool
  /** Looks until each update is final, which counts against the key's quota of look-ups. */
  follow?: boolean
  /**
   * Is told what became of each update, one at a time. It may call tryEnqueue, but must not wait for the sender. With a
   * spool a report may come again after a crash.
   */
  report?: (report: Report) => void | Promise<void>
}

/**
 * What became of an update. accepted: stored by the API, which now carries it to the chain; of an id that was sent before, too.
 * final: its outcome stands, with SenderOptions.follow. refused: by the API, for good.
 */
export type Report =
  | { stage: 'accepted'; update: NamedUpdate }
  | { stage: 'final'; update: NamedUpdate; status: UpdateStatus }
  | { stage: 'refused'; update: NamedUpdate; error: ApiError }

/** An update to be queued; without an updateId it gets the next of the sender's minter. */
export type NewUpdate = Omit<NamedUpdate, 'updateId' | 'projectId'> & { updateId?: string; projectId?: string }

/** Says that a sender holds as many updates as it may. */
export class SenderFullError extends Error {
  override readonly name = 'SenderFullError'
}

/** Says that updates may be in the spool or not. Queue these again, under the ids they have here. */
export class SpoolError extends Error {
  override readonly name = 'SpoolError'

  constructor(readonly updates: NamedUpdate[], options: ErrorOptions) {
    super('the spool could not be written', options)
  }
}
