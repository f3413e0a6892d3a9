import { hex } from './ids.js'

/** Bytes as 0x and hex digits. What this package returns is in lower case. */
export type Hex = `0x${string}`

/** How a group's updates are written. */
export const Kind = {
  word: 1, // ids of one word, each at most once, in ascending order
  runs: 2, // ids of one word; neighbours of one wallet and score type share a run
  free: 3, // any ids; neighbours of one wallet and score type share a run
} as const
export type Kind = (typeof Kind)[keyof typeof Kind]

/** The most updates of one signed group. */
export const maxSigned = 256

/** One score change of a project. Action and score type are the project's indexes: see actionIndex and scoreTypeIndex. */
export interface Update {
  id: Hex
  /** The wallet whose score changes. Its EIP-55 checksum is not looked at. */
  target: Hex
  action: number
  scoreType: number
}

/** The updates of one signature. */
export interface Group {
  projectId: Hex
  kind: Kind
  /** 1 … maxSigned, in the order of body. */
  updates: Update[]
  /** The updates as they are signed, and as the contract reads them. */
  body: Hex
}

/** The body of POST /update-scores. It can be sent any number of times: its updates apply once. */
export interface SignedGroup {
  projectId: Hex
  kind: Kind
  updates: Hex
  signature: string
}

/** The deployment that groups are signed for. */
export interface Domain {
  chainId: number
  /** The address of the ScoreRegistry. */
  contract: Hex
}

interface Field {
  name: string
  type: string
}

/** What a wallet signs for a group, as ethers, viem and `eth_signTypedData_v4` take it. */
export interface TypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: Hex }
  types: { UpdateGroup: Field[] }
  primaryType: 'UpdateGroup'
  message: { projectId: Hex; kind: Kind; updates: Hex }
}

/** Signs typed data with the wallet of an owner or updater. The signature has 65 bytes, or 64 (EIP-2098). */
export type SignTypedData = (data: TypedData) => string | Promise<string>

/** The type of the domain, for what wants it among the types: web3.js and `eth_signTypedData_v4`. */
export const domainType: Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

// How many updates of one word make a group of their own pay for its signature: a signature costs about 6,500 gas,
// writing and marking an id by itself about 1,050.
const wordWorth = 6

const maxRun = 256 // updates of one run

/**
 * Writes a project's updates as groups, each to be signed by itself, in the way that costs least: ids of one word together
 * where they are enough to pay for a signature of their own, the others in groups of any ids. Updates of one wallet and
 * score type stand together, so that the contract writes the score once. The groups do not depend on the order of the
 * updates. Throws a RangeError for what is no update, an id that repeats, or a target that is zero.
 */
export function buildGroups(projectId: Hex, updates: Iterable<Update>): Group[] {
  const project = bytes(projectId, 32, 'projectId')
  const sorted = Array.from(updates, normal).sort(byId)
  sorted.forEach((u, i) => {
    if (u.id === sorted[i - 1]?.id) throw new RangeError(`two updates have the id ${u.id}`)
  })
  const words = new Map<string, Update[]>()
  for (const u of sorted) {
    const word = wordOf(u)
    const same = words.get(word)
    if (same) same.push(u)
    else words.set(word, [u])
  }
  const parts = [...words.values()].filter((same) => same.length >= wordWorth)
  const rest = [...words.values()].filter((same) => same.length < wordWorth).flat().sort(byRun)
  for (let at = 0; at < rest.length; at += maxSigned) parts.push(rest.slice(at, at + maxSigned))
  return parts.map((part) => buildGroup(project, part))
}

/** Writes updates as one group, in the kind with the shortest body, which is near the cheapest. */
function buildGroup(projectId: Hex, updates: Update[]): Group {
  const runs = [...updates].sort(byRun)
  const word = wordOf(updates[0]!)
  if (updates.some((u) => wordOf(u) !== word)) {
    return { projectId, kind: Kind.free, updates: runs, body: `0x${encodeRuns(runs, (u) => u.id.slice(2))}` }
  }
  const ids = [...updates].sort(byId)
  const asWord: Hex = `0x${word}${encodeWord(ids)}`
  const asRuns: Hex = `0x${word}${encodeRuns(runs, (u) => hex(lowOf(u), 1))}`
  if (asRuns.length < asWord.length) return { projectId, kind: Kind.runs, updates: runs, body: asRuns }
  return { projectId, kind: Kind.word, updates: ids, body: asWord }
}

/** start(1) length(1) mask(length), then for each update target(20) scoreType(1) action(1). */
function encodeWord(updates: Update[]): string {
  const start = lowOf(updates[0]!) >> 3
  const mask = new Array<number>((lowOf(updates.at(-1)!) >> 3) - start + 1).fill(0) // the lowest byte first
  for (const u of updates) mask[(lowOf(u) >> 3) - start]! |= 1 << (lowOf(u) & 7)
  const head = hex(start, 1) + hex(mask.length, 1) + mask.reverse().map((byte) => hex(byte, 1)).join('')
  return head + updates.map((u) => u.target.slice(2) + hex(u.scoreType, 1) + hex(u.action, 1)).join('')
}

/** runs(2), then each run: target(20) scoreType(1) more(1), then 1 + more times the id and action(1). */
function encodeRuns(updates: Update[], id: (u: Update) => string): string {
  const runs: Update[][] = []
  for (const u of updates) {
    const run = runs.at(-1)
    if (run && run.length < maxRun && sameRun(run[0]!, u)) run.push(u)
    else runs.push([u])
  }
  return hex(runs.length, 2) + runs.map((run) => {
    const { target, scoreType } = run[0]!
    return target.slice(2) + hex(scoreType, 1) + hex(run.length - 1, 1) + run.map((u) => id(u) + hex(u.action, 1)).join('')
  }).join('')
}

/** What a wallet signs for the group (EIP-712). */
export function typedData(group: Group, domain: Domain): TypedData {
  return {
    domain: { name: 'Scorelay', version: '1', chainId: domain.chainId, verifyingContract: domain.contract },
    types: {
      UpdateGroup: [
        { name: 'projectId', type: 'bytes32' },
        { name: 'kind', type: 'uint8' },
        { name: 'updates', type: 'bytes' },
      ],
    },
    primaryType: 'UpdateGroup',
    message: { projectId: group.projectId, kind: group.kind, updates: group.body },
  }
}

/** Asks the wallet of an owner or updater for the group's signature. */
export async function signGroup(group: Group, domain: Domain, sign: SignTypedData): Promise<SignedGroup> {
  const signature = await sign(typedData(group, domain))
  return { projectId: group.projectId, kind: group.kind, updates: group.body, signature }
}

function normal(u: Update): Update {
  const id = bytes(u.id, 32, 'the id of an update')
  const target = bytes(u.target, 20, `the target of update ${id}`)
  if (/^0x0+$/.test(target)) throw new RangeError(`update ${id} has the zero address as its target`)
  for (const [name, index] of [['action', u.action], ['scoreType', u.scoreType]] as const) {
    if (!Number.isInteger(index) || index < 0 || index > 255) throw new RangeError(`the ${name} of update ${id} is no index: ${index}`)
  }
  return { id, target, action: u.action, scoreType: u.scoreType }
}

function bytes(text: string, size: number, what: string): Hex {
  if (!/^0x[0-9a-fA-F]*$/.test(text) || text.length !== 2 + 2 * size) throw new RangeError(`${what} must be 0x and ${2 * size} hex digits: ${text}`)
  return text.toLowerCase() as Hex
}

// Texts in lower-case hex of one length are ordered as the bytes are.
function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function byId(a: Update, b: Update): number {
  return compare(a.id, b.id)
}

/** Brings together what the contract adds up before it writes a score. */
function byRun(a: Update, b: Update): number {
  return compare(a.target, b.target) || compare(a.scoreType, b.scoreType) || byId(a, b)
}

function sameRun(a: Update, b: Update): boolean {
  return a.target === b.target && a.scoreType === b.scoreType
}

/** The first 31 bytes of the id. */
function wordOf(u: Update): string {
  return u.id.slice(2, -2)
}

/** The last byte of the id. */
function lowOf(u: Update): number {
  return parseInt(u.id.slice(-2), 16)
}
