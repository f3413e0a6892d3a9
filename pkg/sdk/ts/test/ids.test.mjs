import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { IdRange, maxRange, Minter } from '../dist/index.js'
import { drawer } from './cases.mjs'

const { minters } = JSON.parse(readFileSync(new URL('../../testdata/vectors.json', import.meta.url)))
const counterOf = (id) => parseInt(id.slice(58), 16)
const prefixOf = (id) => id.slice(0, 58)

test('a minter does what that of the Go package does', () => {
  assert(minters.length > 3)
  for (const { from, ranges } of minters) {
    const minter = new Minter()
    minter.counter = from
    for (const { count, counter, renewed } of ranges) {
      const before = minter.prefix
      const range = minter.range(count)
      assert.equal(counterOf(range.first), counter)
      assert.equal(range.count, count)
      assert.equal(prefixOf(range.first) !== before, renewed)
    }
  }
})

test('ids count up and never repeat', () => {
  const draw = drawer(3)
  for (let round = 0; round < 50; round++) {
    const minter = new Minter()
    minter.counter = draw(2) ? 2 ** 32 - draw(1000) : draw(2 ** 32)
    const seen = new Set()
    for (let step = 0; step < 20; step++) {
      const ids = draw(2) ? [minter.next()] : [...minter.range(1 + draw(700))]
      for (const id of ids) {
        assert.match(id, /^0x[0-9a-f]{64}$/)
        assert(!seen.has(id))
        assert.equal(prefixOf(id), prefixOf(ids[0]))
        seen.add(id)
      }
      const words = new Set(ids.map((id) => id.slice(0, -2)))
      assert.equal(words.size, Math.ceil(ids.length / 256), 'a range touches as few words as it can')
    }
  }
  assert.notEqual(prefixOf(new Minter().next()), prefixOf(new Minter().next()))
})

test('ranges have bounds', () => {
  const minter = new Minter()
  for (const n of [0, -1, 1.5, NaN, Infinity, maxRange + 1, '8']) assert.throws(() => minter.range(n), RangeError)
  assert.equal(minter.counter, 0, 'what failed reserved nothing')
  assert.equal(minter.range(maxRange).count, maxRange)
  const range = new IdRange(`0x${'0'.repeat(62)}fe`, 3)
  assert.deepEqual([...range].map((id) => id.slice(-4)), ['00fe', '00ff', '0100'])
  for (const i of [-1, 3, 0.5]) assert.throws(() => range.at(i), RangeError)
})
