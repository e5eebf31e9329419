import { spawn } from 'node:child_process'
import { type Part, partsOf } from './kit/tier.ts'

// `npm test` runs the short tier, `npm run test:long` the long one; CI runs both. `npm test -- api` runs one part and hands it the
// other arguments: `npm test -- api tests/api/line.test.ts`. `npm test -- changed` runs the tests that the working copy affects.
// `TEST_URL=https://…` points the api tests at a deployed stage.

interface Ran {
  name: string
  seconds: number
  isPassed: boolean
}

/** Runs one part. A part beside others prints its output when it ends. */
const run = ({ name, command, environment }: Part, isAlone: boolean) =>
  new Promise<Ran>(resolve => {
    const startedAt = performance.now()
    const [program = '', ...words] = command
    const child = spawn(program, words, {
      // On Windows npm installs programs as shell scripts.
      shell: process.platform === 'win32',
      stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    })
    const said: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => said.push(data))
    child.on('close', code => {
      process.stdout.write(Buffer.concat(said))
      resolve({ name, seconds: (performance.now() - startedAt) / 1000, isPassed: code === 0 })
    })
  })

const [name, ...given] = process.argv.slice(2)
const rounds = partsOf(name, given)
if (typeof rounds === 'string') {
  console.error(rounds)
  process.exitCode = 2
} else {
  const ran: Ran[] = []
  // A failed round ends the run.
  for (const round of rounds) {
    ran.push(...(await Promise.all(round.map(part => run(part, round.length === 1)))))
    if (ran.some(({ isPassed }) => !isPassed)) break
  }
  const total = { name: 'together', seconds: performance.now() / 1000, isPassed: ran.every(({ isPassed }) => isPassed) }
  if (ran.length > 1)
    for (const { name, seconds, isPassed } of [...ran, total])
      console.log(`${name.padEnd(12)} ${seconds.toFixed(1).padStart(7)} s  ${isPassed ? 'passed' : 'failed'}`)
  if (!total.isPassed) process.exitCode = 1
}
