import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

// `npm run bench -- <name>` prints a JSON line per figure. A time depends on the machine, so the same run also measures
// the best time of the machine.

export interface Goal {
  atLeast?: number
  atMost?: number
}

export type Report = (figure: string, value: number, unit: string, goal?: Goal) => void

const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map(file => basename(file, '.ts'))
  .filter(name => name !== 'main')
  .sort()

const reporter =
  (bench: string): Report =>
  (figure, value, unit, goal) => {
    const met = goal && value >= (goal.atLeast ?? -Infinity) && value <= (goal.atMost ?? Infinity)
    if (met === false) process.exitCode = 1
    console.log(
      JSON.stringify({ bench, figure, value: Number(value.toPrecision(4)), unit, ...(goal && { goal, met }) }),
    )
  }

/** A bench, or its parts by name. */
type Bench = ((report: Report) => Promise<void>) | Readonly<Record<string, (report: Report) => Promise<void>>>

const benchOf = async (name: string): Promise<Record<string, (report: Report) => Promise<void>>> => {
  const { bench } = (await import(`./${name}.ts`)) as { bench: Bench }
  return typeof bench === 'function' ? { [name]: bench } : bench
}

/** The kit creates its clients once, for the current table, so each part runs in its own thread. */
const runApart = (name: string, part: string): Promise<void> =>
  new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData: { name, part } }).once('error', reject).once('exit', code => {
      if (code !== 0) process.exitCode = 1
      resolve()
    })
  })

const [name] = process.argv.slice(2)
if (!isMainThread) {
  const { name, part } = workerData as { name: string; part: string }
  await (await benchOf(name))[part]?.(reporter(name))
  // Open keep-alive connections would keep the thread running.
  process.exit(process.exitCode)
} else if (name === undefined) console.log(names.join('\n'))
else if (names.includes(name)) {
  for (const part of Object.keys(await benchOf(name))) await runApart(name, part)
} else {
  console.error(`There is no bench "${name}"; there are: ${names.join(', ')}.`)
  process.exitCode = 1
}
