import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** The api tests that hold nothing of a stack in their own hands: no process, table, clock or receiver on this machine. */
const apart = globSync('tests/api/*.test.ts').filter(file => {
  const text = readFileSync(file, 'utf8')
  return (
    text.includes("inject('address')") && !/stack\.ts'|world\.ts'|table\.ts'|events\/|createServer|\/outbox/.test(text)
  )
})

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
          include: process.env.TEST_URL ? apart : ['tests/api/*.test.ts'],
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
