// Holds the adapters of docs/ids.md against the types of the libraries. It is compiled and not run.
import type { TypedDataDomain, TypedDataField, Wallet } from 'ethers'
import type { TypedDataDomain as ViemDomain } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Eip712TypedData } from 'web3-types'
import { getEncodedEip712Data } from 'web3-eth-abi'
import { signRaw } from 'web3-eth-accounts'
import { type Client, type NamedUpdate, type Project, type SignMessage, type SignTypedData, type TypedData, domainType } from '../src/index.js'

export const ethers = (wallet: Wallet): SignTypedData =>
  (data) => wallet.signTypedData(data.domain, data.types, data.message)

export const viem = (account: PrivateKeyAccount): SignTypedData =>
  (data) => account.signTypedData(data)

export const web3 = (key: string): SignTypedData =>
  (data) => signRaw(getEncodedEip712Data({ ...data, types: { EIP712Domain: domainType, ...data.types } }), key).signature

export const messages = (wallet: Wallet, account: PrivateKeyAccount): SignMessage[] =>
  [(message) => wallet.signMessage(message), (message) => account.signMessage({ message })]

export const whole = (client: Client, update: NamedUpdate, account: PrivateKeyAccount, wallet: Wallet): Promise<unknown>[] => [
  client.updateScore(update, viem(account), { scheme: 'eip712' }),
  client.updateScore(update, ethers(wallet), { scheme: 'eip712', domain: { chainId: 1, verifyingContract: '0x' } }),
  client.updateScore(update, (message) => wallet.signMessage(message)),
]

export const types = (data: TypedData): Record<string, TypedDataField[]> => data.types
export const web3Types = (data: TypedData): Eip712TypedData => ({ ...data, types: { EIP712Domain: domainType, ...data.types } })
export const domains = ({ signing }: Project): [TypedDataDomain, ViemDomain, Eip712TypedData['domain']] => [signing, signing, signing]
