import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { tier } from './tests/kit/tier.ts'

/** The api tests that hold nothing of a stack in their own hands: no process, table, clock or receiver on this machine. */
const apart = globSync('tests/api/*.test.ts').filter(file => {
  const text = readFileSync(file, 'utf8')
  return (
    text.includes("inject('address')") && !/stack\.ts'|world\.ts'|table\.ts'|events\/|createServer|\/outbox/.test(text)
  )
})

const isLong = tier === 'long'
const longTest = '**/*.long.test.ts'
/** The short tier samples these tests. The long tier runs them whole: random days and changes, leave balances, and the walks over every path. */
const sampled = {
  unit: ['differential', 'hours-model', 'hours-property', 'locked-week', 'property'].map(
    name => `tests/unit/attendance/${name}.test.ts`,
  ),
  api: ['leave', 'preview', 'scope', 'tenant', 'walk'].map(name => `tests/api/${name}.test.ts`),
  infra: [],
}
/** The files of the short tier that contain a test with the tag `long`. */
const taggedFiles = () =>
  globSync('tests/api/*.test.ts').filter(file => readFileSync(file, 'utf8').includes("tags: 'long'"))
const filesOf = (name: keyof typeof sampled) => ({
  name,
  include:
    tier === 'tagged'
      ? taggedFiles()
      : isLong
        ? [`tests/${name}/${longTest}`, ...sampled[name]]
        : [`tests/${name}/**/*.test.ts`],
  exclude: tier === 'short' ? [longTest] : [],
})

/** Starts the slowest files first. Otherwise one of them could start last, while the other core is idle. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isSlow = ({ moduleId }: TestSpecification) => /\/(differential|hours-model|scope|walk)\.test/.test(moduleId)
    return (await super.sort(files)).sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)))
  }
}

// One project per kind of promise. The api and browser projects share one local stack each, started by their global set-up.
export default defineConfig({
  test: {
    // The functions log a line per call; it is of interest where a test fails.
    silent: 'passed-only',
    // Most tests wait for another process, so two cores take two files at a time.
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    tags: [{ name: 'long', description: 'Only the long tier runs it.' }],
    projects: [
      { test: { ...filesOf('unit'), testTimeout: isLong ? 600_000 : 120_000 } },
      {
        test: {
          ...filesOf('api'),
          // The tests of field cases stand beside the given data.
          ...(!isLong && { include: [...filesOf('api').include, 'tests/given/field/*.test.ts'] }),
          ...(process.env.TEST_URL && { include: apart }),
          globalSetup: 'tests/api/setup.ts',
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
      { test: { ...filesOf('infra'), testTimeout: 120_000, hookTimeout: 120_000 } },
    ],
  },
})
