import type { Action } from './client.js'
import type { Edit } from './edits.js'
import { ApiError, defaultWait, pause, refusal } from './errors.js'
import type { Hex } from './ids.js'
import { Pace } from './pace.js'

/** Tells one thing that became final of a project. Types may come that are newer than this package. */
export type ProjectEvent =
  | Told<'update.applied' | 'update.duplicate' | 'update.rejected' | 'update.replayed', UpdateData>
  | Told<'project.created' | 'project.rejected' | 'project.replayed', ProjectData>
  | Told<'project.changed', ChangeData>
  | Told<'edit.rejected', EditData>
  | Told<'chain.rewound', RewindData>

export interface Told<Type, Data> {
  /** The same however often the event comes: who has seen it drops it. */
  id: string
  type: Type
  /** RFC 3339. */
  timestamp: string
  projectId: Hex
  data: Data
  /** Where to continue behind the event: keep it when all that the event is for is done. */
  cursor: string
}

/** Where on the chain something was done; null of what no transaction did. */
export interface TxRef {
  transactionHash: Hex | null
  blockNumber: number | null
}

export interface UpdateData extends TxRef {
  updateId: Hex
  targetWallet: Hex
  signer: Hex
  /** null where the project does not have it; so points. */
  action: string | null
  /** Of the action, signed; only of update.applied the score changed by them. */
  points: number | null
  /** null where the project does not have it. */
  scoreType: string | null
  outcome: string
}

export interface ProjectData extends TxRef {
  name: string
  inputActions: Action[]
  scoreTypes: string[]
  owners: Hex[]
  updaters: Hex[]
  signedOnly: boolean
  outcome: string
}

/** One change: of member with its roles, action, scoreType and signedOnly one is there. */
export interface ChangeData extends TxRef {
  member?: Hex
  /** That the member has now; none if it is no member any more. */
  roles?: ('owner' | 'updater')[]
  action?: Action
  scoreType?: string
  signedOnly?: boolean
}

/** An edit that was posted, and of which nothing was made. What is made of others is told by project.changed. */
export interface EditData extends TxRef {
  nonce: number
  owner: Hex
  edits: Required<Edit>[]
  outcome: string
}

/** A reorg deeper than finality. Events of later blocks are void, whose ids are to be forgotten: what holds of them comes again, under its id. */
export interface RewindData {
  /** The newest block that stands. */
  blockNumber: number
  /** null where it is not known. */
  blockHash: Hex | null
}

/** Which events are followed. */
export interface EventOptions {
  /** start, with the project's first event; now, which is so unless given, with what becomes final from now on; or a cursor. */
  after?: string
  /** Told of a newer cursor between events, at the beginning and while nothing becomes final, to keep as an event's. */
  moved?: (cursor: string) => void
  signal?: AbortSignal
  /** Told why a connection ended, before the next one. The API ends one now and then. */
  trouble?: (error: unknown) => void
}

const maxSilence = 45_000 // ms, three of the API's heart-beats, before the connection is taken for dead

type Connect = (cursor: string | undefined, signal: AbortSignal) => Promise<Response>

/** Yields the events of connections that follow each other, until the signal aborts or the API refuses for good. */
export async function* followEvents(connect: Connect, { signal, moved, trouble }: EventOptions): AsyncGenerator<ProjectEvent, void, undefined> {
  const pace = new Pace()
  const at: Position = {}
  for (;;) {
    signal?.throwIfAborted()
    const connection = new AbortController()
    const abort = (): void => connection.abort(signal?.reason)
    signal?.addEventListener('abort', abort)
    try {
      for await (const { cursor, event } of framesOf(connect, connection, at)) {
        const newer = cursor !== at.cursor
        at.cursor = cursor
        pace.succeeded()
        if (event) yield event
        else if (newer) moved?.(cursor!)
      }
      throw new ApiError('the API ended the stream', 0, '', defaultWait)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ApiError && error.retryAfter === 0 && error.code !== '') throw error // what has no code came from what is between, not from the API
      pace.failed(error)
      trouble?.(error)
    } finally {
      signal?.removeEventListener('abort', abort)
      connection.abort()
    }
    await pause(Math.max(pace.wait, (at.retry ?? 0) * (1 + Math.random() / 2)), signal) // not all readers at once
  }
}

interface Position {
  /** The newest cursor that came. */
  cursor?: string | undefined
  /** The least pause between two connections, as the API asks for it, ms. */
  retry?: number
}

/** What comes at once: the newest cursor, and an event that it is right behind, if there is one. */
interface Frame {
  cursor: string | undefined
  event: ProjectEvent | undefined
}

/** Yields what comes over one connection. */
async function* framesOf(connect: Connect, connection: AbortController, at: Position): AsyncGenerator<Frame> {
  let silence: ReturnType<typeof setTimeout> | undefined
  const heard = (): void => {
    clearTimeout(silence)
    silence = setTimeout(() => connection.abort(new ApiError(`the API has said nothing for ${maxSilence / 1000} s`, 0, '', defaultWait)), maxSilence)
  }
  heard()
  try {
    const response = await connect(at.cursor, connection.signal)
    if (response.status !== 200) throw refusal(response, await response.text())
    let data = ''
    let cursor = at.cursor
    for await (const line of linesOf(response, heard)) {
      const colon = line.indexOf(':')
      const field = colon < 0 ? line : line.slice(0, colon) // of a heart-beat there is none
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'id') cursor = value
      else if (field === 'data') data += `${value}\n`
      else if (field === 'retry' && /^[0-9]{1,5}$/.test(value)) at.retry = Number(value)
      if (line !== '') continue
      const event = data === '' ? undefined : { ...JSON.parse(data), cursor }
      data = ''
      clearTimeout(silence) // as long as the caller works
      yield { cursor, event }
      heard()
    }
  } finally {
    clearTimeout(silence)
  }
}

async function* linesOf(response: Response, heard: () => void): AsyncGenerator<string> {
  const reader = response.body!.getReader()
  const text = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    const lines = (rest + text.decode(value, { stream: true })).split(/\r?\n/)
    rest = lines.pop()!
    yield* lines
  }
}
