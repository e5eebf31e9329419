import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const macChrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

const findInstalled = (): string | undefined => {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const files = folders.flatMap(folder => names.map(name => join(folder, name)))
  return [...files, macChrome, chromium.executablePath()].find(file => existsSync(file))
}

/**
 * Finds the Chromium for the tests: from CHROMIUM_PATH, the system, or Playwright's cache. On Debian as root, installs
 * the package. Otherwise throws an error with the command to run, because a skipped test promises nothing.
 */
export const findChromium = (): string => {
  const configured = process.env.CHROMIUM_PATH
  if (configured) {
    if (existsSync(configured)) return configured
    throw new Error(`CHROMIUM_PATH names ${configured}, which does not exist.`)
  }
  const existing = findInstalled()
  if (existing) return existing
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    console.log('No Chromium was found; the package chromium is being installed …')
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env: environment })
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: 'inherit',
      env: environment,
    })
    const added = findInstalled()
    if (added) return added
  }
  throw new Error(
    'The browser tests need a Chromium: run “npx playwright install chromium”, or set CHROMIUM_PATH to an installed one.',
  )
}
