// docs/examples/test.mjs: starts a stack of its own and runs every example against it
//
//	node test.mjs
//
// It needs Go, bash, curl and openssl, and ends with 0 only if everything worked.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..', '..')
const work = mkdtempSync(join(tmpdir(), 'scorelay-examples-'))
const program = join(work, 'scorelay')
const data = join(work, 'data')
const devJSON = join(data, 'dev.json')

// refuses runs an example that something is missing for, and expects a sentence and no more.
function refuses(given, sentence) {
  const { status, stderr } = spawnSync('node', ['web3.mjs'], { cwd: here, env: { ...process.env, ...given }, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, sentence)
  assert.equal(stderr.trim().split('\n').length, 1, stderr)
}

let status = 1
let stack
try {
  // Built first, so that signals reach the stack itself and not `go run`.
  const built = spawnSync('go', ['build', '-o', program, './cmd/scorelay'], { cwd: root, stdio: 'inherit' })
  if (built.status !== 0) throw new Error('scorelay could not be built')
  stack = spawn(program, ['dev', '--port', '0', '--data-dir', data], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  stack.stdout.on('data', (chunk) => { output += chunk })
  for (const deadline = Date.now() + 120_000; !existsSync(devJSON); await sleep(100)) {
    if (stack.exitCode !== null || Date.now() > deadline) throw new Error(`the stack did not come up:\n${output}`)
  }
  status = 0
  const { apiKey, apiUrl, rpcUrl } = JSON.parse(readFileSync(devJSON))
  const example = (program, script, given) => {
    console.log(`# ${script}`)
    const ran = spawnSync(program, [script], { cwd: here, env: { ...process.env, ...given }, stdio: 'inherit', timeout: 300_000 })
    if (ran.status !== 0) status = 1
  }
  const dev = { SCORELAY_DEV: devJSON }
  for (const script of ['web3.mjs', 'ethers.mjs', 'viem.mjs', 'clients.mjs', 'groups.mjs', 'documents.mjs']) example('node', script, dev)
  for (const script of ['update.sh', 'create-project.sh']) example('bash', script, dev)
  // As beside the compose file: of the stack only its key is known, and where it listens.
  example('node', 'web3.mjs', { SCORELAY_API_KEY: apiKey, SCORELAY_API_URL: apiUrl, SCORELAY_RPC_URL: rpcUrl })
  refuses({ SCORELAY_DEV: join(work, 'none.json') }, /^docs\/examples\/web3\.mjs: there is no .*go run \.\/cmd\/scorelay dev/)
  refuses({ SCORELAY_API_KEY: apiKey, SCORELAY_API_URL: 'http://127.0.0.1:1' }, /^docs\/examples\/web3\.mjs: no API answers at http/)
} catch (error) {
  status = 1
  console.error(error.message)
} finally {
  if (stack && stack.exitCode === null) {
    const ended = new Promise((resolve) => stack.once('exit', resolve))
    stack.kill('SIGINT')
    await ended
  }
  if (status !== 0) {
    for (const log of existsSync(join(data, 'logs')) ? readdirSync(join(data, 'logs')) : []) {
      console.error(`# ${log}\n${readFileSync(join(data, 'logs', log), 'utf8').slice(-4000)}`)
    }
  }
  rmSync(work, { recursive: true, force: true })
}
process.exit(status)
