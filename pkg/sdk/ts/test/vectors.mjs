// Writes the vectors that the Go tests check: npm run vectors
import { writeFileSync } from 'node:fs'
import { file, makeVectors } from './cases.mjs'

writeFileSync(file, await makeVectors())
process.exit(0) // the libraries keep timers
