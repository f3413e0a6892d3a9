import type { Hex } from './ids.js'

/** In place of a score type: the leaderboard of the sums of all score types. */
export const total = 'total'

/** The maximum number of wallets in a request of finalScores: the path limit of common proxies. */
export const maxWallets = 150

/** The final block of a response's data. */
export interface AsOf {
  block: number
  /** Of the block, RFC 3339. */
  time: string
}

/** Selects part of a list, by default the first. */
export interface Page {
  /** 1 … 500; default 100. */
  limit?: number
  /** next of the previous page. */
  cursor?: string
}

/** A page of the projects that the key may read. */
export interface ProjectList {
  /** updates: applied; wallets: with an applied update. null for a moment after the creation is final. */
  projects: { projectId: Hex; name: string; updates: number | null; wallets: number | null }[]
  /** null: last page. */
  next: string | null
  asOf: AsOf
}

/** A wallet's score and rank on a leaderboard. */
export interface Standing {
  /** Shared by equal scores. */
  rank: number
  wallet: Hex
  /** A decimal 64-bit integer: BigInt reads it exactly. */
  score: string
}

/** A page of wallets, ranked by final scores. */
export interface Leaderboard {
  projectId: Hex
  /** null: the sum of all. */
  scoreType: string | null
  /** On the whole leaderboard. */
  wallets: number
  standings: Standing[]
  /** null: last page. */
  next: string | null
  asOf: AsOf
}

/** Final scores of several wallets. */
export interface FinalScores {
  projectId: Hex
  scoreTypes: string[]
  /** In the order of the request; scores in the order of scoreTypes. Decimal integers: BigInt reads them exactly. */
  wallets: { wallet: Hex; scores: string[]; total: string }[]
  asOf: AsOf
}

/** The outcome of one update. */
export interface HistoryEntry {
  updateId: Hex
  /** null if the contract lacks it, then points is null; scoreType likewise. */
  action: string | null
  /** Signed; if the outcome is applied, the change of the score. */
  points: number | null
  scoreType: string | null
  signer: Hex
  /** Of the block, RFC 3339. */
  time: string
  transactionHash: Hex
  blockNumber: number
  /** included: in a block that a reorg may still remove. */
  status: 'included' | 'final'
  outcome: string
}

/** A page of the outcomes of a wallet's updates. */
export interface History {
  projectId: Hex
  wallet: Hex
  /** Newest first. */
  history: HistoryEntry[]
  /** null: last page. An empty page may have a next. */
  next: string | null
  asOf: AsOf
}

/** A project's totals and daily numbers. */
export interface Stats {
  projectId: Hex
  /** Applied, ever. */
  updates: number
  /** With an applied update, ever. */
  wallets: number
  lastUpdate: string | null
  /**
   * Days with updates (UTC), oldest first. rejected includes duplicates; wallets are new ones; fee is in wei,
   * decimal.
   */
  days: { date: string; applied: number; rejected: number; wallets: number; gas: number; fee: string }[]
  asOf: AsOf
}

/** Returns the path with the query's defined values. */
export function withQuery(path: string, query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
