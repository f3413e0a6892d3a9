import type { NamedUpdate } from './client.js'

/** An update that a spool keeps, under the number that its sender gave it. */
export interface Spooled {
  n: number
  update: NamedUpdate
  accepted: boolean
}

/**
 * Keeps what a sender has not sent over a restart. FileSpool of @scorelay/sdk/node is one; in a browser give one that
 * keeps it in IndexedDB or localStorage. One sender at a time may use it.
 */
export interface Spool {
  /** What was put and is not done, by ascending numbers. It is called once, first. */
  open(): Promise<Spooled[]>
  /** Keeps updates: once it resolves they survive a crash. If it rejects they may be kept or not. */
  put(entries: Spooled[]): Promise<void>
  /** Notes that updates were accepted, or are done and can be forgotten. What it fails to note is sent again, which changes nothing. */
  mark(numbers: number[], state: 'accepted' | 'done'): Promise<void>
  close(): Promise<void>
}
