/** An error in one field of a request; pointer is a JSON pointer (RFC 6901) into its body. */
export interface FieldError {
  pointer: string
  detail: string
  code: string
}

/** A failed request: a response other than 200, or none. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    message: string,
    /** Of the response; 0: no response. */
    readonly status: number,
    /** Of the problem document; empty if there is none. */
    readonly code: string,
    /** Seconds until the same request may be retried; 0: a retry would fail again. */
    readonly retryAfter: number,
    /** Errors in single fields of the body. */
    readonly fields: FieldError[] = [],
    /** Identifies the request in the API's log; empty if there was no problem document. */
    readonly requestId = '',
    options?: ErrorOptions,
    /** With project_exists: the accepted creation equals the one sent. */
    readonly same = false,
  ) {
    super(message, options)
  }
}

/**
 * Repeats a call until it succeeds, fails with an error that is not retryable, or the signal aborts; then it throws
 * the last error. Retryable are a missing response, 408, 429 and 5xx, after the delay that the API asks for. The ids
 * stay the same.
 */
export async function retry<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryAfter === 0 || signal?.aborted) throw error
      await pause(error.retryAfter * 1000, signal)
      if (signal?.aborted) throw error
    }
  }
}

/** Retries, and throws the signal's reason after it aborts; its cause is the call's last error. */
export async function within<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return retry(call, signal).catch((error) => {
    if (signal?.aborted && signal.reason instanceof Error) signal.reason.cause ??= error
    signal?.throwIfAborted()
    throw error
  })
}

/** Waits for ms milliseconds, or until the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', done)
  })
}

/** Delay before a retry if the response has no Retry-After; seconds. */
export const defaultWait = 1

/** A problem document. */
export interface Problem {
  status?: number
  code?: string
  detail?: string
  errors?: FieldError[]
  requestId?: string
  same?: boolean
}

/** Converts a response other than 200 to an error. */
export function refusal(response: Response, text: string): ApiError {
  let problem: Problem = {}
  try {
    if (/^application\/problem\+json *(;|$)/i.test(response.headers.get('Content-Type') ?? '')) problem = JSON.parse(text) ?? {}
  } catch {
    // a proxy's response has only a status
  }
  const header = response.headers.get('Retry-After') ?? ''
  return refusalOf(response.status, problem, /^[1-9][0-9]{0,4}$/.test(header) ? Number(header) : undefined)
}

/** Converts a problem to an error; after is the delay that the API asks for, seconds. */
export function refusalOf(status: number, problem: Problem, after?: number): ApiError {
  const { detail, requestId = '' } = problem
  const code = typeof problem.code === 'string' ? problem.code : '' // a proxy's may be a number
  const errors = Array.isArray(problem.errors) ? problem.errors : []
  let message = `the API answered ${status} ${code}`
  if (detail) message += `: ${detail}`
  for (const field of errors) message += `; ${field.pointer} ${field.detail}`
  if (requestId) message += ` (request ${requestId})`
  const again = status === 408 || status === 429 || status >= 500
  return new ApiError(message, status, code, again ? after || defaultWait : 0, errors, requestId, undefined, problem.same === true)
}
