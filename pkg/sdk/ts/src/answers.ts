import { ApiError, defaultWait } from './errors.js'

// Maximum bytes read of a response. The largest, 500 wallets with 64 scores each, has three quarters of that.
const maxAnswer = 1 << 20

/** Reads a response's body, up to the maximum size of an API response. */
export async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader?.()
  if (!reader) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  for (let size = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.length
    if (size > maxAnswer) {
      reader.cancel().catch(() => {})
      throw new RangeError(`it has more than ${maxAnswer} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Returns the error of a 200 whose body contradicts itself. The request may be stored and can be retried. */
export function senseless(why: string): ApiError {
  return new ApiError(`the API's answer makes no sense: ${why}`, 0, '', defaultWait)
}

/** Returns the answer to one update, or throws if its status is unknown. */
export function acceptance<T extends { status: 'accepted' | 'duplicate' }>(answer: T): T {
  const status: unknown = answer?.status
  if (status !== 'accepted' && status !== 'duplicate') throw senseless(`it has the status ${String(status)}`)
  return answer
}

/** Returns the answer to a group, or throws if its numbers contradict its status. */
export function groupAcceptance<T extends { status: 'accepted' | 'duplicate'; accepted: number }>(answer: T): T {
  const { status, accepted } = acceptance(answer)
  if (!Number.isInteger(accepted) || (accepted === 0) !== (status === 'duplicate')) throw senseless(`it has the status ${status} and ${accepted} accepted`)
  return answer
}

/** Throws if the answer to a group does not cover all updates sent. */
export function tellsOf(updates: number, { accepted, duplicates }: { accepted: number; duplicates?: unknown[] }): void {
  const told = accepted + (duplicates?.length ?? 0)
  if (told !== updates) throw senseless(`it tells of ${told} updates, not of ${updates}`)
}
