// The libraries that sign in the tests, all with one key.
import { Wallet } from 'ethers'
import { privateKeyToAccount } from 'viem/accounts'
import { getEncodedEip712Data } from 'web3-eth-abi'
import { signRaw } from 'web3-eth-accounts'
import { domainType } from '../dist/index.js'

export const key = '0x' + '5c'.padStart(64, '0') // that of the Go vectors
const wallet = new Wallet(key)
const account = privateKeyToAccount(key)

export const address = wallet.address.toLowerCase()

export const libraries = {
  ethers: (data) => wallet.signTypedData(data.domain, data.types, data.message),
  viem: (data) => account.signTypedData(data),
  'web3.js': (data) =>
    signRaw(getEncodedEip712Data({ ...data, types: { EIP712Domain: domainType, ...data.types } }), key).signature,
}
