// docs/examples/documents.mjs: runs the examples that stand in docs/ids.md, docs/reads.md, docs/contract.md, docs/events.md and docs/webhooks.md, against a running stack
//
//	node documents.mjs [path of dev.json]
//
// Every block that begins with a line `# run in docs/examples` or `// run in docs/examples` is run in this directory: shell
// by bash, JavaScript by node, Go as a program of this module. It ends with 0 only if all of them did.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..', '..')
const documents = { 'docs/ids.md': 5, 'docs/reads.md': 1, 'docs/contract.md': 1, 'docs/events.md': 1, 'docs/webhooks.md': 1 } // with at least so many examples
const blocks = Object.entries(documents).flatMap(([document, least]) => {
  const found = [...readFileSync(join(root, document), 'utf8').matchAll(/^```(sh|js|go)\n((?:#|\/\/) run in docs\/examples[^\n]*\n.*?)^```$/gms)]
  assert(found.length >= least, `only ${found.length} examples found in ${document}`)
  return found.map(([, language, example]) => [document, language, example])
})

const work = mkdtempSync(join(tmpdir(), 'scorelay-documents-'))
const runners = {
  sh: (example) => run('bash', ['-euo', 'pipefail'], example),
  js: (example) => run('node', ['--input-type=module'], example),
  go(example) {
    const [source, program] = [join(work, 'main.go'), join(work, 'main')]
    writeFileSync(source, example)
    const built = spawnSync('go', ['build', '-o', program, source], { cwd: root, encoding: 'utf8' })
    return built.status === 0 ? run(program, [], '') : built
  },
}
const env = { ...process.env, SCORELAY_DEV: resolve(process.argv[2] ?? process.env.SCORELAY_DEV ?? join(root, '.scorelay', 'dev.json')) }
const run = (command, args, input) => spawnSync(command, args, { cwd: here, env, input, encoding: 'utf8', timeout: 120_000 })

let failed = 0
try {
  for (const [document, language, example] of blocks) {
    const { status, stdout, stderr } = runners[language](example)
    const title = example.split('\n', 1)[0]
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${document}: ${title}\n${stdout.replace(/^/gm, '       ')}`)
    if (status !== 0) {
      failed++
      console.error(stderr)
    }
  }
} finally {
  rmSync(work, { recursive: true })
}
process.exit(failed === 0 ? 0 : 1)
