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
  /** Without it the project gets the deployment's default. */
  scoreTypes?: string[]
  /** Takes updates in signed groups only. */
  signedOnly?: boolean
}

/** What the API did with one update. */
export interface UpdateAccepted {
  projectId: Hex
  updateId: Hex
  /** duplicate: an update of this id was accepted before; nothing was stored. */
  status: 'accepted' | 'duplicate'
  /** Where the update can be followed: a path of the API. */
  statusUrl: string
  waits?: Waits
  /** Of a duplicate, where the API knows it: false if the update that was accepted before has another action, score type or target. */
  sameContent?: boolean
}

/** Why what was accepted waits: it is stored, and is carried out when that ends. Absent where nothing holds it up. */
export interface Waits {
  /** paused: by an operator. Others may come. */
  why: string
  /** For people. */
  reason: string
}

/** What became of one of several groups; refused: error is what updateScores would have thrown, and says whether it may be stored all the same. */
export type GroupResult =
  | { status: 'accepted' | 'duplicate'; accepted: number; duplicates: Hex[]; waits?: Waits; error?: undefined }
  | { status: 'refused'; accepted: 0; duplicates: Hex[]; error: ApiError }

/** How far an accepted update or creation has come. */
export interface Status {
  status: 'accepted' | 'batched' | 'submitted' | 'included' | 'final'
  /** Once final: applied, duplicate, or why it was rejected. */
  outcome: string | null
  transactionHash: string | null
  blockNumber: number | null
}

/** A project, and how far its creation has come. */
export interface Project extends Status {
  projectId: Hex
  name: string
  /** By index. */
  inputActions: Action[]
  /** By index. */
  scoreTypes: string[]
  /** Owners and updaters, each counted once. */
  members: number
  /** As updaters: of this page of the members. */
  owners: string[]
  updaters: string[]
  /** Where the next members begin; null: there are no more. */
  next: string | null
  signedOnly: boolean
  /** The domain that is signed under, for signGroup and WholeUpdate.domain: to be trusted as the API is; see ClientOptions.domain. */
  signing: SigningDomain
}

export interface UpdateStatus extends Status {
  projectId: Hex
  updateId: Hex
  waits?: Waits
}

/** How far an update has come, or that nothing is known of it. */
export type LookedUp = UpdateStatus | (Omit<UpdateStatus, 'status'> & { status: 'unknown' })

/** The most updates of one look-up. */
export const maxLookUp = 256

/** A wallet's scores in a project. */
export interface Scores {
  projectId: Hex
  wallet: Hex
  /** The state of which block was read: the newest. */
  blockNumber: number
  /** By index of the score type. A score is a decimal integer of 64 bits: BigInt reads it exactly. */
  scores: { scoreType: string; score: string }[]
}

/** An update of POST /update-score, which takes names. */
export interface NamedUpdate {
  updateId: string
  projectId: string
  actionName: string
  scoreType: string
  targetWallet: string
}

/** What updateScore has signed instead of the time: the whole update (EIP-712), so that the signature is good for nothing else. */
export interface WholeUpdate {
  scheme: 'eip712'
  /** The deployment that is signed for; that of ClientOptions unless given. */
  domain?: Domain
}

/** What a wallet signs for a whole update at that time, ms since 1970. Throws a DomainError for what is no domain. */
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

/** The index of the newest action of that name, for Update.action. An index never changes its meaning. */
export function actionIndex(project: Pick<Project, 'inputActions'>, name: string): number {
  return found(project.inputActions.map((action) => action.name).lastIndexOf(name), 'action', name)
}

/** The index of that score type, for Update.scoreType. An index never changes its meaning. */
export function scoreTypeIndex(project: Pick<Project, 'scoreTypes'>, name: string): number {
  return found(project.scoreTypes.indexOf(name), 'score type', name)
}

function found(index: number, what: string, name: string): number {
  if (index < 0) throw new RangeError(`the project has no ${what} ${name}`)
  return index
}

export interface ClientOptions {
  /** Instead of the global fetch. */
  fetch?: typeof fetch
  /** How long a request may take, ms; 15,000 unless given. The API itself answers before that. */
  timeout?: number
  /**
   * The chain and contract of the backend's own configuration: project() throws a DomainError for any others. Without it
   * an attacker who controls the API could have a backend sign for another deployment.
   */
  domain?: Domain
}

const redirect = 'error' // the API has none, and a proxy's login page elsewhere would be sent the key

/** Speaks to the HTTP API. Each method sends one request; see retry for what to do with their errors. */
export class Client {
  private readonly url: string
  private readonly fetch: typeof fetch
  private readonly timeout: number
  private readonly domain: SigningDomain | undefined

  /** url is that of the API, such as https://scorelay.example.com. */
  constructor(url: string, private readonly apiKey: string, options: ClientOptions = {}) {
    this.url = url.replace(/\/$/, '')
    this.fetch = options.fetch ?? ((...args) => fetch(...args))
    this.timeout = options.timeout ?? 15_000
    this.domain = options.domain && signingDomain(options.domain)
  }

  /**
   * Sends a creation. It may be repeated after a lost answer: it resolves, too, if this very creation was accepted before. A code project_exists is
   * of another one.
   */
  async createProject(project: NewProject): Promise<void> {
    await this.call('POST', '/create-project', project).catch((error) => {
      if (!(error instanceof ApiError && error.same)) throw error
    })
  }

  /**
   * Sends one update under a signature of the current time, or of the whole update. A duplicate's id was used before; then
   * nothing was stored. Projects that take only signed groups refuse it (code signed_only). Throws a DomainError if there is
   * no domain for a whole update.
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

  /** Sends a signed group. Its updates are stored together or not at all; duplicates are those whose ids were used before. */
  async updateScores(
    group: SignedGroup,
  ): Promise<{ status: 'accepted' | 'duplicate'; accepted: number; duplicates: Hex[]; waits?: Waits }> {
    return groupAcceptance(await this.call('POST', '/update-scores', group))
  }

  /**
   * Sends up to 64 signed groups in one request, as many as fit into the API's bound of a body (256 KiB by default: ten to twenty full
   * groups, or an ApiError of code body_too_large). Each is stored or not by itself; the results are in the order of the groups. Send
   * those again whose error has a retryAfter.
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
        return refused(error as ApiError) // the others' results are worth no less
      }
    })
  }

  /** Asks for count ids (1 … maxRange) that no other caller will get. A Minter makes the same without a request. */
  async reserveIds(projectId: string, count: number): Promise<IdRange> {
    const range = await this.call<{ first: Hex; count: number }>('POST', '/reserve-ids', { projectId, count })
    return new IdRange(range.first, range.count)
  }

  /** Asks for a project and a page of its members, in the order of their addresses. Throws a DomainError, which is final, if its domain is not the one expected. */
  async project(projectId: string, page: Page = {}): Promise<Project> {
    const project = await this.call<Project>('GET', withQuery(`/projects/${projectId}`, page))
    checkDomain(project.signing, this.domain)
    return this.domain ? { ...project, signing: { ...this.domain } } : project // what was checked, and nothing beside it
  }

  /** Asks how far an update has come. One that was never accepted has the code update_not_found. */
  async update(projectId: string, updateId: string): Promise<UpdateStatus> {
    return this.call('GET', `/projects/${projectId}/updates/${updateId}`)
  }

  /** Asks how far up to maxLookUp updates have come, in one request; the answers are in their order. */
  async updates(projectId: string, updateIds: string[]): Promise<LookedUp[]> {
    const updates = (await this.call<{ updates: LookedUp[] } | null>('POST', '/look-up-updates', { projectId, updateIds }))?.updates
    if (!Array.isArray(updates) || updates.length !== updateIds.length || updates.some((one) => typeof one?.status !== 'string')) throw senseless(`it does not tell of ${updateIds.length} updates`)
    return updates
  }

  /**
   * Waits until all of the updates, any number of them, are final; the answers are in their order, and tell by their outcome
   * whether they applied. It looks once a second, or when the API asks for it, and only for those that are not final yet. An
   * id under which nothing was accepted is waited for as well, since an acceptance may become known late: give it a signal,
   * such as AbortSignal.timeout(60_000). When that aborts it throws the signal's reason; its cause is the API's last error if it
   * was failing then.
   */
  async untilFinal(projectId: string, updateIds: Iterable<string>, signal?: AbortSignal): Promise<UpdateStatus[]> {
    const ids = [...updateIds]
    const done: UpdateStatus[] = []
    let open = [...ids.keys()] // which are not final yet
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

  /** Asks for a wallet's scores of all score types of the project. */
  async scores(projectId: string, targetWallet: string): Promise<Scores> {
    return this.call('GET', `/projects/${projectId}/scores/${targetWallet}`)
  }

  /** Asks for the final projects that the key may read, in the order of their ids. */
  async projects(page: Page = {}): Promise<ProjectList> {
    return this.call('GET', withQuery('/projects', page))
  }

  /** Asks for wallets by their final scores of a type, or by their total, the highest first; or for the part around a wallet. */
  async leaderboard(projectId: string, scoreType: string, page: Page | { around: string; limit?: number } = {}): Promise<Leaderboard> {
    return this.call('GET', withQuery(`/projects/${projectId}/leaderboards/${encodeURIComponent(scoreType)}`, page))
  }

  /** Asks for scores of up to maxWallets wallets as of a final block; scores tells those of one as of the newest. */
  async finalScores(projectId: string, wallets: string[]): Promise<FinalScores> {
    return this.call('GET', `/projects/${projectId}/scores?wallets=${wallets.join(',')}`)
  }

  /**
   * Asks what became of a wallet's updates, the newest first; final leaves out what is not final yet. One that asks the chain, as for what is not
   * final, counts as several look-ups.
   */
  async history(projectId: string, wallet: string, page: Page & { final?: boolean } = {}): Promise<History> {
    return this.call('GET', withQuery(`/projects/${projectId}/wallets/${wallet}/history`, page))
  }

  /** Asks for a project's numbers, with those of the days from … to: the last 30 unless given, 366 at most. Dates are as 2026-12-31, UTC. */
  async stats(projectId: string, days: { from?: string; to?: string } = {}): Promise<Stats> {
    return this.call('GET', withQuery(`/projects/${projectId}/stats`, days))
  }

  /** Asks what a project's next edit is signed with. Throws a DomainError, which is final, if its domain is not the one expected. */
  async nextEdit(projectId: string): Promise<NextEdit> {
    const next = await this.call<NextEdit>('GET', `/projects/${projectId}/edits`)
    checkDomain(next.signing, this.domain)
    return this.domain ? { ...next, signing: { ...this.domain } } : next
  }

  /** Sends an edit. A duplicate was accepted before: ask edit what became of it. */
  async editProject(edit: SignedEdit): Promise<EditAccepted> {
    return this.call('POST', `/projects/${edit.projectId}/edits`, writtenEdit(edit))
  }

  /** Asks how far the edit with a nonce has come. */
  async edit(projectId: string, nonce: number): Promise<EditState> {
    return this.call('GET', `/projects/${projectId}/edits/${nonce}`)
  }

  /**
   * Waits until the edit with a nonce is final; its outcome tells whether it was made. It looks once a second, or when the API asks for
   * it. Give it a signal: when that aborts it throws the signal's reason, as untilFinal does.
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
   * Follows what becomes final of a project, over any number of connections, for as long as it takes. Each event comes at least once: who keeps
   * the cursor of the newest one that it is done with and begins there again misses none. Throws the signal's reason when that aborts, or
   * an ApiError when the API refuses for good: the key, the project, a cursor whose block the chain has replaced.
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
