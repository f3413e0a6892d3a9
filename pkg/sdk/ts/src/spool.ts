import type { NamedUpdate } from './client.js'

/** An update in a spool, under the number that its sender assigned. */
export interface Spooled {
  n: number
  update: NamedUpdate
  accepted: boolean
}

/**
 * Preserves a sender's unsent updates across restarts. FileSpool of @scorelay/sdk/node is one; in a browser implement
 * it with IndexedDB or localStorage. One sender at a time may use it.
 */
export interface Spool {
  /** Returns the updates put and not done, in the order of their numbers. It is called once, first. */
  open(): Promise<Spooled[]>
  /** Stores updates: once it resolves they survive a crash. If it rejects they may be stored. */
  put(entries: Spooled[]): Promise<void>
  /**
   * Records that updates are accepted, or done and can be dropped. After a failure they are sent again, without
   * effect.
   */
  mark(numbers: number[], state: 'accepted' | 'done'): Promise<void>
  close(): Promise<void>
}
