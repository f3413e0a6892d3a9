import type { Hex } from './ids.js'

/** A deployment to sign for, from the backend's configuration or Project.signing. */
export interface Domain {
  /** EIP-155. */
  chainId: number
  /** The address of the ScoreRegistry. Its EIP-55 checksum is ignored. */
  verifyingContract: string
}

/** An EIP-712 domain in the form of ethers, viem and `eth_signTypedData_v4`. */
export type SigningDomain = { name: string; version: string; chainId: number; verifyingContract: Hex }

export interface Field {
  name: string
  type: string
}

/** The type of the domain, for libraries that need it in the types: web3.js and `eth_signTypedData_v4`. */
export const domainType: Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/**
 * Typed data to sign, in the form of ethers, viem and `eth_signTypedData_v4`: a group, a whole update, or an edit.
 */
export interface TypedData {
  domain: SigningDomain
  types: Record<string, Field[]>
  primaryType: string
  message: Record<string, unknown>
}

/** Signs typed data with the wallet of an owner or updater. The signature has 65 bytes, or 64 (EIP-2098). */
export type SignTypedData = (data: TypedData) => string | Promise<string>

const name = 'Scorelay'
const version = '1'

/** Reports that the domain to sign under is missing or unexpected. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
}

/**
 * Returns the domain to sign under for a deployment. It rejects a chain id above the safe integers, since the
 * signature would be for another chain.
 */
export function signingDomain({ chainId, verifyingContract }: Domain): SigningDomain {
  if (!Number.isSafeInteger(chainId) || chainId < 0) throw new DomainError(`${String(chainId)} is no chain id that a number holds exactly`)
  if (!/^0x[0-9a-fA-F]{40}$/.test(verifyingContract)) throw new DomainError(`${verifyingContract} is no address of a contract`)
  return { name, version, chainId, verifyingContract: verifyingContract.toLowerCase() as Hex }
}

/** Throws a DomainError if the API's domain is not the expected one, or unknown to this package. */
export function checkDomain(told: SigningDomain | null | undefined, expected: SigningDomain | undefined): void {
  if (told && (told.name !== name || told.version !== version)) {
    throw new DomainError(`the API tells of the domain ${told.name} ${told.version}; known is ${name} ${version}`)
  }
  if (!expected) return
  const contract = String(told?.verifyingContract).toLowerCase()
  if (told?.chainId !== expected.chainId || contract !== expected.verifyingContract) {
    throw new DomainError(`the API tells of ${describe(told)}; expected ${describe(expected)}`)
  }
}

function describe(domain: SigningDomain | null | undefined): string {
  return domain ? `contract ${domain.verifyingContract} on chain ${domain.chainId}` : 'no contract'
}
