// docs/examples/clients.mjs: drives both endpoints with web3.js, ethers and viem, each from its own key to its own view of
// the contract
//
//	node clients.mjs [path of dev.json]
//
// For each library it makes a wallet, creates a project that it owns, sends signed updates, in both schemes, follows them
// until they are final, and reads the score back from the contract with the library's own client. It ends with 0 only if every score is
// what it has to be.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { dev, load } from './dev.mjs'

const { Web3 } = await load('web3')
const { getEncodedEip712Data } = await load('web3-eth-abi')
const { signRaw } = await load('web3-eth-accounts')
const { Contract, JsonRpcProvider, Wallet } = await load('ethers')
const { createPublicClient, http, parseAbi } = await load('viem')
const { generatePrivateKey, privateKeyToAccount } = await load('viem/accounts')
const getScore = 'function getScore(bytes32 projectId, address wallet, string scoreType) view returns (int64)'

const types = {
  UpdateScore: [
    { name: 'updateId', type: 'bytes32' }, { name: 'projectId', type: 'bytes32' }, { name: 'actionName', type: 'string' },
    { name: 'scoreType', type: 'string' }, { name: 'targetWallet', type: 'address' }, { name: 'message', type: 'uint256' },
  ],
}
const EIP712Domain = [ // which web3.js wants among the types
  { name: 'name', type: 'string' }, { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' }, { name: 'verifyingContract', type: 'address' },
]

// A library is four things: an address, a way to sign a text, a way to sign a whole update, a way to ask the contract.
const libraries = {
  'web3.js'() {
    const web3 = new Web3(dev.rpcUrl)
    const account = web3.eth.accounts.create()
    const abi = [{
      type: 'function', name: 'getScore', stateMutability: 'view', outputs: [{ name: '', type: 'int64' }],
      inputs: [{ name: 'projectId', type: 'bytes32' }, { name: 'wallet', type: 'address' }, { name: 'scoreType', type: 'string' }],
    }]
    const contract = new web3.eth.Contract(abi, dev.contract)
    return {
      address: account.address,
      sign: async (message) => account.sign(message).signature,
      typed: async (domain, message) => signRaw(
        getEncodedEip712Data({ domain, types: { EIP712Domain, ...types }, primaryType: 'UpdateScore', message }), account.privateKey,
      ).signature,
      score: (...args) => contract.methods.getScore(...args).call(),
    }
  },
  ethers() {
    const wallet = Wallet.createRandom()
    const contract = new Contract(dev.contract, [getScore], new JsonRpcProvider(dev.rpcUrl))
    return {
      address: wallet.address,
      sign: (message) => wallet.signMessage(message),
      typed: (domain, message) => wallet.signTypedData(domain, types, message),
      score: (...args) => contract.getScore(...args),
    }
  },
  viem() {
    const account = privateKeyToAccount(generatePrivateKey())
    const client = createPublicClient({ transport: http(dev.rpcUrl) })
    return {
      address: account.address,
      sign: (message) => account.signMessage({ message }),
      typed: (domain, message) => account.signTypedData({ domain, types, primaryType: 'UpdateScore', message }),
      score: (...args) => client.readContract({ address: dev.contract, abi: parseAbi([getScore]), functionName: 'getScore', args }),
    }
  },
}

// call is one request. A 503, a 429 and a lost connection mean the same to a client: send it again.
async function call(method, path, body) {
  for (let attempt = 1; ; attempt++) {
    let wait = 1
    try {
      const response = await fetch(dev.apiUrl + path, {
        method,
        headers: { 'X-API-KEY': dev.apiKey, ...(body && { 'Content-Type': 'application/json' }) },
        body: body && JSON.stringify(body),
      })
      const answer = await response.json()
      if (response.status !== 503 && response.status !== 429) return { status: response.status, answer, attempt }
      wait = Number(response.headers.get('Retry-After') ?? 1)
    } catch (error) {
      if (attempt === 30) throw error
    }
    if (attempt === 30) throw new Error(`${method} ${path} was not answered`)
    await sleep(wait * 1000)
  }
}

// final follows a status until nothing changes any more.
async function final(path) {
  for (const deadline = Date.now() + 120_000; ;) {
    const { status, answer } = await call('GET', path)
    assert.equal(status, 200, JSON.stringify(answer))
    if (answer.status === 'final') return answer
    assert(Date.now() < deadline, `${path} is still ${answer.status}`)
    await sleep(250)
  }
}

const id = () => '0x' + randomBytes(32).toString('hex')

// domain is what the API says is signed under. The contract is known here, and the API's word not taken for it; a backend
// has the chain's id in its configuration, too.
async function domain(projectId) {
  const { status, answer } = await call('GET', `/projects/${projectId}`)
  assert.equal(status, 200, JSON.stringify(answer))
  assert.equal(answer.signing.verifyingContract, dev.contract.toLowerCase())
  return answer.signing
}

async function run(name, { address, sign, typed, score }) {
  const projectId = id()
  const created = await call('POST', '/create-project', {
    projectId,
    name: `Made with ${name}`,
    inputActions: [{ name: 'win', points: 25, direction: 0 }, { name: 'foul', points: 10, direction: 1 }],
    owners: [address],
    updaters: [],
    scoreTypes: ['reputation', 'skill'],
  })
  // After a lost answer the id may be taken by our own first attempt.
  const repeated = created.status === 409 && created.attempt > 1
  assert(created.status === 200 || repeated, JSON.stringify(created.answer))

  const targetWallet = '0x' + randomBytes(20).toString('hex')
  const update = async (updateId, actionName, scoreType) => {
    const message = Date.now().toString()
    const signature = await sign(message)
    return call('POST', '/update-score', { updateId, projectId, actionName, scoreType, targetWallet, signature, message })
  }
  const sent = []
  for (const [actionName, scoreType] of [['win', 'reputation'], ['win', 'reputation'], ['foul', 'reputation'], ['foul', 'skill']]) {
    const updateId = id()
    const { status, answer, attempt } = await update(updateId, actionName, scoreType)
    assert.equal(status, 200, JSON.stringify(answer))
    assert(answer.status === 'accepted' || attempt > 1, answer.status)
    sent.push(updateId)
  }
  const whole = { updateId: id(), projectId, actionName: 'win', scoreType: 'skill', targetWallet, message: Date.now() }
  const signature = await typed(await domain(projectId), whole)
  const { status, answer } = await call('POST', '/update-score', {
    ...whole, message: whole.message.toString(), signature, scheme: 'eip712',
  })
  assert.equal(status, 200, JSON.stringify(answer))
  sent.push(whole.updateId)

  const again = await update(sent[0], 'win', 'reputation')
  const statusUrl = `/projects/${projectId}/updates/${sent[0]}`
  assert.deepEqual(again.answer, { updateId: sent[0], projectId, status: 'duplicate', statusUrl, sameContent: true })
  const other = await update(sent[0], 'foul', 'reputation')
  assert.deepEqual(other.answer, { ...again.answer, sameContent: false })
  const unknown = await update(id(), 'draw', 'reputation')
  assert.equal(unknown.status, 400)
  assert.equal(unknown.answer.code, 'unknown_action')

  const creation = await final(`/projects/${projectId}`)
  assert.equal(creation.outcome, 'applied')
  for (const updateId of sent) {
    const answer = await final(`/projects/${projectId}/updates/${updateId}`)
    assert.equal(answer.outcome, 'applied')
    assert.match(answer.transactionHash, /^0x[0-9a-f]{64}$/)
  }
  assert.equal(BigInt(await score(projectId, targetWallet, 'reputation')), 40n)
  assert.equal(BigInt(await score(projectId, targetWallet, 'skill')), 15n)
  const read = await call('GET', `/projects/${projectId}/scores/${targetWallet}`)
  assert.deepEqual(read.answer.scores, [{ scoreType: 'reputation', score: '40' }, { scoreType: 'skill', score: '15' }])
  console.log(`${name}: project ${projectId}, 5 updates applied, scores 40 and 15 read from ${dev.contract}`)
}

await Promise.all(Object.entries(libraries).map(([name, library]) => run(name, library())))
process.exit(0) // the libraries' clients keep timers
