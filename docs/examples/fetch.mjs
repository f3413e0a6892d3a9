// docs/examples/fetch.mjs: sends updates signed by web3.js, reads the score
import { setTimeout as sleep } from 'node:timers/promises'
import { dev, load } from './dev.mjs'

const { Web3 } = await load('web3')
const { eth, utils } = new Web3()
const updater = eth.accounts.privateKeyToAccount(dev.updaterKey)
const { apiKey, projectId, scoreType, actions: [actionName] } = dev
async function call(path, body) {
  const method = body ? 'POST' : 'GET', headers = { 'X-API-KEY': apiKey, 'Content-Type': 'application/json' }
  const response = await fetch(dev.apiUrl + path, { method, headers, body: body && JSON.stringify(body) })
  if (response.ok) return response.json()
  if (![429, 503].includes(response.status)) throw new Error(await response.text())
  await sleep(1000 * response.headers.get('Retry-After'))
  return call(path, body)
}
const targetWallet = utils.randomHex(20), block = utils.randomHex(31)
for (const n of ['00', '01']) { // ids count up: 256 share a storage slot
  const message = `${Date.now()}`, { signature } = updater.sign(message)
  const { statusUrl } = await call('/update-score', { updateId: block + n, projectId, actionName, scoreType, targetWallet, message, signature })
  while ((await call(statusUrl)).status !== 'final') await sleep(500)
}
console.log((await call(`/projects/${projectId}/scores/${targetWallet}`)).scores)
