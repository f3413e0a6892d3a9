// The package as it is published: packed, installed in an empty folder, imported and type-checked there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('..', import.meta.url))

function run(cwd, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 120_000 })
  assert.equal(status, 0, `${command} ${args.join(' ')}:\n${stdout}${stderr}`)
  return stdout
}

test('the package installs in an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorelay-sdk-'))
  try {
    const [{ filename, files }] = JSON.parse(run(here, 'npm', 'pack', '--json', '--silent', '--pack-destination', folder))
    const paths = files.map(({ path }) => path)
    for (const path of ['README.md', 'LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts']) assert(paths.includes(path), path)
    assert.deepEqual(paths.filter((path) => !/^(dist\/|src\/|LICENSE$|README\.md$|package\.json$)/.test(path)), [])

    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', `./${filename}`)
    const names = Object.keys(JSON.parse(readFileSync(join(folder, 'package-lock.json'))).packages)
    assert.deepEqual(names.sort(), ['', 'node_modules/@scorelay/sdk'], 'it has no dependencies')
    const program = "import { Minter } from '@scorelay/sdk'; console.log(new Minter().next())"
    assert.match(run(folder, 'node', '--input-type=module', '-e', program), /^0x[0-9a-f]{64}\n$/)

    // The README's examples as one program, with ethers from our own modules.
    const example = [...readFileSync(join(here, 'README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('')
    writeFileSync(join(folder, 'example.ts'), `declare const process: { env: unknown }\n${example}`)
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(join(here, 'node_modules', 'ethers'), join(folder, 'node_modules', 'ethers'))
    run(folder, join(here, 'node_modules', '.bin', 'tsc'), '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', '--types', '', 'example.ts')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
