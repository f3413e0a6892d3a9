import { type Domain, type SignTypedData, type TypedData, signingDomain } from './domain.js'
import { type Hex, hex } from './ids.js'

/** The encoding of a group's updates. */
export const Kind = {
  word: 1, // ids of one word, each at most once, ascending
  runs: 2, // ids of one word; adjacent updates of one wallet and score type share a run
  free: 3, // any ids; adjacent updates of one wallet and score type share a run
} as const
export type Kind = (typeof Kind)[keyof typeof Kind]

/** The maximum number of updates in a signed group. */
export const maxSigned = 256

/** One score change. action and scoreType are the project's indexes: see actionIndex and scoreTypeIndex. */
export interface Update {
  updateId: Hex
  /** Its score changes. Its EIP-55 checksum is ignored. */
  targetWallet: Hex
  action: number
  scoreType: number
}

/** A group of updates under one signature. */
export interface Group {
  projectId: Hex
  kind: Kind
  /** 1 … maxSigned, in the order of body. */
  updates: Update[]
  /** The updates as the wallet signs and the contract reads them. */
  body: Hex
}

/** The body of POST /update-scores. It can be sent any number of times; its updates apply once. */
export interface SignedGroup {
  projectId: Hex
  kind: Kind
  updates: Hex
  signature: string
}

// Approximate gas of the parts of a group; a test of pkg/sdk compares it with the contract's.
const groupGas = 8_430 // a group of one word
const recordGas = 1_060 // an update in a group of kind word
const runGas = 1_090 // a run in a group of kind runs, besides its updates
const lowGas = 270 // an update in it
const freeGroupGas = 7_190 // a group of kind free
const freeRunGas = 1_020 // a run in it, besides its updates
const freeGas = 1_340 // an update in it

const maxRun = 256 // updates per run

/**
 * Divides a project's updates into the cheapest groups, each to be signed separately. Ids of one word share a group
 * if they save the gas of its signature; the others go into groups of any ids. Updates of one wallet and score type
 * are adjacent, so that the contract writes the score once. The result is independent of the order of the updates.
 * Throws a RangeError for an invalid update, a repeated id, or a zero target.
 */
export function buildGroups(projectId: Hex, updates: Iterable<Update>): Group[] {
  const project = bytes(projectId, 32, 'projectId')
  const sorted = Array.from(updates, normal).sort(byId)
  sorted.forEach((u, i) => {
    if (u.updateId === sorted[i - 1]?.updateId) throw new RangeError(`two updates have the id ${u.updateId}`)
  })
  return split(sorted).map((part) => buildGroup(project, part))
}

/** Divides updates, sorted by id, into groups. */
function split(updates: Update[]): Update[][] {
  const byWord = new Map<string, Update[]>()
  for (const u of updates) {
    const word = byWord.get(wordOf(u))
    if (word) word.push(u)
    else byWord.set(wordOf(u), [u])
  }
  const words = [...byWord.values()]
  const inWords = new Map<string, number>() // number of words with updates of the run
  for (const word of words) {
    for (const run of runsOf(word)) inWords.set(run, (inWords.get(run) ?? 0) + 1)
  }

  // A word joins the groups of kind free, which can merge runs of several words, if its own group costs more.
  const parts: Update[][] = []
  const rest: Update[] = []
  let apart = 0 // gas of rest in one group per word
  for (const word of words) {
    const runs = runsOf(word)
    const alone = [...runs].filter((run) => inWords.get(run) === 1).length
    const own = ownGas(word.length, runs.size)
    if (own <= alone * freeRunGas + word.length * freeGas) {
      parts.push(word)
    } else {
      rest.push(...word)
      apart += own
    }
  }
  const together = Math.ceil(rest.length / maxSigned) * freeGroupGas + runsOf(rest).size * freeRunGas + rest.length * freeGas
  if (apart <= together) return words
  rest.sort(byRun)
  for (let at = 0; at < rest.length; at += maxSigned) parts.push(rest.slice(at, at + maxSigned))
  return parts
}

/** Returns the approximate gas of a signed group of one word. */
function ownGas(updates: number, runs: number): number {
  return groupGas + Math.min(updates * recordGas, runs * runGas + updates * lowGas)
}

/** Identifies the updates that the contract sums before it writes a score. */
function runOf(u: Update): string {
  return `${u.targetWallet}/${u.scoreType}`
}

function runsOf(updates: Update[]): Set<string> {
  return new Set(updates.map(runOf))
}

/** Encodes updates with distinct ids as one group, in the cheapest kind. */
function buildGroup(projectId: Hex, part: Update[]): Group {
  const byRuns = [...part].sort(byRun)
  const word = wordOf(part[0]!)
  if (part.some((u) => wordOf(u) !== word)) {
    return { projectId, kind: Kind.free, updates: byRuns, body: `0x${encodeRuns(byRuns, (u) => u.updateId.slice(2))}` }
  }
  if (part.length * recordGas > runsOf(part).size * runGas + part.length * lowGas) {
    return { projectId, kind: Kind.runs, updates: byRuns, body: `0x${word}${encodeRuns(byRuns, (u) => hex(lowOf(u), 1))}` }
  }
  const updates = [...part].sort(byId)
  return { projectId, kind: Kind.word, updates, body: `0x${word}${encodeWord(updates)}` }
}

/** start(1) length(1) mask(length), then for each update target(20) scoreType(1) action(1). */
function encodeWord(updates: Update[]): string {
  const start = lowOf(updates[0]!) >> 3
  const mask = new Array<number>((lowOf(updates.at(-1)!) >> 3) - start + 1).fill(0) // lowest byte first
  for (const u of updates) mask[(lowOf(u) >> 3) - start]! |= 1 << (lowOf(u) & 7)
  const head = hex(start, 1) + hex(mask.length, 1) + mask.reverse().map((byte) => hex(byte, 1)).join('')
  return head + updates.map((u) => u.targetWallet.slice(2) + hex(u.scoreType, 1) + hex(u.action, 1)).join('')
}

/** runs(2), then each run: target(20) scoreType(1) more(1), then 1 + more times the id and action(1). */
function encodeRuns(updates: Update[], id: (u: Update) => string): string {
  const runs: Update[][] = []
  for (const u of updates) {
    const run = runs.at(-1)
    if (run && run.length < maxRun && runOf(run[0]!) === runOf(u)) run.push(u)
    else runs.push([u])
  }
  return hex(runs.length, 2) + runs.map((run) => {
    const { targetWallet, scoreType } = run[0]!
    return targetWallet.slice(2) + hex(scoreType, 1) + hex(run.length - 1, 1) + run.map((u) => id(u) + hex(u.action, 1)).join('')
  }).join('')
}

/** Returns the typed data to sign for the group (EIP-712). Throws a DomainError for an invalid domain. */
export function typedData(group: Group, domain: Domain): TypedData {
  return {
    domain: signingDomain(domain),
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

/** Signs the group with the wallet of an owner or updater. Throws a DomainError for an invalid domain. */
export async function signGroup(group: Group, domain: Domain, sign: SignTypedData): Promise<SignedGroup> {
  const signature = await sign(typedData(group, domain))
  return { projectId: group.projectId, kind: group.kind, updates: group.body, signature }
}

function normal(u: Update): Update {
  const updateId = bytes(u.updateId, 32, 'the updateId of an update')
  const targetWallet = bytes(u.targetWallet, 20, `the targetWallet of update ${updateId}`)
  if (/^0x0+$/.test(targetWallet)) throw new RangeError(`update ${updateId} has the zero address as its targetWallet`)
  for (const [name, index] of [['action', u.action], ['scoreType', u.scoreType]] as const) {
    if (!Number.isInteger(index) || index < 0 || index > 255) throw new RangeError(`the ${name} of update ${updateId} is no index: ${index}`)
  }
  return { updateId, targetWallet, action: u.action, scoreType: u.scoreType }
}

function bytes(text: string, size: number, what: string): Hex {
  if (!/^0x[0-9a-fA-F]*$/.test(text) || text.length !== 2 + 2 * size) throw new RangeError(`${what} must be 0x and ${2 * size} hex digits: ${text}`)
  return text.toLowerCase() as Hex
}

// Lower-case hex of equal length sorts like the bytes.
function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function byId(a: Update, b: Update): number {
  return compare(a.updateId, b.updateId)
}

/** Sorts updates so that those of a run are adjacent. */
function byRun(a: Update, b: Update): number {
  return compare(a.targetWallet, b.targetWallet) || compare(a.scoreType, b.scoreType) || byId(a, b)
}

/** The first 31 bytes of the id. */
function wordOf(u: Update): string {
  return u.updateId.slice(2, -2)
}

/** The last byte of the id. */
function lowOf(u: Update): number {
  return parseInt(u.updateId.slice(-2), 16)
}
