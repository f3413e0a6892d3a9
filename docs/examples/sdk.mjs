// docs/examples/sdk.mjs: sends an update with the SDK and waits for its outcome
import { Client, Minter, retry } from '@scorelay/sdk'
import { Wallet } from 'ethers'
import { dev } from './dev.mjs' // your configuration

const client = new Client(dev.apiUrl, dev.apiKey)
const signer = new Wallet(dev.updaterKey)
const ids = new Minter() // counts up: one per project and process
const update = { updateId: ids.next(), projectId: dev.projectId, actionName: dev.actions[0], scoreType: dev.scoreType, targetWallet: signer.address }
await retry(() => client.updateScore(update, (message) => signer.signMessage(message)))
const [ended] = await client.untilFinal(update.projectId, [update.updateId])
console.log(ended.outcome, ended.transactionHash)
