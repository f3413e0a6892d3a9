// docs/examples/viem.mjs: viem signs and sends an update, follows it, and reads the score from the contract
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { dev, load } from './dev.mjs'

const { createPublicClient, http, parseAbi, toHex } = await load('viem')
const { privateKeyToAccount } = await load('viem/accounts')
const signer = privateKeyToAccount(dev.updaterKey)
const headers = { 'X-API-KEY': dev.apiKey, 'Content-Type': 'application/json' }

const updateId = toHex(randomBytes(31)) + '00' // the next one ends in 01: ids count up, docs/ids.md
const targetWallet = toHex(randomBytes(20))
const message = Date.now().toString()
const signature = await signer.signMessage({ message })
const response = await fetch(`${dev.apiUrl}/update-score`, {
  method: 'POST', headers,
  body: JSON.stringify({
    updateId, projectId: dev.projectId, actionName: dev.actions[0], scoreType: dev.scoreType, targetWallet, message, signature,
  }),
})
const accepted = await response.json()
console.log(response.status, accepted)
if (!response.ok) process.exit(1)

let update
do {
  await sleep(500)
  const answer = await fetch(`${dev.apiUrl}${accepted.statusUrl}`, { headers })
  update = await answer.json()
  if (answer.ok || answer.status === 429 || answer.status === 503) continue // not final yet, or told to ask again
  console.log(answer.status, update)
  process.exit(1)
} while (update.status !== 'final')
console.log(update.outcome, update.transactionHash)

const abi = parseAbi(['function getScore(bytes32 projectId, address wallet, string scoreType) view returns (int64)'])
const client = createPublicClient({ transport: http(dev.rpcUrl) })
const args = [dev.projectId, targetWallet, dev.scoreType]
console.log('score', await client.readContract({ address: dev.contract, abi, functionName: 'getScore', args }))
process.exit(update.outcome === 'applied' ? 0 : 1)
