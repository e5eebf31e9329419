import config from '../../playwright.config.ts'

// The walk by itself: the whole of it takes the better part of an hour, so it is not part of `npm test`.
export default {
  ...config,
  testDir: '.',
  globalSetup: './setup.ts',
  outputDir: 'results',
  timeout: 600_000,
  projects: [
    { name: 'whole', testMatch: 'walk-whole.ts' },
    { name: 'sample', testMatch: 'walk-sample.ts' },
  ],
}
