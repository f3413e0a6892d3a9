// docs/examples/test.mjs: starts a stack of its own and runs every example against it
//
//	node test.mjs
//
// It needs Go, bash, curl and openssl, and ends with 0 only if everything worked.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root, withStack } from './stack.mjs'

const here = join(root, 'docs', 'examples')

// refuses runs an example that something is missing for, and expects a sentence and no more.
function refuses(given, sentence) {
  const { status, stderr } = spawnSync('node', ['web3.mjs'], { cwd: here, env: { ...process.env, ...given }, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, sentence)
  assert.equal(stderr.trim().split('\n').length, 1, stderr)
}

await withStack(async ({ dev: { apiKey, apiUrl, rpcUrl }, file, program, data }) => {
  const failed = []
  const example = (runner, script, given, ...args) => {
    console.log(`# ${script}`)
    const ran = spawnSync(runner, [script, ...args], { cwd: here, env: { ...process.env, ...given }, stdio: 'inherit', timeout: 300_000 })
    if (ran.status !== 0) failed.push(script)
  }
  const dev = { SCORELAY_DEV: file }
  for (const script of ['sdk.mjs', 'fetch.mjs', 'web3.mjs', 'ethers.mjs', 'viem.mjs', 'clients.mjs', 'groups.mjs', 'documents.mjs']) example('node', script, dev)
  for (const script of ['update.sh', 'create-project.sh']) example('bash', script, dev)
  example('node', 'quickstart.mjs', {}, program, data)
  // As beside the compose file: of the stack only its key is known, and where it listens.
  example('node', 'web3.mjs', { SCORELAY_API_KEY: apiKey, SCORELAY_API_URL: apiUrl, SCORELAY_RPC_URL: rpcUrl })
  refuses({ SCORELAY_DEV: join(data, 'none.json') }, /^docs\/examples\/web3\.mjs: there is no .*go run \.\/cmd\/scorelay dev/)
  refuses({ SCORELAY_API_KEY: apiKey, SCORELAY_API_URL: 'http://127.0.0.1:1' }, /^docs\/examples\/web3\.mjs: no API answers at http/)
  assert.deepEqual(failed, [])
})
