import type { Action } from './client.js'
import type { Edit } from './edits.js'
import { ApiError, defaultWait, pause, refusal } from './errors.js'
import type { Hex } from './ids.js'
import { Pace } from './pace.js'

/** A final event of a project. Types may occur that are newer than this package. */
export type ProjectEvent =
  | Told<'update.applied' | 'update.duplicate' | 'update.rejected' | 'update.replayed', UpdateData>
  | Told<'project.created' | 'project.rejected' | 'project.replayed', ProjectData>
  | Told<'project.changed', ChangeData>
  | Told<'edit.rejected', EditData>
  | Told<'chain.rewound', RewindData>

export interface Told<Type, Data> {
  /** The same at each repetition; drop an event with a known id. */
  id: string
  type: Type
  /** RFC 3339. */
  timestamp: string
  projectId: Hex
  data: Data
  /** Position after the event; store it once the event is processed. */
  cursor: string
}

/** The event's transaction and block; null if there is no transaction. */
export interface TxRef {
  transactionHash: Hex | null
  blockNumber: number | null
}

export interface UpdateData extends TxRef {
  updateId: Hex
  targetWallet: Hex
  signer: Hex
  /** null if the project lacks it, then points is null. */
  action: string | null
  /** Of the action, signed; only update.applied changed the score by them. */
  points: number | null
  /** null if the project lacks it. */
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

/** One change: exactly one of member (with its roles), action, scoreType and signedOnly is set. */
export interface ChangeData extends TxRef {
  member?: Hex
  /** The member's roles now; empty if removed. */
  roles?: ('owner' | 'updater')[]
  action?: Action
  scoreType?: string
  signedOnly?: boolean
}

/** An owner's edit without effect. Other edits cause project.changed. */
export interface EditData extends TxRef {
  nonce: number
  owner: Hex
  edits: Required<Edit>[]
  outcome: string
}

/**
 * A reorg replaced final blocks. Events of later blocks are void. Forget their ids: events that still hold are sent
 * again under the same ids.
 */
export interface RewindData {
  /** The newest final block that is still canonical. */
  blockNumber: number
  /** null if unknown. */
  blockHash: Hex | null
}

/** Options of Client.events. */
export interface EventOptions {
  /** start: the project's first event; now (the default): the events after the request; or a cursor. */
  after?: string
  /**
   * Called with a newer cursor between events: at the beginning, and while the project has no events. Store it like
   * an event's.
   */
  moved?: (cursor: string) => void
  signal?: AbortSignal
  /** Called before a reconnect with the reason why the connection ended. The API ends connections regularly. */
  trouble?: (error: unknown) => void
}

// ms until a silent connection counts as dead: three heartbeats of the API
const maxSilence = 45_000

type Connect = (cursor: string | undefined, signal: AbortSignal) => Promise<Response>

/** Yields the events of successive connections, until the signal aborts or the API refuses permanently. */
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
      // An error without a code came from a proxy, not from the API.
      if (error instanceof ApiError && error.retryAfter === 0 && error.code !== '') throw error
      pace.failed(error)
      trouble?.(error)
    } finally {
      signal?.removeEventListener('abort', abort)
      connection.abort()
    }
    await pause(Math.max(pace.wait, (at.retry ?? 0) * (1 + Math.random() / 2)), signal) // jitter
  }
}

interface Position {
  /** The newest received. */
  cursor?: string | undefined
  /** Minimum pause between connections, ms, set by the API. */
  retry?: number
}

/** The newest cursor, and the event directly before it, if there is one. */
interface Frame {
  cursor: string | undefined
  event: ProjectEvent | undefined
}

/** Yields the frames of one connection. */
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
      const field = colon < 0 ? line : line.slice(0, colon) // a heartbeat has none
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'id') cursor = value
      else if (field === 'data') data += `${value}\n`
      else if (field === 'retry' && /^[0-9]{1,5}$/.test(value)) at.retry = Number(value)
      if (line !== '') continue
      const event = data === '' ? undefined : { ...JSON.parse(data), cursor }
      data = ''
      clearTimeout(silence) // while the caller works
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
