// pkg/page/browser/speed.mjs: what each screen weighs, and how soon a slow phone shows it
import assert from 'node:assert/strict'

// phone is Lighthouse's mobile profile: a slow 4G, and a quarter of this machine's speed.
const phone = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 }
const slower = 4

// measure opens each screen with a cold cache, prints how many bytes came, when there was something to see and when all was there, and holds the bytes to their
// bounds: 100 KB in all, and 30 KB of scripts before they are compressed. Times are only printed, since they are of this machine, too.
export async function measure(browser, baseURL, storageState, screens) {
  console.log('| screen | requests | bytes | first paint, ms | loaded, ms |\n|---|---|---|---|---|')
  for (const [name, path] of Object.entries(screens)) {
    const context = await browser.newContext({ baseURL, storageState, viewport: { width: 360, height: 640 } })
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    const sizes = new Map()
    cdp.on('Network.requestWillBeSent', ({ requestId }) => sizes.set(requestId, 0))
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength))
    const scripts = []
    page.on('response', (answer) => { if (answer.request().resourceType() === 'script') scripts.push(answer.body()) })
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', phone)
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower })
    await page.goto(path, { waitUntil: 'load' })
    const [paint, load] = await page.evaluate(() => [
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime, performance.getEntriesByType('navigation')[0].loadEventStart,
    ].map(Math.round))
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    console.log(`| ${name} | ${sizes.size} | ${bytes.toLocaleString('en')} | ${paint} | ${load} |`)
    assert.ok(bytes > 0 && bytes <= 100_000, `${name} is ${bytes} bytes`)
    const own = (await Promise.all(scripts)).reduce((sum, body) => sum + body.length, 0)
    assert.ok(own > 0 && own <= 30_000, `the scripts of ${name} are ${own} bytes`)
    await context.close()
  }
}
