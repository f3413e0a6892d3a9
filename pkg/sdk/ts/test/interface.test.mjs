import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Client, total } from '../dist/index.js'

const { operations } = JSON.parse(readFileSync(new URL('../../testdata/vectors.json', import.meta.url)))

test('the client has every request of the interface', async () => {
  let asked
  const client = new Client('http://api', 'key', { fetch: async (url, { method = 'GET' }) => {
    asked = `${method} ${new URL(url).pathname}`
    return new Response('{"groups":[],"status":"accepted","accepted":1,"updates":[{"status":"final"}]}')
  } })
  const [projectId, updateId, wallet] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`, `0x${'03'.repeat(20)}`]
  const methods = {
    createProject: () => client.createProject({ projectId }),
    updateScore: () => client.updateScore({ updateId }, () => '0x'),
    updateScores: () => client.updateScores({ projectId }),
    updateGroups: () => client.updateGroups([]),
    reserveIds: () => client.reserveIds(projectId, 1).catch(() => {}),
    lookUpUpdates: () => client.updates(projectId, [updateId]),
    listProjects: () => client.projects(),
    getProject: () => client.project(projectId),
    getUpdate: () => client.update(projectId, updateId),
    getNextEdit: () => client.nextEdit(projectId),
    editProject: () => client.editProject({ projectId, edits: [], nonce: 0, deadline: 0, signature: '0x' }),
    getEdit: () => client.edit(projectId, 7),
    getScores: () => client.scores(projectId, wallet),
    getScoresOf: () => client.finalScores(projectId, [wallet]),
    getLeaderboard: () => client.leaderboard(projectId, total),
    getHistory: () => client.history(projectId, wallet),
    getEvents: () => {
      const stop = new AbortController()
      return client.events(projectId, { signal: stop.signal, trouble: () => stop.abort() }).next().catch(() => {})
    },
    getStats: () => client.stats(projectId),
  }
  assert.deepEqual(Object.keys(methods).sort(), Object.keys(operations).sort())
  for (const [operation, request] of Object.entries(operations)) {
    await methods[operation]()
    assert.match(asked, new RegExp(`^${request.replace(/\{\w+\}/g, '[^/]+')}$`), operation)
  }
})
