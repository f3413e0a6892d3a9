// Makes the vectors that the Go tests check. Everything is drawn with a fixed seed and all three libraries sign
// deterministically (RFC 6979), so it always makes the same.
import { TypedDataEncoder } from 'ethers'
import { buildGroups, editTypedData, signEdit, signGroup, typedData } from '../dist/index.js'
import { address, libraries } from './libraries.mjs'

export const file = new URL('../../testdata/typescript.json', import.meta.url)

// draw is a generator of numbers below n (mulberry32).
export function drawer(seed) {
  return (n) => {
    seed = (seed + 0x6d2b79f5) >>> 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
}

const bytes = (draw, size) => Array.from({ length: size }, () => draw(256).toString(16).padStart(2, '0')).join('')

export function someUpdates(draw, count, words, wallets) {
  const prefixes = Array.from({ length: words }, () => bytes(draw, 31))
  const targets = Array.from({ length: wallets }, () => bytes(draw, 20))
  const seen = new Set()
  const out = []
  while (out.length < count) {
    const id = `0x${prefixes[draw(words)]}${bytes(draw, 1)}`
    if (seen.has(id)) continue
    seen.add(id)
    out.push({ updateId: id, targetWallet: `0x${targets[draw(wallets)]}`, action: draw(200), scoreType: draw(3) })
  }
  return out
}

export async function makeVectors() {
  const draw = drawer(7)
  const domain = { chainId: 31337, verifyingContract: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512' }
  const cases = []
  for (const [count, words, wallets] of [[1, 1, 1], [3, 3, 3], [6, 1, 6], [20, 2, 20], [25, 3, 2], [60, 8, 60], [200, 1, 150], [270, 200, 30], [256, 1, 1]]) {
    const updates = someUpdates(draw, count, words, wallets)
    const projectId = `0x${bytes(draw, 32)}`
    const groups = []
    for (const group of buildGroups(projectId, updates)) {
      const data = typedData(group, domain)
      const signatures = {}
      for (const [library, sign] of Object.entries(libraries)) {
        signatures[library] = (await signGroup(group, domain, sign)).signature
      }
      groups.push({ kind: group.kind, updates: group.body, digest: TypedDataEncoder.hash(data.domain, data.types, data.message), signatures })
    }
    cases.push({ projectId, updates, groups })
  }
  const edits = []
  for (const some of [
    [],
    [{ operation: 'add owner', member: address }, { operation: 'remove owner', member: domain.verifyingContract }],
    [{ operation: 'add action', name: 'a gift ü', points: 2 ** 32 - 1, direction: 1 }, { operation: 'add action', name: 'win', points: 5 }],
    [{ operation: 'add updater', member: address }, { operation: 'remove updater', member: address }, { operation: 'add score type', name: '"x"' }],
    [{ operation: 'require signed groups' }, { operation: 'allow unsigned groups' }],
  ]) {
    const edit = { projectId: `0x${bytes(draw, 32)}`, edits: some, nonce: draw(2 ** 31), deadline: 2 ** 53 - 1 - draw(2 ** 31) }
    const data = editTypedData(edit, domain)
    const signatures = {}
    for (const [library, sign] of Object.entries(libraries)) signatures[library] = (await signEdit(edit, domain, sign)).signature
    edits.push({ ...edit, digest: TypedDataEncoder.hash(data.domain, data.types, data.message), signatures })
  }
  return JSON.stringify({ chainId: domain.chainId, contract: domain.verifyingContract, signer: address, cases, edits }) + '\n'
}
