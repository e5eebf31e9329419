import { defineConfig } from 'vitest/config'

// One project per kind of promise. The api and browser projects share one local stack each, started by their global set-up.
export default defineConfig({
  test: {
    // The functions log a line per call; it is of interest where a test fails.
    silent: 'passed-only',
    // Most tests wait for another process, so two cores take two files at a time.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], testTimeout: 120_000 } },
      {
        test: {
          name: 'api',
          include: ['tests/api/**/*.test.ts'],
          globalSetup: 'tests/api/setup.ts',
          testTimeout: 90_000,
          hookTimeout: 120_000,
          // As in the browser: a loaded machine may be late once, what fails twice is a fault.
          retry: 1,
        },
      },
      { test: { name: 'infra', include: ['tests/infra/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 } },
    ],
  },
})
