/** What is wrong with one field of a request; pointer is a JSON pointer (RFC 6901) into its body. */
export interface FieldError {
  pointer: string
  detail: string
  code: string
}

/** Says that a request did not end with a 200. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    message: string,
    /** Of the answer; 0 if there was none. */
    readonly status: number,
    /** Of the problem document; empty if the answer had none. */
    readonly code: string,
    /** When to send the same request again, seconds; 0: never, it would be refused again. */
    readonly retryAfter: number,
    /** What is wrong with which field of the body. */
    readonly fields: FieldError[] = [],
    /** By which the operator finds the request in the API's log; empty if the answer had none. */
    readonly requestId = '',
    options?: ErrorOptions,
    /** Of project_exists: what was accepted under the id is what was sent. */
    readonly same = false,
  ) {
    super(message, options)
  }
}

/**
 * Repeats a call until it succeeds, its error is not one to retry, or the signal aborts; then it throws the last error.
 * What got no answer, a 408, a 429 or a 5xx is sent again, under the same ids, after as long as the API asks for.
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

/** Retries, and throws the signal's reason once that aborted; its cause is the call's last error. */
export async function within<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return retry(call, signal).catch((error) => {
    if (signal?.aborted && signal.reason instanceof Error) signal.reason.cause ??= error
    signal?.throwIfAborted()
    throw error
  })
}

/** Waits so many ms, or until the signal aborts. */
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

/** How long to wait before a request is sent again, where the answer does not say; seconds. */
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

/** The error of an answer that is no 200. */
export function refusal(response: Response, text: string): ApiError {
  let problem: Problem = {}
  try {
    if (/^application\/problem\+json *(;|$)/i.test(response.headers.get('Content-Type') ?? '')) problem = JSON.parse(text) ?? {}
  } catch {
    // of a proxy's answer there is only the status
  }
  const header = response.headers.get('Retry-After') ?? ''
  return refusalOf(response.status, problem, /^[1-9][0-9]{0,4}$/.test(header) ? Number(header) : undefined)
}

/** The error of a problem; after is when the API asks for the same again, seconds. */
export function refusalOf(status: number, problem: Problem, after?: number): ApiError {
  const { detail, requestId = '' } = problem
  const code = typeof problem.code === 'string' ? problem.code : '' // a proxy's is a number at times
  const errors = Array.isArray(problem.errors) ? problem.errors : []
  let message = `the API answered ${status} ${code}`
  if (detail) message += `: ${detail}`
  for (const field of errors) message += `; ${field.pointer} ${field.detail}`
  if (requestId) message += ` (request ${requestId})`
  const again = status === 408 || status === 429 || status >= 500
  return new ApiError(message, status, code, again ? after || defaultWait : 0, errors, requestId, undefined, problem.same === true)
}
