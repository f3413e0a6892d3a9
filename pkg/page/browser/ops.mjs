// pkg/page/browser/ops.mjs: an operator uses every screen of /ops: pauses, dead letters, API keys
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { root } from '../../../docs/examples/stack.mjs'

const words = '<img src=x onerror="window.broken=1">'

async function signIn(page, token) {
  await page.goto('/ops')
  assert.equal(new URL(page.url()).pathname, '/ops/sign-in')
  await page.locator('input:focus').waitFor() // the first field gets the focus as the screen is shown
  await page.keyboard.type('ada')
  await page.keyboard.press('Tab')
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
}

// pauses pauses the demo project and returns a function that resumes it.
async function pauses(page, dev) {
  await page.goto('/ops/pauses')
  await page.getByLabel('A project').fill(dev.projectId)
  await page.getByLabel('Why; callers are told it').first().fill(words)
  await page.getByRole('button', { name: 'Pause the project' }).click()
  await page.getByRole('heading', { name: '1 thing is paused' }).waitFor()
  return async () => {
    await page.goto('/ops/pauses')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('heading', { name: 'Nothing is paused' }).waitFor()
  }
}

// replays creates a dead letter: the update's signer is no longer an updater when its lane processes it. After the
// signer regains the role, it replays the dead letter on the screen.
async function replays(page, { dev, program, data }) {
  const updater = privateKeyToAccount(dev.updaterKey)
  const edit = (...args) => {
    const ran = spawnSync(program, ['projects', 'edit', dev.projectId, '--data-dir', data, ...args], { env: { ...process.env, SCORELAY_OWNER_KEY: dev.ownerKey }, encoding: 'utf8', timeout: 180_000 })
    assert.equal(ran.status, 0, ran.stdout + ran.stderr)
  }
  const headers = { 'X-API-KEY': dev.apiKey, 'Content-Type': 'application/json' }
  const updateId = `0x${'d1'.repeat(32)}`
  const resume = await pauses(page, dev)
  edit(`--remove-updater=${updater.address}`)
  const message = String(Date.now())
  const sent = await fetch(`${dev.apiUrl}/update-score`, {
    method: 'POST', headers,
    body: JSON.stringify({
      projectId: dev.projectId, actionName: dev.actions[0], scoreType: dev.scoreType, updateId, targetWallet: `0x${'7'.repeat(40)}`, message, signature: await updater.signMessage({ message }),
    }),
  })
  assert.equal(sent.status, 200, await sent.text())
  await resume()
  for (const deadline = Date.now() + 120_000; ; await sleep(300)) {
    await page.goto('/ops/dead-letters')
    if (await page.getByRole('heading', { name: '1 dead letter needs a person' }).count()) break
    assert.ok(Date.now() < deadline, await page.locator('main').innerText())
  }
  edit(`--add-updater=${updater.address}`, '--wait=2m')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'See what a replay of the chosen ones does' }).click()
  await page.getByRole('heading', { name: '1 will be accepted again' }).waitFor()
  const preview = page.url().slice(page.url().indexOf('/ops'))
  await page.getByRole('button', { name: 'Replay 1' }).click()
  await page.getByRole('heading', { name: '1 of 1 were accepted again' }).waitFor()
  for (const deadline = Date.now() + 120_000; ; await sleep(300)) {
    const is = await (await fetch(`${dev.apiUrl}/projects/${dev.projectId}/updates/${updateId}`, { headers })).json()
    if (is.status === 'final' && is.outcome === 'applied') break
    assert.ok(Date.now() < deadline, JSON.stringify(is))
  }
  await page.goto('/ops/dead-letters?replayed=1')
  return { letters: '/ops/dead-letters?replayed=1', letter: await page.locator('td a').first().getAttribute('href'), preview }
}

// keys creates an API key that works, and returns its path and a function that revokes it.
async function keys(page, dev) {
  const opens = async (key) => (await fetch(`${dev.apiUrl}/projects`, { headers: { 'X-API-KEY': key } })).status
  const soon = async (key, status) => {
    for (const deadline = Date.now() + 30_000; await opens(key) !== status; await sleep(50)) assert.ok(Date.now() < deadline, `${await opens(key)}, not ${status}`)
  }
  await page.goto('/ops/keys')
  await page.getByLabel('Whose it is').fill("acme's backend")
  await page.getByLabel('Look-ups a second').fill('20')
  await page.getByRole('button', { name: 'Create' }).click()
  const secret = await page.locator('#secret').innerText()
  await soon(secret, 200)
  const key = new URL(page.url()).pathname
  await page.reload()
  assert.equal(await page.getByText(secret).count(), 0, 'it is shown once')
  await page.goto('/ops/keys')
  assert.equal(await page.getByText("acme's backend").count(), 1, 'to load it again made no other')
  await page.getByRole('link', { name: secret.split('_')[1] }).click()
  assert.equal(new URL(page.url()).pathname, key)
  await page.getByLabel('Updates a second').fill('7')
  await page.getByRole('button', { name: 'Change' }).click()
  await page.waitForURL(`**${key}`)
  assert.equal(await page.getByLabel('Updates a second').inputValue(), '7')
  return {
    key,
    revoke: async () => {
      await page.goto(key)
      await page.getByRole('button', { name: 'Revoke this key' }).click()
      await page.waitForURL('**/ops/keys')
      await soon(secret, 401)
    },
  }
}

// follows checks that the first screen updates itself, shows its state, can be paused, and reports failures.
async function follows(page, context) {
  const says = (text) => page.locator('#following-state', { hasText: text }).waitFor({ timeout: 30_000 })
  const looked = () => page.locator('#ops-verdict time').last().getAttribute('datetime')
  await page.goto('/ops')
  const first = await looked()
  for (const deadline = Date.now() + 30_000; await looked() === first; await sleep(100)) assert.ok(Date.now() < deadline, 'it does not follow')
  await says('live')
  await page.getByRole('button', { name: 'Pause' }).click()
  await says('paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await says('live')
  await context.setOffline(true)
  await says('reconnecting')
  await context.setOffline(false)
  await says('live')
  await page.route('**/ops', (route) => route.fulfill({ status: 303, headers: { Location: '/ops/sign-in' } }))
  await says('the session ended')
  await page.unroute('**/ops')
}

// picture takes the screenshots of docs/ops.md while updates arrive.
async function picture(browser, { dev, data }, storageState, screens, pictures) {
  const load = spawn('go', ['run', '-C', 'cmd/bench', '.', 'load', '--data-dir', data, '--rate', '150', '--duration', '100s', '--wallets', '120'], { cwd: root, stdio: 'ignore' })
  const ended = new Promise((resolve) => load.once('exit', resolve))
  await sleep(90_000)
  for (const [name, colorScheme, width, height] of [['overview', 'light', 1120, 900], ['letters', 'dark', 1120, 420], ['keys', 'light', 1120, 420]]) {
    const context = await browser.newContext({ baseURL: dev.adminUrls[0], storageState, colorScheme, viewport: { width, height } })
    const page = await context.newPage()
    await page.goto(screens[name])
    await page.screenshot({ path: join(pictures, `ops-${{ letters: 'dead-letters' }[name] ?? name}.png`) })
    await context.close()
  }
  await ended
}

// operate checks all of /ops; look checks what holds for every screen. pictures may be undefined.
export async function operate(browser, stack, look, pictures) {
  const { dev } = stack
  const baseURL = dev.adminUrls[0]
  const context = await browser.newContext({ baseURL })
  const page = await context.newPage()
  await signIn(page, `${dev.apiKey}x`)
  await page.getByRole('alert').waitFor()
  await page.goto('/ops/keys')
  assert.equal(new URL(page.url()).pathname, '/ops/sign-in', 'nothing is shown without the token')
  await signIn(page, dev.apiKey)
  await page.getByRole('heading', { name: 'all lanes move' }).waitFor()
  const { key, revoke } = await keys(page, dev)
  const screens = { overview: '/ops', ...await replays(page, stack), keys: '/ops/keys', key, pauses: '/ops/pauses', missing: '/ops/dead-letters/000000000000', replayless: '/ops/dead-letters/replay' }
  const resume = await pauses(page, dev)
  const storageState = await context.storageState()
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [360, 1600]) {
      const context = await browser.newContext({ baseURL, storageState, colorScheme, viewport: { width, height: 800 } })
      const page = await context.newPage()
      const wrong = []
      page.on('console', (line) => { if (line.type() === 'error' && !/status of (40[04]|503)/.test(line.text())) wrong.push(line.text()) })
      page.on('pageerror', (error) => wrong.push(error.message))
      page.on('request', (request) => { if (!request.url().startsWith(`${baseURL}/ops`)) wrong.push(request.url()) })
      for (const [name, path] of Object.entries(screens)) {
        await look(page, `operators' ${name}, ${colorScheme}, ${width}`, path, { missing: 404, replayless: 400 }[name] ?? 200)
      }
      assert.deepEqual(wrong, [])
      await context.close()
    }
  }
  await resume()
  if (pictures) await picture(browser, stack, storageState, screens, pictures)
  await revoke()
  await follows(page, context)
  const plain = await browser.newContext({ baseURL, storageState, javaScriptEnabled: false })
  const still = await plain.newPage()
  await still.goto('/ops')
  assert.equal(await still.locator('#following:visible, .copy:visible, #theme:visible').count(), 0, 'no button is shown that does nothing')
  assert.ok(await still.locator('table tbody tr').count() > 4, 'it reads without a script')
  await page.goto('/ops')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/ops/sign-in')
  await page.goto('/ops')
  assert.equal(new URL(page.url()).pathname, '/ops/sign-in')
}
