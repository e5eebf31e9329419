import config from '../../playwright.config.ts'

// The walk by itself: the whole of it takes some twenty minutes, so `npm test` walks a sample only.
export default {
  ...config,
  testDir: '.',
  globalSetup: './setup.ts',
  outputDir: 'results',
  reporter: [['list'], ['./walk-overview.ts']],
  timeout: 1_800_000,
  projects: [{ name: 'whole', testMatch: 'walk-whole.ts' }],
}
