import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashTypedData } from 'viem'
import { TypedDataEncoder } from 'ethers'
import { buildGroups, Client, DomainError, retry, signGroup, typedData } from '../dist/index.js'
import { libraries } from './libraries.mjs'

const contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const signing = { name: 'Scorelay', version: '1', chainId: 1337, verifyingContract: contract.toLowerCase() }
const [group] = buildGroups(`0x${'ab'.repeat(32)}`, [{ updateId: `0x${'01'.repeat(32)}`, targetWallet: contract, action: 0, scoreType: 0 }])

// project is what a client makes of the answer.
function project(answer, domain) {
  const client = new Client('http://api', 'key', { domain, fetch: async () => new Response(JSON.stringify(answer)) })
  return retry(() => client.project(group.projectId))
}

test('what the API tells can be signed under as it is', async () => {
  const told = (await project({ status: 'final', signing })).signing
  assert.deepEqual(told, signing)
  const data = typedData(group, told)
  assert.deepEqual(data.domain, signing)
  const pasted = { ...data, domain: told }
  assert.equal(hashTypedData(pasted), TypedDataEncoder.hash(told, data.types, data.message))
  for (const [library, sign] of Object.entries(libraries)) {
    assert.equal(await sign(pasted), (await signGroup(group, told, sign)).signature, library)
  }
})

test('a library leaves out a chain id that is text, so it is a number', async () => {
  const data = typedData(group, signing)
  const text = { ...data, domain: { ...signing, chainId: '1337' } }
  assert.notEqual(await libraries.viem(text), await libraries.viem(data))
  assert.equal(await libraries.ethers(text), await libraries.ethers(data))
})

test('another domain than the expected one is refused', async () => {
  for (const verifyingContract of [contract, contract.toLowerCase()]) {
    const answer = { status: 'final', signing: { ...signing, salt: `0x${'11'.repeat(32)}` } }
    assert.deepEqual(await project(answer, { chainId: 1337, verifyingContract }), { status: 'final', signing })
  }
  const other = `0x${'01'.repeat(20)}`
  for (const told of [
    { ...signing, chainId: 1 }, { ...signing, chainId: '1337' }, { ...signing, verifyingContract: other },
    { ...signing, name: 'Permit2' }, { ...signing, version: '2' }, {}, null, undefined,
  ]) {
    await assert.rejects(project({ signing: told }, { chainId: 1337, verifyingContract: contract }), DomainError)
  }
  await assert.rejects(project({ signing }, { chainId: 1337, verifyingContract: other }), /expected contract 0x0101/)
  await assert.rejects(project({ signing: { ...signing, name: 'Permit2' } }), DomainError)
  assert.equal((await project({ status: 'final' })).signing, undefined, 'looking up is no signing')
})

test('what is no domain is not signed under', async () => {
  for (const change of [
    { chainId: 2 ** 53 }, { chainId: -1 }, { chainId: 1.5 }, { chainId: '1337' }, { chainId: undefined },
    { verifyingContract: '0x01' }, { verifyingContract: undefined },
  ]) {
    const domain = { ...signing, ...change }
    assert.throws(() => typedData(group, domain), DomainError)
    await assert.rejects(signGroup(group, domain, () => assert.fail('it was signed')), DomainError)
    assert.throws(() => new Client('http://api', 'key', { domain }), DomainError)
  }
  const large = await project({ signing: { ...signing, chainId: 2 ** 60 } })
  assert.equal(large.signing.chainId, 2 ** 60, 'looking up is no signing')
})
