// docs/examples/stack.mjs: a stack of its own for a test in a browser's or a client's language
//
// withStack builds scorelay, starts `scorelay dev` in an empty folder, and hands what runs to use: its dev.json, the program, and the folder of its data. It
// ends the process: with 0 when use resolves, else with 1, after the logs of the stack.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export async function withStack(use) {
  const work = mkdtempSync(join(tmpdir(), 'scorelay-stack-'))
  const program = join(work, 'scorelay')
  const data = join(work, 'data')
  let stack
  let status = 1
  try {
    // Built first, so that signals reach the stack itself and not `go run`.
    if (spawnSync('go', ['build', '-o', program, './cmd/scorelay'], { cwd: root, stdio: 'inherit' }).status !== 0) throw new Error('scorelay could not be built')
    stack = spawn(program, ['dev', '--port', '0', '--data-dir', data, '--block-time', '250ms'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    stack.stdout.on('data', (chunk) => { output += chunk })
    const file = join(data, 'dev.json')
    for (const deadline = Date.now() + 120_000; !existsSync(file); await sleep(100)) {
      if (stack.exitCode !== null || Date.now() > deadline) throw new Error(`the stack did not come up:\n${output}`)
    }
    await use({ dev: JSON.parse(readFileSync(file)), file, program, data })
    status = 0
  } catch (error) {
    console.error(error.stack)
  }
  if (stack && stack.exitCode === null) {
    const ended = new Promise((resolve) => stack.once('exit', resolve))
    stack.kill('SIGINT')
    await ended
  }
  const logs = join(data, 'logs')
  for (const log of status !== 0 && existsSync(logs) ? readdirSync(logs) : []) {
    console.error(`# ${log}\n${readFileSync(join(logs, log), 'utf8').slice(-4000)}`)
  }
  rmSync(work, { recursive: true, force: true })
  process.exit(status)
}
