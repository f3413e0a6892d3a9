// Runs the examples of the README and of docs/ids.md as they stand there, against a running stack:
//
//	node readme.mjs [path of dev.json]
//
// Every block that begins with a line `# run in docs/examples` or `// run in docs/examples` is run in a directory laid out
// like this one: shell by bash, JavaScript by node, Go as a program of this module. It ends with 0 only if all of them
// did.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..', '..')
const blocks = []
for (const [document, least] of [['README.md', 4], ['docs/ids.md', 5]]) {
  const text = readFileSync(join(root, document), 'utf8')
  const found = [...text.matchAll(/^```(sh|js|go)\n((?:#|\/\/) run in docs\/examples[^\n]*\n.*?)^```$/gms)]
  assert(found.length >= least, `only ${found.length} examples found in ${document}`)
  for (const [, language, example] of found) blocks.push({ document, language, example })
}

const copy = mkdtempSync(join(tmpdir(), 'scorelay-readme-'))
const directory = join(copy, 'docs', 'examples')
const runners = {
  sh: (example) => run('bash', ['-euo', 'pipefail'], example),
  js: (example) => run('node', ['--input-type=module'], example),
  go(example) {
    const [source, program] = [join(copy, 'main.go'), join(copy, 'main')]
    writeFileSync(source, example)
    const built = spawnSync('go', ['build', '-o', program, source], { cwd: root, encoding: 'utf8' })
    return built.status === 0 ? run(program, [], '') : built
  },
}
const env = { ...process.env, SCORELAY_DEV: resolve(process.argv[2] ?? process.env.SCORELAY_DEV ?? join(root, '.scorelay', 'dev.json')) }
const run = (command, args, input) => spawnSync(command, args, { cwd: directory, env, input, encoding: 'utf8', timeout: 120_000 })

let failed = 0
try {
  mkdirSync(directory, { recursive: true })
  symlinkSync(join(here, 'node_modules'), join(directory, 'node_modules'))
  symlinkSync(join(root, 'pkg'), join(copy, 'pkg'))
  for (const { document, language, example } of blocks) {
    const { status, stdout, stderr } = runners[language](example)
    const title = example.split('\n', 1)[0]
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${document}: ${title}\n${stdout.replace(/^/gm, '       ')}`)
    if (status !== 0) {
      failed++
      console.error(stderr)
    }
  }
} finally {
  rmSync(copy, { recursive: true })
}
process.exit(failed === 0 ? 0 : 1)
