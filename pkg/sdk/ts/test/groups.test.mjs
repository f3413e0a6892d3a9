import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { TypedDataEncoder, verifyTypedData, Signature } from 'ethers'
import { buildGroups, maxSigned, signGroup, typedData } from '../dist/index.js'
import { drawer, file, makeVectors, someUpdates } from './cases.mjs'
import { address, libraries } from './libraries.mjs'

const go = JSON.parse(readFileSync(new URL('../../testdata/vectors.json', import.meta.url)))
const projectId = `0x${'ab'.repeat(32)}`

test('groups, digests and signatures are those of the Go package', async () => {
  assert.equal(go.signer, address)
  const domain = { chainId: go.chainId, verifyingContract: go.contract }
  for (const { projectId, updates, groups } of go.cases) {
    const ours = buildGroups(projectId, updates)
    assert.deepEqual(ours.map(({ kind, body }) => ({ kind, body })), groups.map(({ kind, updates }) => ({ kind, body: updates })))
    for (const [i, group] of ours.entries()) {
      const data = typedData(group, domain)
      assert.equal(TypedDataEncoder.hash(data.domain, data.types, data.message), groups[i].digest)
      for (const [library, sign] of Object.entries(libraries)) {
        const { signature } = await signGroup(group, domain, sign)
        assert.equal(Signature.from(signature).compactSerialized, groups[i].signatures.go, library)
        assert.equal(verifyTypedData(data.domain, data.types, data.message, groups[i].signatures.go).toLowerCase(), address)
      }
    }
  }
})

test('the vectors that the Go tests check are up to date', async () => {
  assert.equal(readFileSync(file, 'utf8'), await makeVectors(), 'npm run vectors writes them again')
})

test('groups hold every update once, in any order of the updates', () => {
  const draw = drawer(5)
  for (let round = 0; round < 30; round++) {
    const words = 1 + draw(20)
    const updates = someUpdates(draw, draw(Math.min(600, 128 * words)), words, 1 + draw(200))
    const groups = buildGroups(projectId, updates)
    const byId = (a, b) => (a.updateId < b.updateId ? -1 : 1)
    assert.deepEqual(groups.flatMap((g) => g.updates).sort(byId), [...updates].sort(byId))
    for (const group of groups) assert(group.updates.length >= 1 && group.updates.length <= maxSigned)
    assert.deepEqual(buildGroups(projectId, [...updates].reverse()), groups)
  }
  assert.deepEqual(buildGroups(projectId, []), [])
})

test('hex of any case is the same update', () => {
  const update = { updateId: `0x${'Ab'.repeat(32)}`, targetWallet: `0x${'Cd'.repeat(20)}`, action: 0, scoreType: 0 }
  const lower = { ...update, updateId: update.updateId.toLowerCase(), targetWallet: update.targetWallet.toLowerCase() }
  assert.deepEqual(buildGroups(projectId.toUpperCase().replace('X', 'x'), [update]), buildGroups(projectId, [lower]))
})

test('what is no update is refused', () => {
  const good = { updateId: `0x${'01'.repeat(32)}`, targetWallet: `0x${'02'.repeat(20)}`, action: 0, scoreType: 0 }
  for (const [change, message] of [
    [{ updateId: '0x01' }, /updateId of an update/], [{ updateId: undefined }, /updateId of an update/], [{ updateId: good.updateId.slice(2) }, /updateId of an update/],
    [{ targetWallet: '0x02' }, /targetWallet of update/], [{ targetWallet: `0x${'0g'.repeat(20)}` }, /targetWallet of update/],
    [{ targetWallet: `0x${'00'.repeat(20)}` }, /zero address/],
    [{ action: 256 }, /action/], [{ action: -1 }, /action/], [{ action: '1' }, /action/], [{ scoreType: 0.5 }, /scoreType/],
  ]) {
    assert.throws(() => buildGroups(projectId, [{ ...good, ...change }]), message)
  }
  assert.throws(() => buildGroups(projectId, [good, { ...good, updateId: good.updateId.toUpperCase().replace('X', 'x') }]), /two updates/)
  assert.throws(() => buildGroups('0x1', [good]), /projectId/)
})
