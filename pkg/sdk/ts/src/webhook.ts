/** How far the time of a webhook's signature may be from now, seconds: what is older may be a repetition by who saw it. */
export const webhookTolerance = 300

/** A request is no webhook that was signed with the secret; the message says why. Answer it 4xx, and do nothing of it. */
export class WebhookError extends Error {
  constructor(why: string) {
    super(`the request is no webhook that was signed with this secret: ${why}`)
    this.name = 'WebhookError'
  }
}

/** Headers by lower-case name, as Node has them, or as fetch has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

function bytes(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  } catch {
    return undefined
  }
}

/**
 * Checks that the body of a request is a webhook (Standard Webhooks, v1) that was signed with a secret, lately, and throws a WebhookError otherwise. body is
 * every byte as it came, before anything parsed it. The header webhook-id, or of batches the ids of the events in it, tell repetitions.
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
  for (const signature of header('webhook-signature').split(' ')) { // two, while the secret is rotated
    const got = signature.startsWith('v1,') ? bytes(signature.slice(3)) : undefined
    if (got && await crypto.subtle.verify('HMAC', key, got, signed)) return // in constant time
  }
  throw new WebhookError('no signature fits')
}
