// Starts a stack of its own and runs the clients and the documents' examples against it:
//
//	node test.mjs
//
// It needs Go, bash, curl and openssl, and ends with 0 only if everything worked.
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
  for (const script of ['clients.mjs', 'groups.mjs', 'readme.mjs']) {
    console.log(`# ${script}`)
    const ran = spawnSync('node', [join(here, script), devJSON], { stdio: 'inherit', timeout: 300_000 })
    if (ran.status !== 0) status = 1
  }
} catch (error) {
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
