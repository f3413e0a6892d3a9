import { ApiError } from './errors.js'

const firstPause = 100 // ms
const maxPause = 30_000
export const maxAsked = 3_600_000 // ms; upper limit of a delay that the API asks for

/** The backoff of requests. After a failure requests are sent one at a time until one succeeds. */
export class Pace {
  /** In progress. */
  requests = 0
  failures = 0 // consecutive
  error: unknown
  private resume = -Infinity // on the monotonic clock

  /** Whether the next request waits for one in progress. */
  get single(): boolean {
    return this.failures > 0 && this.requests > 0
  }

  /** ms until the next request. */
  get wait(): number {
    return this.resume - performance.now()
  }

  failed(error: unknown): void {
    this.error = error
    if (this.wait > 0) return // one of several requests in progress when the API failed
    // ^ An error with a status is a response, and may contain a delay.
    const asked = error instanceof ApiError && error.status !== 0 ? Math.min(error.retryAfter * 1000, maxAsked) : 0
    const wait = Math.max(Math.min(firstPause * 2 ** this.failures, maxPause), asked)
    this.failures++
    this.resume = performance.now() + wait * (1 + Math.random() / 2) // jitter
  }

  succeeded(): void {
    this.failures = 0
    this.resume = -Infinity
    this.error = undefined
  }
}

// Codes of refusals that concern the sender: its key, its clock, the API's URL, a proxy.
const ofSender = ['key_lacks_right', 'key_other_projects', 'message_too_old', 'message_in_future', 'not_found', 'method_not_allowed', 'headers_too_large', 'unsupported_media_type', 'unsupported_encoding']

/**
 * Reports whether the API refused an update permanently. Other errors may pass; one without a code came from a proxy.
 */
export function refuses(error: unknown): error is ApiError {
  return error instanceof ApiError && error.retryAfter === 0 && error.code !== '' && error.status >= 400 && error.status !== 401 && !ofSender.includes(error.code)
}
