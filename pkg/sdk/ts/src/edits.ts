import type { Status, Waits } from './client.js'
import { type Domain, type SigningDomain, signingDomain, type SignTypedData, type TypedData } from './domain.js'
import type { Hex } from './ids.js'

/** The operation of an edit, as the owner's wallet shows it. */
export type Operation =
  | 'add owner' | 'remove owner' | 'add updater' | 'remove updater' | 'add action' | 'add score type' | 'require signed groups' | 'allow unsigned groups'

/** One change of a project by its owner. Omit the fields that the operation does not use. */
export interface Edit {
  operation: Operation
  /** For the four operations on members. */
  member?: string
  /** For 'add action' and 'add score type'. */
  name?: string
  /** For 'add action'. */
  points?: number
  /** For 'add action': 0 adds the points (the default), 1 subtracts them. */
  direction?: 0 | 1
}

/** The edits that an owner signs: all of one project, applied in order, all or none. */
export interface ProjectEdit {
  projectId: string
  /** If empty, only the nonce is used up, which cancels other edits signed with it. */
  edits: Edit[]
  /** NextEdit.nextNonce. */
  nonce: number
  /** Latest timestamp of its block, seconds since 1970; at least a minute ahead. */
  deadline: number
}

/** An edit with its owner's signature. It can be sent again until its deadline. */
export interface SignedEdit extends ProjectEdit {
  signature: string
}

/** The nonce and domain to sign a project's next edit with. */
export interface NextEdit {
  projectId: Hex
  nextNonce: number
  /** An edit is pending; the next one is accepted after it is final. */
  waits: boolean
  /** As trustworthy as the API; see ClientOptions.domain. */
  signing: SigningDomain
}

/** The response to an edit. */
export interface EditAccepted {
  projectId: Hex
  nonce: number
  /** duplicate: the same edit was accepted before. */
  status: 'accepted' | 'duplicate'
  /** Path of the API with the edit's status. */
  statusUrl: string
  waits?: Waits
}

/** The progress of an edit. */
export interface EditState extends Status {
  projectId: Hex
  nonce: number
  /** Of a rejection, human-readable. */
  reason: string | null
  /** The signer; null if no longer known. */
  owner: Hex | null
  /** null if no longer known. */
  edits: Required<Edit>[] | null
  waits?: Waits
}

/** Returns the typed data to sign for an edit (EIP-712). Throws a DomainError for an invalid domain. */
export function editTypedData(edit: ProjectEdit, domain: Domain): TypedData {
  const { projectId, edits, nonce, deadline } = edit
  return {
    domain: signingDomain(domain),
    types: {
      EditProject: [
        { name: 'projectId', type: 'bytes32' },
        { name: 'edits', type: 'Edit[]' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
      Edit: [
        { name: 'operation', type: 'string' },
        { name: 'member', type: 'address' },
        { name: 'name', type: 'string' },
        { name: 'points', type: 'uint32' },
        { name: 'direction', type: 'uint8' },
      ],
    },
    primaryType: 'EditProject',
    message: { projectId, edits: edits.map(whole), nonce, deadline },
  }
}

/** Returns the edit as it is signed: missing fields are zero. */
function whole({ operation, member = `0x${'00'.repeat(20)}`, name = '', points = 0, direction = 0 }: Edit): Required<Edit> {
  return { operation, member, name, points, direction }
}

/** Signs an edit with an owner's wallet. Throws a DomainError for an invalid domain. */
export async function signEdit(edit: ProjectEdit, domain: Domain, sign: SignTypedData): Promise<SignedEdit> {
  return { ...edit, signature: await sign(editTypedData(edit, domain)) }
}

/** Returns the body of the request. */
export function writtenEdit({ edits, nonce, deadline, signature }: SignedEdit): Omit<SignedEdit, 'projectId'> {
  return { edits, nonce, deadline, signature }
}
