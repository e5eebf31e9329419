import { defineConfig } from '@playwright/test'
import { findChromium } from './tests/browser/chromium.ts'
import { tier } from './tests/kit/tier.ts'

const environment = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
)

// The site in a real Chromium against the real local stack, which the set-up starts once for all of them.
export default defineConfig({
  testDir: 'tests/browser',
  testMatch: '*.test.ts',
  outputDir: 'tests/browser/results',
  globalSetup: './tests/browser/setup.ts',
  ...(tier === 'short' && { grepInvert: /@long|\.long\.test/ }),
  ...(tier === 'long' && { grep: /@long|\.long\.test/ }),
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    locale: 'en-GB',
    // A worker would answer in place of what a test puts there; its own tests let it in.
    serviceWorkers: 'block',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: findChromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-software-rasterizer',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      // In the language of no country a browser keeps no name with a dash in it.
      env: { ...environment, LANG: 'C.UTF-8' },
    },
  },
})
