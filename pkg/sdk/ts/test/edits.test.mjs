import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Signature, TypedDataEncoder } from 'ethers'
import { Client, DomainError, editTypedData, signEdit } from '../dist/index.js'
import { libraries } from './libraries.mjs'

const go = JSON.parse(readFileSync(new URL('../../testdata/vectors.json', import.meta.url)))
const domain = { chainId: go.chainId, verifyingContract: go.contract }
const signing = { name: 'Scorelay', version: '1', ...domain }
const projectId = `0x${'ab'.repeat(32)}`

// answering is a client whose API gives one answer after the other, and the requests it got.
function answering(answers, options) {
  const requests = []
  const client = new Client('http://api', 'key', { ...options, fetch: async (url, { method, body }) => {
    requests.push({ call: `${method} ${url}`, body: body && JSON.parse(body) })
    return new Response(JSON.stringify(answers.shift()))
  } })
  return { client, requests }
}

test('digests and signatures of edits are those of the Go package', async () => {
  assert(go.edits.length > 0)
  for (const { digest, signatures, ...edit } of go.edits) {
    const data = editTypedData(edit, domain)
    assert.equal(TypedDataEncoder.hash(data.domain, data.types, data.message), digest)
    for (const [library, sign] of Object.entries(libraries)) {
      const signed = await signEdit(edit, domain, sign)
      assert.equal(Signature.from(signed.signature).compactSerialized, signatures.go, library)
    }
  }
})

test('an edit is asked for, sent as it was given, and followed', async () => {
  const { client, requests } = answering([
    { projectId, nextNonce: 7, waits: false, signing: { ...signing, salt: '0x01' } },
    { projectId, nonce: 7, status: 'accepted', statusUrl: `/projects/${projectId}/edits/7` },
    { status: 'batched' }, { status: 'final', outcome: 'applied' },
  ], { domain })
  const next = await client.nextEdit(projectId)
  assert.deepEqual(next, { projectId, nextNonce: 7, waits: false, signing })
  const edits = [{ operation: 'add score type', name: 'luck' }]
  const signed = await signEdit({ projectId, edits, nonce: next.nextNonce, deadline: 9 }, next.signing, () => '0x01')
  assert.equal((await client.editProject(signed)).status, 'accepted')
  assert.deepEqual(await client.editFinal(projectId, 7, AbortSignal.timeout(60_000)), { status: 'final', outcome: 'applied' })
  assert.deepEqual(requests, [
    { call: `GET http://api/projects/${projectId}/edits`, body: undefined },
    { call: `POST http://api/projects/${projectId}/edits`, body: { edits, nonce: 7, deadline: 9, signature: '0x01' } },
    ...Array(2).fill({ call: `GET http://api/projects/${projectId}/edits/7`, body: undefined }),
  ])
})

test('an edit is followed until the signal aborts', async () => {
  const { client } = answering(Array(60).fill({ status: 'accepted' }))
  await assert.rejects(client.editFinal(projectId, 0, AbortSignal.abort(new Error('enough'))), /enough/)
})

test('no edit is signed for another domain', async () => {
  const other = { ...signing, chainId: domain.chainId + 1 }
  await assert.rejects(answering([{ nextNonce: 0, signing: other }], { domain }).client.nextEdit(projectId), DomainError)
  await assert.rejects(signEdit({ projectId, edits: [], nonce: 0, deadline: 9 }, { chainId: 1 }, () => assert.fail('it was signed')), DomainError)
})
