// docs/examples/quickstart.mjs: does all that docs/quickstart.md says, against a running stack, and compares what is printed
//
//	node quickstart.mjs PROGRAM DIR
//
// PROGRAM is scorelay, DIR the data directory of a running `scorelay dev`. Shell blocks run in one shell, in order; a block that begins with the name of a
// file is saved under it; a text block is what the shell block before it prints, where … stands for anything.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [program, data] = process.argv.slice(2)
const root = fileURLToPath(new URL('../..', import.meta.url))
const { apiUrl } = JSON.parse(readFileSync(join(data, 'dev.json')))
const mark = '@@@'

// The tool is built already, and its stack is in another folder and at another port than a reader's.
const script = [`go() { if [ "\${2:-}" = ./cmd/scorelay ]; then "${program}" "\${@:3}" --data-dir "${data}"; else command go "$@"; fi; }`]
const expected = []
for (const [, language, block] of readFileSync(join(root, 'docs', 'quickstart.md'), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
  const file = /^\/\/ ([\w.]+)\n/.exec(block)?.[1]
  if (language === 'sh') {
    script.push(`echo ${mark}`, block.replace('http://127.0.0.1:8080', apiUrl))
    expected.push('')
  } else if (language === 'text') {
    expected[expected.length - 1] = block
  } else {
    assert(file, `a block of ${language} names no file`)
    script.push(`cat > ${file} <<'END_OF_FILE'\n${block}END_OF_FILE`)
  }
}
assert(expected.length >= 5, 'the quickstart has lost its commands')
const { status, stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${script.join('\n')}`], { cwd: root, encoding: 'utf8', timeout: 300_000 })
console.log(stdout)
assert.equal(status, 0)
stdout.replace(/^go: downloading .*\n/gm, '').split(`${mark}\n`).slice(1).forEach((printed, i) => {
  const pattern = expected[i].split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\n]*')
  assert.match(printed, new RegExp(`^${pattern}$`))
})
process.exit(0)
