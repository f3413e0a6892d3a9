// docs/examples/dev.mjs: finds the stack that the examples talk to. `node dev.mjs apiKey` prints one of its settings
//
// It is the stack that SCORELAY_API_URL and SCORELAY_RPC_URL name, with SCORELAY_API_KEY. Else it is in a file dev.json of a running `scorelay
// dev`: the example's argument, SCORELAY_DEV, or .scorelay/dev.json of this repository. If that is missing and SCORELAY_API_KEY is set, it is
// the compose file's stack.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'

const here = new URL('.', import.meta.url)
const direct = import.meta.url === pathToFileURL(process.argv[1] ?? '').href
const example = direct || !process.argv[1] ? 'docs/examples' : `docs/examples/${relative(fileURLToPath(here), process.argv[1])}`

// fail ends the example with a sentence.
function fail(sentence) {
  console.error(`${example}: ${sentence}`)
  process.exit(1)
}

function find() {
  const { SCORELAY_API_KEY, SCORELAY_API_URL, SCORELAY_RPC_URL, SCORELAY_DEV } = process.env
  const argument = direct ? undefined : process.argv[2]
  const file = argument ?? SCORELAY_DEV ?? fileURLToPath(new URL('../../.scorelay/dev.json', here))
  if (SCORELAY_API_KEY && !argument && (SCORELAY_API_URL || !existsSync(file))) {
    const apiUrl = SCORELAY_API_URL ?? 'http://127.0.0.1:8080'
    return { apiUrl, apiKey: SCORELAY_API_KEY, rpcUrl: SCORELAY_RPC_URL ?? 'http://127.0.0.1:8545' }
  }
  try {
    return JSON.parse(readFileSync(file))
  } catch (error) {
    if (error.code !== 'ENOENT') fail(`couldn't read ${file}: ${error.message}`)
    fail(`there is no ${file}. Start a stack first: go run ./cmd/scorelay dev, in the root of the repository.`)
  }
}

/** The stack's settings: apiUrl, apiKey, rpcUrl, and of `scorelay dev` a demo project and its keys. */
export const dev = find()
await fetch(`${dev.apiUrl}/livez`).catch(() => fail(`no API answers at ${dev.apiUrl}. Is the stack still running?`))

/** Imports an npm package, such as web3. An example of your own says import { Web3 } from 'web3'. */
export function load(name) {
  return import(name).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return fail(`the package ${name} is missing. Install what the examples need: npm ci, in docs/examples.`)
  })
}

if (direct) {
  const value = process.argv[2]?.split('.').reduce((at, name) => at?.[name], dev)
  if (value === undefined) fail(`the stack has no setting ${process.argv[2]}; it has ${Object.keys(dev).join(', ')}.`)
  console.log(value)
  process.exit(0)
}
