// pkg/page/browser/owner.mjs: an owner edits a project on the page, with a test wallet that has a real key
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'

const member = `0x${'5'.repeat(40)}`
const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>window.broken=1</script><path fill="orange" d="M0 0h1v1H0z"/></svg>'

const hostile = ['2', '<img src=x onerror="window.broken=1">\u202Ekcats', 'https://example.com/x.svg']

// wallet announces a test wallet and others in every page of a context (EIP-6963). Its keys stay in this process;
// pages call it by one function.
export async function wallet(context, dev, others = [['1', 'Fox', icon], hostile, ['3', 7, icon]]) {
  const is = { key: dev.ownerKey, chain: dev.chainId, refuses: null, signed: [] }
  const methods = {
    eth_requestAccounts: () => [privateKeyToAccount(is.key).address],
    eth_chainId: () => `0x${is.chain.toString(16)}`,
    wallet_switchEthereumChain: ([{ chainId }]) => { is.chain = Number(chainId); return null },
    eth_signTypedData_v4: async ([address, text]) => {
      const account = privateKeyToAccount(is.key)
      assert.equal(address, account.address)
      const data = JSON.parse(text)
      assert.equal(data.domain.chainId, is.chain, 'wallets refuse a domain of another chain')
      is.signed.push(data)
      return account.signTypedData(data)
    },
  }
  await context.exposeBinding('walletOfTheTest', async (_, { method, params }) => {
    if (is.refuses?.method === method) return { error: is.refuses }
    return { result: await methods[method](params) }
  })
  await context.addInitScript((wallets) => {
    const request = async (call) => {
      const { error, result } = await window.walletOfTheTest(call)
      if (error) throw Object.assign(new Error(error.message), error)
      return result
    }
    const announce = (uuid, name, icon) => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: Object.freeze({ info: { uuid, name, icon, rdns: 'com.example.wallet' }, provider: { request } }),
    }))
    addEventListener('eip6963:requestProvider', () => {
      for (const wallet of wallets) announce(...wallet)
    })
  }, [['1', 'Fox', icon], ...others])
  return is
}

// edits takes an owner from the form to the final edit, through a wallet's errors, and returns paths of screens.
export async function edits(browser, { dev, program, data }, storageState) {
  const project = `/app/projects/${dev.projectId}`
  const context = await browser.newContext({ baseURL: dev.apiUrl, storageState })
  const owner = await wallet(context, dev)
  const page = await context.newPage()
  const says = async (words, at = page) => at.locator('#signing [role=status]', { hasText: words }).waitFor({ timeout: 30_000 }).catch(async () => {
    assert.fail(`not said: ${words}; but: ${await at.locator('main').innerText()}`)
  })
  const choose = () => page.getByRole('button', { name: 'Fox' }).press('Enter')

  await page.goto(`${project}/members`)
  await page.getByLabel('Wallet', { exact: true }).fill(member)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/edit?**')
  const edit = page.url().slice(dev.apiUrl.length)
  assert.equal(await page.locator('.wallets button').count(), 2, 'each wallet is listed once, and one that is none is not')
  assert.match(await page.locator('.wallets').innerText(), /<img src=x onerror="window\.broken=1">\[U\+202E\]kcats/)
  assert.equal(await page.locator('.wallets img').count(), 1, 'an icon comes from no other host')

  owner.refuses = { method: 'eth_requestAccounts', code: 4001, message: 'User rejected the request.' }
  await choose()
  await says('You refused in Fox. Nothing was signed.')
  owner.refuses = { method: 'eth_requestAccounts', code: -32002, message: 'Already processing' }
  await choose()
  await says('has a question open already')
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^Fox/, 'the focus stays')
  owner.refuses = { method: 'eth_requestAccounts', code: 4100, message: 'Unauthorized' }
  await choose()
  await says('Fox is locked')
  owner.refuses = null
  owner.key = dev.updaterKey
  await choose()
  await says('is no owner of this project')
  owner.key = dev.ownerKey
  owner.chain = 1
  await choose()
  await says('Fox is on chain 1.')
  assert.equal(owner.signed.length, 0)
  owner.refuses = { method: 'wallet_switchEthereumChain', code: 4902, message: 'Unrecognized chain' }
  await page.getByRole('button', { name: `Switch Fox to chain ${dev.chainId}` }).click()
  await says('does not know this chain')
  owner.refuses = { method: 'eth_signTypedData_v4', code: 4001, message: 'User rejected the request.' }
  await choose()
  await page.getByRole('button', { name: `Switch Fox to chain ${dev.chainId}` }).click()
  await says('You refused in Fox. Nothing was signed.')
  owner.refuses = null

  // The first response is lost after the edit was stored; the retry stores no second edit.
  let posts = 0
  await page.route('**/edits', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    if (++posts > 1) return route.continue()
    assert.equal((await route.fetch()).status(), 200)
    return route.abort()
  })
  await page.getByRole('button', { name: 'Fox' }).dblclick()
  await says('could not be reached')
  await page.waitForURL(`**${project}/edits/0`)
  assert.deepEqual([owner.signed.length, posts], [1, 2], 'a double click signs once, and an answer that was lost is asked for again')
  assert.deepEqual(owner.signed[0].message.edits, [{ operation: 'add updater', member, name: '', points: 0, direction: 0 }])
  await page.getByText('It is made, for good.').waitFor({ timeout: 120_000 }) // by itself
  await page.goto(`${project}/edits`)
  assert.equal(new URL(page.url()).pathname, `${project}/edits/0`, 'who closed the tab finds it')
  await shows(page, `${project}/members`, member, true)
  const shown = () => JSON.parse(spawnSync(program, ['projects', 'show', '--json', dev.projectId, '--data-dir', data], { encoding: 'utf8' }).stdout)
  assert.ok(shown().updaters.includes(member), 'the contract has the member')

  const bare = await browser.newPage({ baseURL: dev.apiUrl, storageState })
  await bare.goto(edit.replace(member, `0x${'6'.repeat(40)}`))
  await says('No wallet announced itself', bare)
  await bare.close()
  await inShell(browser, { dev, program }, storageState, page)
  assert.ok(!shown().updaters.includes(member))
  await context.close()
  return { edit, edited: `${project}/edits/0`, refused: `${project}/edit?operation=remove+updater&member=${member}` }
}

// shows waits until a screen shows a wallet, or hides it. Screens show the state as of a final block.
async function shows(page, path, wallet, is) {
  for (const deadline = Date.now() + 60_000; ; await sleep(200)) {
    await page.goto(path)
    if (await page.locator(`[title="${wallet}" i]`).count() > 0 === is) return
    assert.ok(Date.now() < deadline, `${path}:\n${await page.locator('main').innerText()}`)
  }
}

// inShell removes the member's role without a script, by the command on the screen.
async function inShell(browser, { dev, program }, storageState, page) {
  const context = await browser.newContext({ baseURL: dev.apiUrl, storageState, javaScriptEnabled: false })
  const still = await context.newPage()
  await still.goto(`/app/projects/${dev.projectId}/members`)
  await still.getByRole('link', { name: `Remove updater ${member.slice(0, 6)}…${member.slice(-4)}` }).click()
  assert.equal(await still.locator('#signing:visible, .wallets button').count(), 0)
  assert.equal(await still.getByText('which this browser does not run').isVisible(), true)
  const command = await still.locator('pre').innerText()
  const ran = spawnSync('bash', ['-c', command], {
    env: { PATH: `${dirname(program)}:${process.env.PATH}`, SCORELAY_API: dev.apiUrl, SCORELAY_API_KEY: dev.apiKey, SCORELAY_OWNER_KEY: dev.ownerKey }, encoding: 'utf8', timeout: 180_000,
  })
  assert.equal(ran.status, 0, `${command}\n${ran.stdout}${ran.stderr}`)
  assert.match(ran.stdout, /final: applied/)
  await shows(page, `/app/projects/${dev.projectId}/members`, member, false)
  await context.close()
}
