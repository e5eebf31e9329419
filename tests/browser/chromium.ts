import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const macChrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

const installed = (): string | undefined => {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const files = folders.flatMap(folder => names.map(name => join(folder, name)))
  return [...files, macChrome, chromium.executablePath()].find(file => existsSync(file))
}

/**
 * A Chromium to test with: CHROMIUM_PATH, the system's, or the one in Playwright's cache. On Debian as root it is
 * installed; anywhere else the error names the command to run, because a test that is skipped promises nothing.
 */
export const findChromium = (): string => {
  const told = process.env.CHROMIUM_PATH
  if (told) {
    if (existsSync(told)) return told
    throw new Error(`CHROMIUM_PATH names ${told}, which does not exist.`)
  }
  const found = installed()
  if (found) return found
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    console.log('No Chromium was found; the package chromium is being installed …')
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env: environment })
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: 'inherit',
      env: environment,
    })
    const now = installed()
    if (now) return now
  }
  throw new Error(
    'The browser tests need a Chromium: run “npx playwright install chromium”, or set CHROMIUM_PATH to an installed one.',
  )
}
