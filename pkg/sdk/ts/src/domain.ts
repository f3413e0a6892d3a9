import type { Hex } from './ids.js'

/** The deployment that is signed for, as a backend configures it or as Project.signing tells it. */
export interface Domain {
  /** EIP-155. */
  chainId: number
  /** The address of the ScoreRegistry. Its EIP-55 checksum is not looked at. */
  verifyingContract: string
}

/** An EIP-712 domain, as ethers, viem and `eth_signTypedData_v4` take it. */
export type SigningDomain = { name: string; version: string; chainId: number; verifyingContract: Hex }

export interface Field {
  name: string
  type: string
}

/** The type of the domain, for what wants it among the types: web3.js and `eth_signTypedData_v4`. */
export const domainType: Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** What a wallet signs, as ethers, viem and `eth_signTypedData_v4` take it: of a group, a whole update, or an edit. */
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

/** Says that there is no domain to sign under, or another than the one expected. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
}

/**
 * What is signed under for the deployment. A chain's id that a number does not hold exactly is refused: the signature
 * would be for another chain.
 */
export function signingDomain({ chainId, verifyingContract }: Domain): SigningDomain {
  if (!Number.isSafeInteger(chainId) || chainId < 0) throw new DomainError(`${String(chainId)} is no chain id that a number holds exactly`)
  if (!/^0x[0-9a-fA-F]{40}$/.test(verifyingContract)) throw new DomainError(`${verifyingContract} is no address of a contract`)
  return { name, version, chainId, verifyingContract: verifyingContract.toLowerCase() as Hex }
}

/** Throws a DomainError if what the API tells is another domain than the one expected, or one that is not known here. */
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
