import type { Status, Waits } from './client.js'
import { type Domain, type SigningDomain, signingDomain, type SignTypedData, type TypedData } from './domain.js'
import type { Hex } from './ids.js'

/** What an edit does, in the words that the owner's wallet shows. */
export type Operation =
  | 'add owner' | 'remove owner' | 'add updater' | 'remove updater' | 'add action' | 'add score type' | 'require signed groups' | 'allow unsigned groups'

/** One change of a project by its owner. What its operation does not use is left out. */
export interface Edit {
  operation: Operation
  /** Of the four operations on members. */
  member?: string
  /** Of 'add action' and 'add score type'. */
  name?: string
  /** Of 'add action'. */
  points?: number
  /** Of 'add action': 0 adds the points, which is so unless given, 1 subtracts them. */
  direction?: 0 | 1
}

/** What an owner signs: edits of one project, which are made in order, all or none. */
export interface ProjectEdit {
  projectId: string
  /** None: the nonce is used up, which takes back what else was signed with it. */
  edits: Edit[]
  /** NextEdit.nextNonce. */
  nonce: number
  /** The last second, since 1970, in which a block may have it; at least a minute ahead. */
  deadline: number
}

/** An edit that an owner has signed. It may be sent again for as long as its deadline is not over. */
export interface SignedEdit extends ProjectEdit {
  signature: string
}

/** What a project's next edit is signed with. */
export interface NextEdit {
  projectId: Hex
  nextNonce: number
  /** An edit is under way, and the next is accepted when that is final. */
  waits: boolean
  /** To be trusted as the API is; see ClientOptions.domain. */
  signing: SigningDomain
}

/** What the API did with an edit. */
export interface EditAccepted {
  projectId: Hex
  nonce: number
  /** duplicate: this very edit was accepted before. */
  status: 'accepted' | 'duplicate'
  /** Where the edit can be followed: a path of the API. */
  statusUrl: string
  waits?: Waits
}

/** How far an edit has come. */
export interface EditState extends Status {
  projectId: Hex
  nonce: number
  /** Of a rejection, for people. */
  reason: string | null
  /** Who signed; null where that is not known any more. */
  owner: Hex | null
  /** null where that is not known any more. */
  edits: Required<Edit>[] | null
  waits?: Waits
}

/** What a wallet signs for an edit (EIP-712). Throws a DomainError for what is no domain. */
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

/** An edit as it is signed: what is left out is zero. */
function whole({ operation, member = `0x${'00'.repeat(20)}`, name = '', points = 0, direction = 0 }: Edit): Required<Edit> {
  return { operation, member, name, points, direction }
}

/** Asks the wallet of an owner for the signature of an edit. Throws a DomainError for what is no domain. */
export async function signEdit(edit: ProjectEdit, domain: Domain, sign: SignTypedData): Promise<SignedEdit> {
  return { ...edit, signature: await sign(editTypedData(edit, domain)) }
}

/** The body of the request. */
export function writtenEdit({ edits, nonce, deadline, signature }: SignedEdit): Omit<SignedEdit, 'projectId'> {
  return { edits, nonce, deadline, signature }
}
