import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { address, expect, openAs, test } from './site.ts'

// The site opens without a connection and shows that it is offline. The cache never contains answers of the server.

test.use({ serviceWorkers: 'allow' })

/** The paths of all cached addresses. */
const cachedPaths = (page: Page) =>
  page.evaluate(async () => {
    const stores = await Promise.all((await caches.keys()).map(name => caches.open(name)))
    const requests = await Promise.all(stores.map(store => store.keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })

/** Waits until the cache holds every file of the page. */
const waitForCache = async (page: Page) => {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter(path => path.startsWith('/assets/')),
  )
  await expect.poll(() => cachedPaths(page)).toEqual(expect.arrayContaining(['/', '/start.js', ...loaded]))
}

const offlineNotice = 'You are offline. Nothing updates or saves until you are back online.'

test('the site opens without a connection, shows that it is offline, and continues when it is online', async ({
  page,
  context,
}) => {
  await openAs(page, 'administrator', '/dashboard')
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible()
  await waitForCache(page)
  await expect(page.getByText(offlineNotice)).toBeHidden()

  await context.setOffline(true)
  await expect(page.getByText(offlineNotice)).toBeVisible()
  await page.goto('/employee')
  await expect(page.getByRole('heading', { name: 'No connection' })).toBeVisible()
  await expect(page.getByText(offlineNotice)).toBeVisible()

  await context.setOffline(false)
  await expect(page.getByRole('link', { name: 'Ada Brandt' }).first()).toBeVisible()
  await expect(page.getByText(offlineNotice)).toBeHidden()
})

test('the cache holds no answers of the server', { tag: '@long' }, async ({ page }) => {
  await openAs(page, 'administrator', '/dashboard')
  await waitForCache(page)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible()
  await page.goto('/outbox')
  await page.goto('/api/docs')
  await page.goto('/employee')
  await expect(page.getByRole('link', { name: 'Ada Brandt' }).first()).toBeVisible()
  await waitForCache(page)
  const unexpected = (await cachedPaths(page)).filter(
    path => !/^\/($|assets\/|start\.js$|manifest\.json$|icon)/.test(path),
  )
  expect(unexpected).toEqual([])
})

test('the next load after a deployment uses the new build and removes the previous build from the cache', {
  tag: '@long',
}, async ({ page }) => {
  await openAs(page, 'stranger', '/login')
  await waitForCache(page)
  // Simulate the cache of an earlier build.
  await page.evaluate(async () => {
    const old = '<script src="/assets/index-Old.js"></script>An earlier build'
    const response = () => new Response(old, { headers: { 'content-type': 'text/html' } })
    for (const name of [...(await caches.keys()), '/assets/index-Old.js'])
      await (await caches.open(name)).put('/', response())
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => caches.keys())).not.toContain('/assets/index-Old.js')
  const document = await page.evaluate(async () => (await caches.match('/'))?.text())
  expect(document).toBe(await (await fetch(address())).text())
})

test('a browser can install the site', async ({ page }) => {
  await page.goto('/login')
  const href = await page.locator('link[rel=manifest]').getAttribute('href')
  const manifest = await (await fetch(address() + href)).json()
  expect(manifest).toMatchObject({ name: 'Attendance', start_url: '/', display: 'standalone' })
  const icons: { src: string; type: string; sizes: string }[] = manifest.icons
  expect(icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']))
  for (const { src, type, sizes } of icons) {
    const response = await fetch(address() + src)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    if (type !== 'image/png') continue
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes)
  }
  const worker = await fetch(`${address()}/worker.js`)
  expect(worker.headers.get('cache-control')).toBe('no-cache')
  expect(await worker.text()).toBe(readFileSync('web/public/worker.js', 'utf8'))
})
