import { spawn } from 'node:child_process'
import { type Part, partsOf } from './kit/tier.ts'

// `npm test`: what every change must pass. `npm run test:long`: what takes longer and runs beside it in CI. `npm test -- api` is one
// part, and what else is given goes to it: `npm test -- api tests/api/line.test.ts`. `npm test -- changed` runs what the working
// copy affects. With `TEST_URL=https://…` the api tests run against what answers there instead of a stack of their own.

interface Ran {
  name: string
  seconds: number
  isPassed: boolean
}

/** Runs one part. Beside others it keeps what it says until it ends. */
const run = ({ name, command, environment }: Part, isAlone: boolean) =>
  new Promise<Ran>(resolve => {
    const startedAt = performance.now()
    const [program = '', ...words] = command
    const child = spawn(program, words, {
      // The tools' programs are scripts of the shell there.
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
  // The parts of one round run side by side; no round begins after one that failed.
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
