import config from '../../playwright.config.ts'

// The full walk takes some twenty minutes, so `npm test` walks only a sample.
export default {
  ...config,
  testDir: '.',
  globalSetup: './walk-setup.ts',
  outputDir: 'results',
  reporter: [['list'], ['./walk-overview.ts']],
  timeout: 1_800_000,
  projects: [{ name: 'whole', testMatch: 'walk-whole.ts' }],
}
