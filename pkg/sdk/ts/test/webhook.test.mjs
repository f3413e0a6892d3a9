// The test vector is that of the specification's libraries; webhook_test.go has the same cases.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import test from 'node:test'
import { verifyWebhook, WebhookError, webhookTolerance } from '../dist/index.js'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const time = 1614265330
const body = '{"test": 2432232314}'
const vector = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': String(time),
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const other = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc='
const refused = (headers, text = body, by = secret, at = time) => assert.rejects(verifyWebhook(headers, text, by, at), WebhookError)

test('webhooks are verified', async () => {
  await verifyWebhook(vector, body, secret, time)
  await verifyWebhook(new Headers(vector), new TextEncoder().encode(body), secret.slice('whsec_'.length), time)
  for (const off of [-webhookTolerance, webhookTolerance]) {
    await verifyWebhook(vector, body, secret, time + off)
    await refused(vector, body, secret, time + off + Math.sign(off))
  }
  await verifyWebhook({ ...vector, 'webhook-signature': `${other} v2,AAAA ${vector['webhook-signature']}` }, body, secret, time)
  for (const change of [
    { 'webhook-id': 'msg_other' }, { 'webhook-id': undefined }, { 'webhook-timestamp': String(time + 1) }, { 'webhook-timestamp': undefined }, { 'webhook-timestamp': 'soon' },
    { 'webhook-signature': undefined }, { 'webhook-signature': 'v1,' }, { 'webhook-signature': 'v1,?' }, { 'webhook-signature': vector['webhook-signature'].slice(0, 20) },
    { 'webhook-signature': other }, { 'webhook-signature': vector['webhook-signature'].slice(3) }, { 'webhook-signature': 'v1a' + vector['webhook-signature'].slice(2) },
  ]) await refused({ ...vector, ...change })
  await refused(vector, body + ' ')
  for (const wrong of ['', 'whsec_', 'whsec_?', 'whsec_' + secret.slice(10)]) await refused(vector, body, wrong)
})

test('webhooks are verified as of now', async () => {
  const stamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = 'v1,' + createHmac('sha256', key).update(`id.${stamp}.${body}`).digest('base64')
  await verifyWebhook({ 'webhook-id': 'id', 'webhook-timestamp': stamp, 'webhook-signature': signature }, body, secret)
  await assert.rejects(verifyWebhook(vector, body, secret), WebhookError)
})
