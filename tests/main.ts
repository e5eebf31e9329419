import { spawn } from 'node:child_process'
import { type Part, partsOf } from './kit/tier.ts'

// `npm test` runs the short tier, and `npm run test:long` the long tier; CI runs both. `npm test -- api` runs one part
// and passes the other arguments on: `npm test -- api tests/api/line.test.ts`. `npm test -- changed` runs the tests
// that the working copy affects. `TEST_URL=https://…` points the api tests at a deployed stage.

interface Outcome {
  name: string
  seconds: number
  isPassed: boolean
}

/** Runs one part. A part of a parallel round prints its output when it ends. */
const run = ({ name, command, environment }: Part, isAlone: boolean) =>
  new Promise<Outcome>(resolve => {
    const startedAt = performance.now()
    const [program = '', ...args] = command
    const child = spawn(program, args, {
      // On Windows npm installs programs as shell scripts.
      shell: process.platform === 'win32',
      stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => output.push(data))
    child.on('close', code => {
      process.stdout.write(Buffer.concat(output))
      resolve({ name, seconds: (performance.now() - startedAt) / 1000, isPassed: code === 0 })
    })
  })

const [name, ...partArguments] = process.argv.slice(2)
const rounds = partsOf(name, partArguments)
if (typeof rounds === 'string') {
  console.error(rounds)
  process.exitCode = 2
} else {
  const outcomes: Outcome[] = []
  // A failed round ends the run.
  for (const round of rounds) {
    outcomes.push(...(await Promise.all(round.map(part => run(part, round.length === 1)))))
    if (outcomes.some(({ isPassed }) => !isPassed)) break
  }
  const total = {
    name: 'total',
    seconds: performance.now() / 1000,
    isPassed: outcomes.every(({ isPassed }) => isPassed),
  }
  if (outcomes.length > 1)
    for (const { name, seconds, isPassed } of [...outcomes, total])
      console.log(`${name.padEnd(12)} ${seconds.toFixed(1).padStart(7)} s  ${isPassed ? 'passed' : 'failed'}`)
  if (!total.isPassed) process.exitCode = 1
}
