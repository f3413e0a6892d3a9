import { ApiError, defaultWait } from './errors.js'

const maxAnswer = 1 << 20 // bytes read of an answer; the largest, 500 wallets with 64 scores each, is three quarters of that

/** Reads an answer, and no more of it than one of the API can have. */
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

/** The error of a 200 that contradicts itself, so that it promises nothing: what was sent may be stored, and can be sent again. */
export function senseless(why: string): ApiError {
  return new ApiError(`the API's answer makes no sense: ${why}`, 0, '', defaultWait)
}

/** The answer to one update, if it is a promise. */
export function acceptance<T extends { status: 'accepted' | 'duplicate' }>(answer: T): T {
  const status: unknown = answer?.status
  if (status !== 'accepted' && status !== 'duplicate') throw senseless(`it has the status ${String(status)}`)
  return answer
}

/** The answer to a group, if its numbers agree with its status. */
export function groupAcceptance<T extends { status: 'accepted' | 'duplicate'; accepted: number }>(answer: T): T {
  const { status, accepted } = acceptance(answer)
  if (!Number.isInteger(accepted) || (accepted === 0) !== (status === 'duplicate')) throw senseless(`it has the status ${status} and ${accepted} accepted`)
  return answer
}

/** Checks that the answer to a group tells of as many updates as were sent. */
export function tellsOf(updates: number, { accepted, duplicates }: { accepted: number; duplicates?: unknown[] }): void {
  const told = accepted + (duplicates?.length ?? 0)
  if (told !== updates) throw senseless(`it tells of ${told} updates, not of ${updates}`)
}
