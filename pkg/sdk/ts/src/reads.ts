import type { Hex } from './ids.js'

/** In place of a score type: the leaderboard of the sums of all. */
export const total = 'total'

/** How many wallets one request of finalScores asks for: more would not fit into the path that common proxies take. */
export const maxWallets = 150

/** The final block as of which an answer is. */
export interface AsOf {
  block: number
  /** Of the block, RFC 3339. */
  time: string
}

/** Which part of a list is asked for: its begin unless given. */
export interface Page {
  /** 1 … 500; 100 unless given. */
  limit?: number
  /** next of the answer before. */
  cursor?: string
}

/** A part of the projects that the key may read. */
export interface ProjectList {
  /** updates that were applied, and wallets that had one applied; null for a moment after the creation became final. */
  projects: { projectId: Hex; name: string; updates: number | null; wallets: number | null }[]
  /** null: there are no more. */
  next: string | null
  asOf: AsOf
}

/** A wallet's score and rank on a leaderboard. */
export interface Standing {
  /** Equal scores share it. */
  rank: number
  wallet: Hex
  /** A decimal integer of 64 bits: BigInt reads it exactly. */
  score: string
}

/** A part of an order of wallets by their final scores. */
export interface Leaderboard {
  projectId: Hex
  /** null: the sum of all. */
  scoreType: string | null
  /** On the whole board. */
  wallets: number
  standings: Standing[]
  /** null: there are no more. */
  next: string | null
  asOf: AsOf
}

/** Final scores of several wallets. */
export interface FinalScores {
  projectId: Hex
  scoreTypes: string[]
  /** In the order asked; scores in the order of scoreTypes. Decimal integers: BigInt reads them exactly. */
  wallets: { wallet: Hex; scores: string[]; total: string }[]
  asOf: AsOf
}

/** What the contract did with one update. */
export interface HistoryEntry {
  updateId: Hex
  /** null where the contract has no such action; so points and scoreType. */
  action: string | null
  /** Signed; what the score changed by if the outcome is applied. */
  points: number | null
  scoreType: string | null
  signer: Hex
  /** Of the block, RFC 3339. */
  time: string
  transactionHash: Hex
  blockNumber: number
  /** included: in a block that may still be lost. */
  status: 'included' | 'final'
  outcome: string
}

/** A part of what became of a wallet's updates. */
export interface History {
  projectId: Hex
  wallet: Hex
  /** The newest first. */
  history: HistoryEntry[]
  /** null: there are no more. A page may be empty and have a next one. */
  next: string | null
  asOf: AsOf
}

/** A project's numbers. */
export interface Stats {
  projectId: Hex
  /** That were applied, ever. */
  updates: number
  /** That had an update applied, ever. */
  wallets: number
  lastUpdate: string | null
  /** Those with updates (UTC), the oldest first. rejected: duplicates, too; wallets: new ones; fee: wei, decimal. */
  days: { date: string; applied: number; rejected: number; wallets: number; gas: number; fee: string }[]
  asOf: AsOf
}

/** The path with what is asked for behind the question mark. */
export function withQuery(path: string, query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
