/**
 * Maximum difference between a webhook's timestamp and now, seconds. An older one may be a replay by someone who saw
 * it.
 */
export const webhookTolerance = 300

/**
 * A webhook's signature, timestamp or secret is invalid; the message contains the reason. Respond with 4xx, and
 * ignore the request.
 */
export class WebhookError extends Error {
  constructor(why: string) {
    super(`the request is no webhook that was signed with this secret: ${why}`)
    this.name = 'WebhookError'
  }
}

/** Headers by lower-case name, as in Node, or as in fetch. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

function bytes(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  } catch {
    return undefined
  }
}

/**
 * Verifies a webhook (Standard Webhooks, v1): its signature, and that its timestamp is within webhookTolerance;
 * otherwise throws a WebhookError. body is the raw body, before any parsing. Detect repetitions by the header
 * webhook-id, or in batches by the ids of the events.
 */
export async function verifyWebhook(headers: WebhookHeaders, body: string | Uint8Array, secret: string, now = Date.now() / 1000): Promise<void> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    return typeof value === 'string' ? value : ''
  }
  const raw = bytes(secret.replace(/^whsec_/, ''))
  if (!raw?.length) throw new WebhookError('the secret is not whsec_ and base64')
  const id = header('webhook-id')
  const stamp = header('webhook-timestamp')
  if (id === '' || !/^\d{1,12}$/.test(stamp)) throw new WebhookError('it lacks webhook-id or webhook-timestamp')
  if (Math.abs(now - Number(stamp)) > webhookTolerance) throw new WebhookError('it was signed at another time, or this machine\'s clock is wrong')
  const encoder = new TextEncoder()
  const prefix = encoder.encode(`${id}.${stamp}.`)
  const content = typeof body === 'string' ? encoder.encode(body) : body
  const signed = new Uint8Array(prefix.length + content.length)
  signed.set(prefix)
  signed.set(content, prefix.length)
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  for (const signature of header('webhook-signature').split(' ')) { // two during a rotation of the secret
    const got = signature.startsWith('v1,') ? bytes(signature.slice(3)) : undefined
    if (got && await crypto.subtle.verify('HMAC', key, got, signed)) return // in constant time
  }
  throw new WebhookError('no signature fits')
}
