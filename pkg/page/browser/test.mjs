// pkg/page/browser/test.mjs: starts its own stack and checks every screen of the page with Chromium
//
//	node test.mjs [FOLDER]
//
// Screens are tested in both themes, 360 and 1600 pixels wide. They load files only from their own origin, fit the
// width and pass axe. An owner edits a project (owner.mjs), and an operator replays a dead letter (ops.mjs). With
// FOLDER, it writes the pictures of docs/page.md and docs/ops.md there. It needs Go and Chromium (SCORELAY_CHROMIUM,
// default /usr/bin/chromium).
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { root, withStack } from '../../../docs/examples/stack.mjs'
import { operate } from './ops.mjs'
import { edits, wallet } from './owner.mjs'
import { measure } from './speed.mjs'

const pictures = process.argv[2]
const hostile = '<img src=x onerror="window.broken=1">\u202Ekcats'

// fill gives the stack updates, and a project with hostile names and many members.
async function fill({ dev, data }) {
  const loaded = spawnSync('go', ['run', '-C', 'cmd/bench', '.', 'load', '--data-dir', data, '--rate', '60', '--duration', '5s', '--wallets', '120'], { cwd: root, encoding: 'utf8' })
  assert.equal(loaded.status, 0, loaded.stdout + loaded.stderr)
  const created = await fetch(`${dev.apiUrl}/create-project`, {
    method: 'POST', headers: { 'X-API-KEY': dev.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      projectId: `0x${'ab'.repeat(32)}`, name: hostile, owners: [`0x${'1'.repeat(40)}`],
      updaters: Array.from({ length: 59 }, (_, i) => `0x${String(i + 1).padStart(40, '0')}`),
      inputActions: [{ name: hostile, points: 10, direction: 0 }], scoreTypes: ['reputation', 'volume'],
    }),
  })
  assert.equal(created.status, 200, await created.text())
}

// screens returns the paths of all screens, found by following links as people do.
async function screens(page, url) {
  const links = (selector) => page.locator(selector).evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  const until = async (path, selector) => { // an index is as of a final block, so it comes later than the 200
    for (const deadline = Date.now() + 60_000; ; await sleep(200)) {
      await page.goto(url + path)
      const found = await links(selector)
      if (found.length) return found
      assert.ok(Date.now() < deadline, `${path} shows no ${selector}:\n${await page.locator('main').innerText()}`)
    }
  }
  await until('/app', `a[href="/app/projects/0x${'ab'.repeat(32)}"]`)
  let project
  for (const deadline = Date.now() + 60_000; !project; await sleep(200)) {
    assert.ok(Date.now() < deadline, 'no project has final updates')
    await page.goto(`${url}/app`)
    const rows = await page.locator('tbody tr').evaluateAll((all) => all.map((row) => [row.querySelector('a').getAttribute('href'), row.cells[2].textContent]))
    project = rows.find(([, updates]) => Number(updates) >= 250)?.[0]
  }
  const [wallet] = await until(project, 'td a[href*="/wallets/"]')
  const [update] = await until(`${project}/recent`, 'td a[href*="/updates/"]')
  const empty = `/app/projects/0x${'ab'.repeat(32)}`
  const members = async () => (await links('tbody td:first-child a')).length
  const [more] = await until(`${empty}/members`, 'a[rel=next]')
  assert.equal(await members(), 50)
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByRole('link', { name: 'First page' }).waitFor()
  assert.deepEqual([await members(), (await links('a[rel=next]')).length], [10, 0], 'the rest, and no page after it')
  return {
    projects: '/app', leaderboard: project, recent: `${project}/recent`, members: `${project}/members`, actions: `${project}/actions`, costs: `${project}/costs`,
    'many members': `${empty}/members`, 'more members': more,
    wallet, update, empty, hostile: `${empty}/actions`, missing: `${project}/updates/0x${'0'.repeat(64)}`,
  }
}

// open shows a screen; Redis may be slow on a busy machine.
async function open(page, path) {
  let answer
  for (let tries = 0; tries < 5 && (!answer || answer.status() === 503); tries++) answer = await page.goto(path)
  return answer
}

// look checks what holds for every screen: status, width, escaped names and axe.
async function look(page, name, path, status) {
  const answer = await open(page, path)
  assert.equal(answer.status(), status, name)
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  assert.ok(width[0] <= width[1], `${name} is ${width[0]} pixels wide, the screen ${width[1]}`)
  assert.equal(await page.evaluate(() => window.broken), undefined, 'a name was taken for HTML')
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html).slice(0, 3).join(' ')}`), [], name)
}

async function browse(browser, stack) {
  const { dev } = stack
  const first = await browser.newContext({ baseURL: dev.apiUrl })
  const page = await first.newPage()
  await page.goto('/app')
  assert.equal(new URL(page.url()).pathname, '/app/sign-in')
  await page.locator('input:focus').waitFor() // the field gets the focus as the screen is shown
  await page.keyboard.type(dev.apiKey)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/app')
  const all = await screens(page, dev.apiUrl)
  const storageState = await first.storageState()
  Object.assign(all, await edits(browser, stack, storageState))
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [360, 1600]) {
      const context = await browser.newContext({ baseURL: dev.apiUrl, storageState, colorScheme, viewport: { width, height: 800 } })
      await wallet(context, dev)
      const page = await context.newPage()
      const wrong = []
      page.on('console', (line) => { if (line.type() === 'error' && !/status of (40[04]|503)/.test(line.text())) wrong.push(line.text()) })
      page.on('pageerror', (error) => wrong.push(error.message))
      page.on('request', (request) => { if (!request.url().startsWith(`${dev.apiUrl}/app`)) wrong.push(request.url()) })
      for (const [name, path] of Object.entries(all)) {
        await look(page, `${name}, ${colorScheme}, ${width}`, path, { missing: 404, refused: 400 }[name] ?? 200)
      }
      assert.deepEqual(wrong, [])
      await context.close()
    }
  }
  await measure(browser, dev.apiUrl, storageState, { 'sign in': '/app/sign-in', ...all }, pictures ? 5 : 1)
  if (pictures) await picture(browser, dev, storageState, all)
  await behaves(page, dev, all)
  const plain = await browser.newContext({ baseURL: dev.apiUrl, storageState, javaScriptEnabled: false })
  const still = await plain.newPage()
  await still.goto(all.recent)
  assert.equal(await still.locator('.copy:visible, #theme:visible, #live:visible').count(), 0, 'no button is shown that does nothing')
  await still.goto(all.leaderboard)
  assert.equal(await still.locator('tbody tr').count(), 50, 'it reads without a script')
  await still.goto(all.wallet)
  const [saved] = await Promise.all([still.waitForEvent('download'), still.getByRole('link', { name: 'CSV' }).click()])
  assert.equal(saved.suggestedFilename(), `${all.wallet.slice(-42)}.csv`)
}

// picture takes the screenshots of docs/page.md.
async function picture(browser, dev, storageState, all) {
  for (const [name, colorScheme, width, height] of [['leaderboard', 'light', 880, 560], ['wallet', 'dark', 880, 560], ['update', 'light', 360, 860], ['edit', 'light', 880, 640],
    ['edited', 'dark', 360, 640]]) {
    const context = await browser.newContext({ baseURL: dev.apiUrl, storageState, colorScheme, viewport: { width, height } })
    await wallet(context, dev, [])
    const page = await context.newPage()
    await open(page, all[name])
    await page.screenshot({ path: join(pictures, `page-${name}.png`) })
    await context.close()
  }
}

// live checks that the open screen of updates follows new ones, also after a pause.
async function live(page, dev) {
  const newest = () => page.evaluate(() => document.querySelector('#rows a[href*="/updates/"]')?.getAttribute('href').slice(-66))
  const shows = async (id) => {
    for (const deadline = Date.now() + 60_000; await newest() !== id; await sleep(100)) assert.ok(Date.now() < deadline, 'the screen does not follow')
  }
  const update = async (n) => {
    const updateId = `0x${String(n).repeat(64)}`
    const message = String(Date.now())
    const signature = await privateKeyToAccount(dev.updaterKey).signMessage({ message })
    const answer = await fetch(`${dev.apiUrl}/update-score`, {
      method: 'POST', headers: { 'X-API-KEY': dev.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ updateId, projectId: dev.projectId, actionName: dev.actions[0], scoreType: dev.scoreType, targetWallet: `0x${'3'.repeat(40)}`, message, signature }),
    })
    assert.equal(answer.status, 200, await answer.text())
    return updateId
  }
  await page.goto(`/app/projects/${dev.projectId}/recent`)
  const state = page.locator('#live [role=status]')
  await state.getByText('live').waitFor()
  await shows(await update(1))
  assert.ok(await page.locator('#rows .copy').first().isVisible(), 'what is new has its buttons')
  await page.getByRole('button', { name: 'Pause' }).click()
  await state.getByText('paused').waitFor()
  const missed = await update(2)
  await page.getByRole('button', { name: 'Resume' }).click()
  await state.getByText('live').waitFor()
  await shows(missed)
}

// behaves tests the scripted controls and signing out.
async function behaves(page, dev, all) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(all.wallet)
  await page.locator('.sub .copy').click()
  assert.ok(all.wallet.endsWith(await page.evaluate(() => navigator.clipboard.readText())))
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const before = await ground()
  await page.locator('#theme').click()
  assert.notEqual(await ground(), before)
  const after = await ground()
  await page.reload()
  assert.equal(await ground(), after, 'the theme stays')
  await live(page, dev)
  await page.goto(all.leaderboard)
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content')
  await page.fill('#q', all.update.slice(-66))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${all.update}`)
  const other = await page.context().newPage()
  await other.goto(all.recent)
  await other.locator('#live').getByText('live').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/app/sign-in')
  await other.getByRole('button', { name: 'Pause' }).click()
  await other.getByRole('button', { name: 'Resume' }).click() // as each minute, it asks again
  await other.locator('#live').getByText('signed out').waitFor()
  await other.getByRole('link', { name: 'Sign in' }).click()
  await other.waitForURL('**/app/sign-in?**')
  await page.goto('/app')
  assert.equal(new URL(page.url()).pathname, '/app/sign-in')
}

await withStack(async (stack) => {
  await fill(stack)
  const browser = await chromium.launch({ executablePath: process.env.SCORELAY_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  try {
    await browse(browser, stack)
    await operate(browser, stack, look, pictures)
  } finally {
    await browser.close()
  }
  console.log('every screen of the page, in both themes, 360 and 1600 pixels wide, an owner who edits a project, and an operator: nothing is wrong')
})
