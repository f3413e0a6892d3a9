// docs/examples/groups.mjs: mints ids and sends signed groups with web3.js, ethers and viem
//
//	node groups.mjs [path of dev.json]
//
// For each library it makes a project that takes signed groups only, mints ids for a few hundred updates, signs them as
// groups with the library, sends them, and sends one again. It ends with 0 only if every update was applied once, every
// score on the contract is what it has to be, and what was not signed in a group was refused.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { dev, load } from './dev.mjs'

const { actionIndex, buildGroups, Client, domainType, Minter, retry, scoreTypeIndex, signGroup } = await load('@scorelay/sdk')
const { Contract, JsonRpcProvider, Wallet } = await load('ethers')
const { generatePrivateKey, privateKeyToAccount } = await load('viem/accounts')
const { getEncodedEip712Data } = await load('web3-eth-abi')
const { create, sign: signText, signRaw } = await load('web3-eth-accounts')
const client = new Client(dev.apiUrl, dev.apiKey, { domain: { chainId: dev.chainId, verifyingContract: dev.contract } })
const chain = new JsonRpcProvider(dev.rpcUrl)
const contract = new Contract(dev.contract, ['function getScore(bytes32 projectId, address wallet, string scoreType) view returns (int64)'], chain)

// A library is three things: an address, a way to sign typed data, a way to sign a text.
const libraries = {
  'web3.js'() {
    const { address, privateKey } = create()
    return {
      address,
      sign: (data) => signRaw(getEncodedEip712Data({ ...data, types: { EIP712Domain: domainType, ...data.types } }), privateKey).signature,
      text: (message) => signText(message, privateKey).signature,
    }
  },
  ethers() {
    const wallet = Wallet.createRandom()
    return {
      address: wallet.address,
      sign: (data) => wallet.signTypedData(data.domain, data.types, data.message),
      text: (message) => wallet.signMessage(message),
    }
  },
  viem() {
    const account = privateKeyToAccount(generatePrivateKey())
    return {
      address: account.address,
      sign: (data) => account.signTypedData(data),
      text: (message) => account.signMessage({ message }),
    }
  },
}

const random = (bytes) => '0x' + randomBytes(bytes).toString('hex')

// isRefused holds an answer against a status and a code.
const isRefused = (status, code) => (error) => error.status === status && error.code === code

async function run(name, { address, sign, text }) {
  const projectId = random(32)
  await retry(() => client.createProject({
    projectId,
    name: `Signed with ${name}`,
    inputActions: [{ name: 'win', points: 25, direction: 0 }, { name: 'foul', points: 10, direction: 1 }],
    owners: [address],
    updaters: [],
    scoreTypes: ['reputation', 'skill'],
    signedOnly: true,
  }))
  const project = await retry(() => client.project(projectId))
  assert.equal(project.signedOnly, true)
  const [win, foul] = [actionIndex(project, 'win'), actionIndex(project, 'foul')]
  const [reputation, skill] = [scoreTypeIndex(project, 'reputation'), scoreTypeIndex(project, 'skill')]

  // 300 players win once, and one plays all the time; ids reserved from the API do as well as minted ones.
  const minter = new Minter()
  const reserved = await retry(() => client.reserveIds(projectId, 40))
  const players = Array.from({ length: 300 }, () => random(20))
  const addict = random(20)
  const updates = [
    ...players.map((targetWallet) => ({ updateId: minter.next(), targetWallet, action: win, scoreType: reputation })),
    ...[...reserved].map((updateId, i) => ({ updateId, targetWallet: addict, action: i % 4 ? win : foul, scoreType: skill })),
  ]
  const groups = buildGroups(projectId, updates)
  assert.deepEqual(groups.map((g) => `${g.kind} ${g.updates.length}`).sort(), ['1 256', '1 44', '2 40'])
  const signed = []
  for (const group of groups) signed.push(await signGroup(group, project.signing, sign))
  const answers = []
  for (const group of [...signed, signed[0]]) answers.push(await retry(() => client.updateScores(group)))
  for (const [i, { accepted, duplicates }] of answers.slice(0, -1).entries()) {
    assert.equal(accepted + duplicates.length, groups[i].updates.length) // duplicates only after a lost answer
  }
  const again = answers.at(-1)
  assert.deepEqual([again.status, again.accepted, again.duplicates.length], ['duplicate', 0, groups[0].updates.length])

  // Only a signature makes an update of this project: not a single one without, and no changed group.
  await assert.rejects(retry(() => client.updateScore(
    { updateId: minter.next(), projectId, actionName: 'win', scoreType: 'skill', targetWallet: addict }, text,
  )), isRefused(403, 'signed_only'))
  const forged = { ...signed[0], updates: signed[0].updates.slice(0, -2) + '01' }
  await assert.rejects(retry(() => client.updateScores(forged)), isRefused(403, 'signer_not_member'))

  const hashes = new Set()
  const ids = updates.map(({ updateId }) => updateId)
  const ended = await client.untilFinal(projectId, ids, AbortSignal.timeout(120_000))
  assert.deepEqual(ended.map(({ updateId }) => updateId), ids)
  for (const { outcome, transactionHash } of ended) {
    assert.equal(outcome, 'applied')
    hashes.add(transactionHash)
  }
  const unsent = minter.next()
  assert.deepEqual((await retry(() => client.updates(projectId, [unsent, ids[0]]))).map(({ status }) => status), ['unknown', 'final'])
  const score = async (wallet, type) => BigInt(await contract.getScore(projectId, wallet, type))
  for (const player of [players[0], players[255], players[299]]) assert.equal(await score(player, 'reputation'), 25n)
  assert.equal(await score(addict, 'skill'), 30n * 25n - 10n * 10n)
  const read = await retry(() => client.scores(projectId, addict))
  assert.deepEqual(read.scores, [{ scoreType: 'reputation', score: '0' }, { scoreType: 'skill', score: '650' }])
  console.log(`${name}: project ${projectId}, ${updates.length} updates in ${groups.length} signed groups, applied by ${hashes.size} transactions`)
}

await Promise.all(Object.entries(libraries).map(([name, library]) => run(name, library())))
process.exit(0) // the libraries' clients keep timers
