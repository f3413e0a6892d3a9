import { checkDomain, type Domain, DomainError, type SigningDomain, signingDomain, type SignTypedData, type TypedData } from './domain.js'
import { acceptance, groupAcceptance, senseless, textOf } from './answers.js'
import { type EditAccepted, type EditState, type NextEdit, type SignedEdit, writtenEdit } from './edits.js'
import { ApiError, defaultWait, pause, type Problem, refusal, refusalOf, within } from './errors.js'
import { type EventOptions, followEvents, type ProjectEvent } from './events.js'
import type { SignedGroup } from './groups.js'
import { type Hex, IdRange } from './ids.js'
import { type FinalScores, type History, type Leaderboard, type Page, type ProjectList, type Stats, withQuery } from './reads.js'

/** Signs a text with `personal_sign` (EIP-191). */
export type SignMessage = (message: string) => string | Promise<string>

export interface Action {
  name: string
  points: number
  /** 0 adds the points, 1 subtracts them. */
  direction: 0 | 1
}

/** The body of POST /create-project. */
export interface NewProject {
  projectId: string
  name: string
  inputActions: Action[]
  owners: string[]
  updaters: string[]
  /** Default: the deployment's default score type. */
  scoreTypes?: string[]
  /** The project takes signed groups only. */
  signedOnly?: boolean
}

/** The response to one update. */
export interface UpdateAccepted {
  projectId: Hex
  updateId: Hex
  /** duplicate: an update with this id was accepted before; nothing was stored. */
  status: 'accepted' | 'duplicate'
  /** Path of the API with the update's status. */
  statusUrl: string
  waits?: Waits
  /** Of a duplicate, if known: false if the accepted update has another action, score type or target. */
  sameContent?: boolean
}

/**
 * The reason why an accepted update is held up. The update is stored, and processed afterwards. Absent if it is not
 * held up.
 */
export interface Waits {
  /** paused: by an operator. Other values may be added. */
  why: string
  /** Human-readable. */
  reason: string
}

/**
 * The result of one of several groups. refused: error is the one that updateScores would throw; after some errors the
 * group may be stored.
 */
export type GroupResult =
  | { status: 'accepted' | 'duplicate'; accepted: number; duplicates: Hex[]; waits?: Waits; error?: undefined }
  | { status: 'refused'; accepted: 0; duplicates: Hex[]; error: ApiError }

/** The progress of an accepted update or creation. */
export interface Status {
  status: 'accepted' | 'batched' | 'submitted' | 'included' | 'final'
  /** If final: applied, duplicate, or the reason of a rejection. */
  outcome: string | null
  transactionHash: string | null
  blockNumber: number | null
}

/** A project and the progress of its creation. */
export interface Project extends Status {
  projectId: Hex
  name: string
  /** By index. */
  inputActions: Action[]
  /** By index. */
  scoreTypes: string[]
  /** Owners and updaters, each counted once. */
  members: number
  /** On this page of the members, as are updaters. */
  owners: string[]
  updaters: string[]
  /** Cursor of the next page of members; null: last page. */
  next: string | null
  signedOnly: boolean
  /**
   * The domain to sign under, for signGroup and WholeUpdate.domain. As trustworthy as the API; see
   * ClientOptions.domain.
   */
  signing: SigningDomain
}

export interface UpdateStatus extends Status {
  projectId: Hex
  updateId: Hex
  waits?: Waits
}

/** The status of an update; unknown if it was never accepted. */
export type LookedUp = UpdateStatus | (Omit<UpdateStatus, 'status'> & { status: 'unknown' })

/** The maximum number of updates in a look-up. */
export const maxLookUp = 256

/** A wallet's scores in a project. */
export interface Scores {
  projectId: Hex
  wallet: Hex
  /** The newest block, whose state was read. */
  blockNumber: number
  /** By index of the score type. A score is a decimal 64-bit integer: BigInt reads it exactly. */
  scores: { scoreType: string; score: string }[]
}

/** An update of POST /update-score, which takes names instead of indexes. */
export interface NamedUpdate {
  updateId: string
  projectId: string
  actionName: string
  scoreType: string
  targetWallet: string
}

/**
 * Makes updateScore sign the whole update (EIP-712) instead of the time, so that the signature is valid for it alone.
 */
export interface WholeUpdate {
  scheme: 'eip712'
  /** The deployment to sign for; default: that of ClientOptions. */
  domain?: Domain
}

/**
 * Returns the typed data to sign for a whole update at message, in ms since 1970. Throws a DomainError for an invalid
 * domain.
 */
export function updateTypedData(update: NamedUpdate, message: number, domain: Domain): TypedData {
  const { updateId, projectId, actionName, scoreType, targetWallet } = update
  return {
    domain: signingDomain(domain),
    types: {
      UpdateScore: [
        { name: 'updateId', type: 'bytes32' },
        { name: 'projectId', type: 'bytes32' },
        { name: 'actionName', type: 'string' },
        { name: 'scoreType', type: 'string' },
        { name: 'targetWallet', type: 'address' },
        { name: 'message', type: 'uint256' },
      ],
    },
    primaryType: 'UpdateScore',
    message: { updateId, projectId, actionName, scoreType, targetWallet, message },
  }
}

/**
 * Returns the index of the newest action with that name, for Update.action. An index never changes its meaning.
 * Throws a RangeError if there is none.
 */
export function actionIndex(project: Pick<Project, 'inputActions'>, name: string): number {
  return found(project.inputActions.map((action) => action.name).lastIndexOf(name), 'action', name)
}

/**
 * Returns the index of that score type, for Update.scoreType. An index never changes its meaning. Throws a RangeError
 * if there is none.
 */
export function scoreTypeIndex(project: Pick<Project, 'scoreTypes'>, name: string): number {
  return found(project.scoreTypes.indexOf(name), 'score type', name)
}

function found(index: number, what: string, name: string): number {
  if (index < 0) throw new RangeError(`the project has no ${what} ${name}`)
  return index
}

export interface ClientOptions {
  /** Replaces the global fetch. */
  fetch?: typeof fetch
  /** Timeout of a request, ms; default 15,000. The API responds earlier. */
  timeout?: number
  /**
   * The chain and contract of the backend's own configuration: project and nextEdit throw a DomainError for any
   * others. Without it an attacker who controls the API can make a backend sign for another deployment.
   */
  domain?: Domain
}

// The API never redirects; a proxy's login page on another host would receive the API key.
const redirect = 'error'

/** Calls the HTTP API. Each method sends one request, except for the waiting ones; retry handles its errors. */
export class Client {
  private readonly url: string
  private readonly fetch: typeof fetch
  private readonly timeout: number
  private readonly domain: SigningDomain | undefined

  /** url is the API's, such as https://scorelay.example.com. */
  constructor(url: string, private readonly apiKey: string, options: ClientOptions = {}) {
    if (!/^https?:\/\/./.test(url)) throw new TypeError(`the API's URL must be like https://scorelay.example.com, not ${url}`)
    if (!apiKey) throw new TypeError('the API key is missing')
    this.url = url.replace(/\/$/, '')
    this.fetch = options.fetch ?? ((...args) => fetch(...args))
    this.timeout = options.timeout ?? 15_000
    this.domain = options.domain && signingDomain(options.domain)
  }

  /**
   * Sends a creation. Retry it if the response was lost: it also resolves if the same creation was accepted before.
   * The code project_exists is for a different one.
   */
  async createProject(project: NewProject): Promise<void> {
    await this.call('POST', '/create-project', project).catch((error) => {
      if (!(error instanceof ApiError && error.same)) throw error
    })
  }

  /**
   * Sends one update, signed with the current time or as a whole. duplicate: the id was used before, and nothing was
   * stored. Projects that take only signed groups refuse it (code signed_only). Throws a DomainError if a whole
   * update has no domain.
   */
  async updateScore(update: NamedUpdate, sign: SignMessage): Promise<UpdateAccepted>
  async updateScore(update: NamedUpdate, sign: SignTypedData, whole: WholeUpdate): Promise<UpdateAccepted>
  async updateScore(
    update: NamedUpdate, sign: SignMessage | SignTypedData, whole?: WholeUpdate,
  ): Promise<UpdateAccepted> {
    const now = Date.now()
    const message = now.toString()
    if (!whole) return acceptance(await this.call('POST', '/update-score', { ...update, message, signature: await (sign as SignMessage)(message) }))
    const domain = whole.domain ?? this.domain
    if (!domain) throw new DomainError('a whole update is signed under a domain')
    const signature = await (sign as SignTypedData)(updateTypedData(update, now, domain))
    return acceptance(await this.call('POST', '/update-score', { ...update, message, signature, scheme: whole.scheme }))
  }

  /**
   * Sends a signed group. Its updates are stored together or not at all. duplicates are the ids that were used
   * before.
   */
  async updateScores(
    group: SignedGroup,
  ): Promise<{ status: 'accepted' | 'duplicate'; accepted: number; duplicates: Hex[]; waits?: Waits }> {
    return groupAcceptance(await this.call('POST', '/update-scores', group))
  }

  /**
   * Sends up to 64 signed groups in one request. They must fit into the API's body limit (256 KiB by default: ten to
   * twenty full groups; code body_too_large). Each group is stored separately, and the results are in order: send a
   * group again if its error has a retryAfter.
   */
  async updateGroups(groups: SignedGroup[]): Promise<GroupResult[]> {
    const { groups: answers } = await this.call<{ groups: GroupAnswer[] }>('POST', '/update-groups', { groups })
    return groups.map((_, i) => {
      const answer = answers[i]
      if (!answer) throw new ApiError('no answer from the API about a group', 0, '', defaultWait)
      const { problem, retryAfter, status, ...taken } = answer
      const refused = (error: ApiError): GroupResult => ({ status: 'refused', accepted: 0, duplicates: [], error })
      if (status === 'refused') return refused(refusalOf(problem?.status ?? 500, problem ?? {}, retryAfter))
      try {
        return groupAcceptance({ status, ...taken })
      } catch (error) {
        return refused(error as ApiError) // keeps the results of the other groups
      }
    })
  }

  /** Reserves count ids (1 … maxRange) for this caller. A Minter does the same without a request. */
  async reserveIds(projectId: string, count: number): Promise<IdRange> {
    const range = await this.call<{ first: Hex; count: number }>('POST', '/reserve-ids', { projectId, count })
    return new IdRange(range.first, range.count)
  }

  /**
   * Returns a project and a page of its members, in the order of their addresses. Throws a DomainError, which is
   * permanent, if its domain is not the expected one.
   */
  async project(projectId: string, page: Page = {}): Promise<Project> {
    const project = await this.call<Project>('GET', withQuery(`/projects/${projectId}`, page))
    checkDomain(project.signing, this.domain)
    return this.domain ? { ...project, signing: { ...this.domain } } : project // only the checked fields
  }

  /** Returns the status of an update. The error's code is update_not_found if it was never accepted. */
  async update(projectId: string, updateId: string): Promise<UpdateStatus> {
    return this.call('GET', `/projects/${projectId}/updates/${updateId}`)
  }

  /** Returns the statuses of up to maxLookUp updates, in order, with one request. */
  async updates(projectId: string, updateIds: string[]): Promise<LookedUp[]> {
    const updates = (await this.call<{ updates: LookedUp[] } | null>('POST', '/look-up-updates', { projectId, updateIds }))?.updates
    if (!Array.isArray(updates) || updates.length !== updateIds.length || updates.some((one) => typeof one?.status !== 'string')) throw senseless(`it does not tell of ${updateIds.length} updates`)
    return updates
  }

  /**
   * Waits until all of the updates, any number of them, are final, and resolves with their statuses in order; outcome
   * reports whether an update applied. It polls the remaining updates once a second, or with the delay that the API
   * asks for. It also waits for unknown ids, since an acceptance may become known late: pass a signal, such as
   * AbortSignal.timeout(60_000). After an abort it throws the signal's reason; its cause is the API's error if that
   * was failing.
   */
  async untilFinal(projectId: string, updateIds: Iterable<string>, signal?: AbortSignal): Promise<UpdateStatus[]> {
    const ids = [...updateIds]
    const done: UpdateStatus[] = []
    let open = [...ids.keys()] // updates still to be polled
    for (;;) {
      for (let at = 0; at < open.length; at += maxLookUp) {
        const some = open.slice(at, at + maxLookUp)
        const seen = await within(() => this.updates(projectId, some.map((i) => ids[i]!)), signal)
        some.forEach((i, n) => {
          const update = seen[n]
          if (update?.status === 'final') done[i] = update
        })
      }
      open = open.filter((i) => !done[i])
      if (open.length === 0) return done
      await pause(defaultWait * 1000, signal)
      signal?.throwIfAborted()
    }
  }

  /** Returns a wallet's scores of all score types of the project, as of the newest block. */
  async scores(projectId: string, targetWallet: string): Promise<Scores> {
    return this.call('GET', `/projects/${projectId}/scores/${targetWallet}`)
  }

  /** Returns the final projects that the key may read, in the order of their ids. */
  async projects(page: Page = {}): Promise<ProjectList> {
    return this.call('GET', withQuery('/projects', page))
  }

  /**
   * Returns wallets by their final scores of a type, or by their total, highest first; or the part around a wallet.
   */
  async leaderboard(projectId: string, scoreType: string, page: Page | { around: string; limit?: number } = {}): Promise<Leaderboard> {
    return this.call('GET', withQuery(`/projects/${projectId}/leaderboards/${encodeURIComponent(scoreType)}`, page))
  }

  /**
   * Returns the scores of up to maxWallets wallets as of a final block. scores returns one wallet's as of the newest
   * block.
   */
  async finalScores(projectId: string, wallets: string[]): Promise<FinalScores> {
    return this.call('GET', `/projects/${projectId}/scores?wallets=${wallets.join(',')}`)
  }

  /**
   * Returns the outcomes of a wallet's updates, newest first; final: only final ones. If it reads the chain, as for
   * those that are not final, it counts as several look-ups.
   */
  async history(projectId: string, wallet: string, page: Page & { final?: boolean } = {}): Promise<History> {
    return this.call('GET', withQuery(`/projects/${projectId}/wallets/${wallet}/history`, page))
  }

  /**
   * Returns a project's totals, and the numbers of the days from … to: default the last 30, at most 366. Dates are
   * like 2026-12-31, UTC.
   */
  async stats(projectId: string, days: { from?: string; to?: string } = {}): Promise<Stats> {
    return this.call('GET', withQuery(`/projects/${projectId}/stats`, days))
  }

  /**
   * Returns the nonce and domain for a project's next edit. Throws a DomainError, which is permanent, if its domain
   * is not the expected one.
   */
  async nextEdit(projectId: string): Promise<NextEdit> {
    const next = await this.call<NextEdit>('GET', `/projects/${projectId}/edits`)
    checkDomain(next.signing, this.domain)
    return this.domain ? { ...next, signing: { ...this.domain } } : next
  }

  /** Sends an edit. duplicate: it was accepted before; edit returns its state. */
  async editProject(edit: SignedEdit): Promise<EditAccepted> {
    return this.call('POST', `/projects/${edit.projectId}/edits`, writtenEdit(edit))
  }

  /** Returns the progress of the edit with a nonce. */
  async edit(projectId: string, nonce: number): Promise<EditState> {
    return this.call('GET', `/projects/${projectId}/edits/${nonce}`)
  }

  /**
   * Waits until the edit with a nonce is final; outcome reports whether it applied. It polls once a second, or with
   * the delay that the API asks for. Pass a signal: after an abort it throws the signal's reason, like untilFinal.
   */
  async editFinal(projectId: string, nonce: number, signal?: AbortSignal): Promise<EditState> {
    for (;;) {
      const edit = await within(() => this.edit(projectId, nonce), signal)
      if (edit.status === 'final') return edit
      await pause(defaultWait * 1000, signal)
      signal?.throwIfAborted()
    }
  }

  /**
   * Streams a project's final events and reconnects as often as needed. Each event is delivered at least once. A
   * client that stores the cursor of the newest processed event and resumes there misses none. Throws the signal's
   * reason after an abort, or a permanent ApiError: the key, the project, or a cursor whose block the chain replaced.
   */
  events(projectId: string, options: EventOptions = {}): AsyncGenerator<ProjectEvent, void, undefined> {
    const path = withQuery(`/projects/${projectId}/events`, { after: options.after })
    return followEvents((cursor, signal) => this.fetch(this.url + path, {
      headers: { 'X-API-KEY': this.apiKey, Accept: 'text/event-stream', ...(cursor !== undefined && { 'Last-Event-ID': cursor }) }, signal, redirect,
    }), options)
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const init: RequestInit = { method, headers: { 'X-API-KEY': this.apiKey }, signal: AbortSignal.timeout(this.timeout), redirect }
    if (body !== undefined) {
      init.headers = { ...init.headers, 'Content-Type': 'application/json' }
      init.body = JSON.stringify(body)
    }
    let response: Response
    let text: string
    try {
      response = await this.fetch(this.url + path, init)
      text = await textOf(response)
    } catch (cause) {
      throw new ApiError(`no answer from the API: ${String(cause)}`, 0, '', defaultWait, [], '', { cause })
    }
    if (response.status !== 200) throw refusal(response, text)
    try {
      return JSON.parse(text) as T
    } catch (cause) {
      throw new ApiError('no answer from the API: what came is not its JSON', 0, '', defaultWait, [], '', { cause })
    }
  }
}

interface GroupAnswer {
  status: 'accepted' | 'duplicate' | 'refused'
  accepted: number
  duplicates: Hex[]
  waits?: Waits
  problem?: Problem
  retryAfter?: number
}
