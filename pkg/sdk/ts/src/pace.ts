import { ApiError } from './errors.js'

const firstPause = 100 // ms
const maxPause = 30_000
export const maxAsked = 3_600_000 // no API asks for more; ms

/** Says when the next request may begin. After a failure it is one at a time, until one succeeds. */
export class Pace {
  /** In progress. */
  requests = 0
  failures = 0 // in a row
  error: unknown
  private resume = -Infinity // by the clock that is never set back

  /** Whether the next request waits for one in progress. */
  get single(): boolean {
    return this.failures > 0 && this.requests > 0
  }

  /** How long the next request has to wait, ms. */
  get wait(): number {
    return this.resume - performance.now()
  }

  failed(error: unknown): void {
    this.error = error
    if (this.wait > 0) return // one of several that were in progress when the API went away
    const asked = error instanceof ApiError && error.status !== 0 ? Math.min(error.retryAfter * 1000, maxAsked) : 0 // by an answer
    const wait = Math.max(Math.min(firstPause * 2 ** this.failures, maxPause), asked)
    this.failures++
    this.resume = performance.now() + wait * (1 + Math.random() / 2) // not all senders at once
  }

  succeeded(): void {
    this.failures = 0
    this.resume = -Infinity
    this.error = undefined
  }
}

// Refusals that concern the sender and no update: its key, its clock, its address of the API, what is between.
const ofSender = ['key_lacks_right', 'key_other_projects', 'message_too_old', 'message_in_future', 'not_found', 'method_not_allowed', 'headers_too_large', 'unsupported_media_type', 'unsupported_encoding']

/** Whether the API refused an update for good. All else may pass: what has no code came from what is between, not from the API. */
export function refuses(error: unknown): error is ApiError {
  return error instanceof ApiError && error.retryAfter === 0 && error.code !== '' && error.status >= 400 && error.status !== 401 && !ofSender.includes(error.code)
}
