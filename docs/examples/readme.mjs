// Runs the README's examples as they stand there, against a running stack:
//
//	node readme.mjs [path of dev.json]
//
// Every block of the README that begins with a line `# run in docs/examples` or `// run in docs/examples` is run in a
// directory laid out like this one: shell by bash, JavaScript by node. It ends with 0 only if all of them did.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```(sh|js)\n((?:#|\/\/) run in docs\/examples[^\n]*\n.*?)^```$/gms)]
assert(blocks.length >= 4, `only ${blocks.length} examples found in the README`)

const copy = mkdtempSync(join(tmpdir(), 'scorelay-readme-'))
const directory = join(copy, 'docs', 'examples')
let failed = 0
try {
  mkdirSync(directory, { recursive: true })
  mkdirSync(join(copy, '.scorelay'))
  copyFileSync(process.argv[2] ?? join(root, '.scorelay', 'dev.json'), join(copy, '.scorelay', 'dev.json'))
  symlinkSync(join(here, 'node_modules'), join(directory, 'node_modules'))
  for (const [, language, text] of blocks) {
    const [command, ...args] = language === 'sh' ? ['bash', '-euo', 'pipefail'] : ['node', '--input-type=module']
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: directory, input: text, encoding: 'utf8', timeout: 120_000 })
    const title = text.split('\n', 1)[0]
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${title}\n${stdout.replace(/^/gm, '       ')}`)
    if (status !== 0) {
      failed++
      console.error(stderr)
    }
  }
} finally {
  rmSync(copy, { recursive: true })
}
process.exit(failed === 0 ? 0 : 1)
