// docs/examples/web3.mjs: makes a project, signs and sends an update, follows it, reads the score from the contract
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { dev, load } from './dev.mjs' // which API, which key, which chain

const { Web3 } = await load('web3')
const web3 = new Web3(dev.rpcUrl)
const owner = web3.eth.accounts.create()

async function call(path, body) {
  const headers = { 'X-API-KEY': dev.apiKey, 'Content-Type': 'application/json' }
  const response = await fetch(dev.apiUrl + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
  const answer = await response.json()
  if (response.ok) return answer
  if (response.status !== 429 && response.status !== 503) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  await sleep(1000 * Number(response.headers.get('Retry-After'))) // the same again, later
  return call(path, body)
}

const projectId = web3.utils.randomHex(32)
const inputActions = [{ name: 'win', points: 25, direction: 0 }, { name: 'foul', points: 10, direction: 1 }]
await call('/create-project', { projectId, name: 'Acme Games', inputActions, owners: [owner.address], updaters: [] })

const updateId = web3.utils.randomHex(31) + '00' // the next one ends in 01: ids count up, docs/ids.md
const targetWallet = web3.utils.randomHex(20)
const message = Date.now().toString()
const { signature } = owner.sign(message)
const update = { updateId, projectId, actionName: 'win', scoreType: 'reputation', targetWallet, message, signature }
const { status, statusUrl } = await call('/update-score', update)
console.log(status, statusUrl)

let progress
while ((progress = await call(statusUrl)).status !== 'final') await sleep(500)
console.log(progress.outcome, progress.transactionHash)

const { abi } = JSON.parse(readFileSync(new URL('../../contracts/artifacts/ScoreRegistry.json', import.meta.url)))
const { signing } = await call(`/projects/${projectId}`)
const contract = new web3.eth.Contract(abi, signing.verifyingContract)
const score = await contract.methods.getScore(projectId, targetWallet, 'reputation').call()
console.log('score', score)
process.exit(score === 25n ? 0 : 1)
