import { spawnSync } from 'node:child_process'

// `npm test`: everything, one part after the other, and no further than the first that fails. `npm test -- api` is one part alone,
// and what else is given goes to it: `npm test -- api tests/api/line.test.ts`. With `TEST_URL=https://…` the api tests run
// against what answers there instead of a stack of their own.

const parts: Record<string, string[][]> = {
  check: [['npm', 'run', 'check']],
  unit: [['vitest', 'run', '--project', 'unit']],
  api: [['vitest', 'run', '--project', 'api']],
  infra: [['vitest', 'run', '--project', 'infra']],
  browser: [['playwright', 'test']],
}
const everything = [
  ['npm', 'run', 'check'],
  ['vitest', 'run'],
  ['playwright', 'test'],
]

const [name, ...given] = process.argv.slice(2)
const steps = name === undefined ? everything : parts[name]
if (!steps) {
  console.error(`There is no part “${name}”: say one of ${Object.keys(parts).join(', ')}, or nothing for all of them.`)
  process.exitCode = 2
} else if (process.env.TEST_URL && name !== 'api') {
  console.error('Only the api tests can be run against another place: TEST_URL=… npm test -- api')
  process.exitCode = 2
} else
  for (const [command = '', ...words] of steps) {
    const { status } = spawnSync(command, [...words, ...given], { stdio: 'inherit' })
    if (status === 0) continue
    process.exitCode = status ?? 1
    break
  }
