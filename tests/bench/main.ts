import { globSync } from 'node:fs'
import { basename } from 'node:path'

// `npm run bench -- <name>`: one JSON line per figure. A time that depends on the machine is compared, in the same run,
// with what the machine can do at best.

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

const [name] = process.argv.slice(2)
if (name === undefined) console.log(names.join('\n'))
else if (names.includes(name)) {
  const { bench } = (await import(`./${name}.ts`)) as { bench: (report: Report) => Promise<void> }
  await bench(reporter(name))
  // Connections kept open for reuse would hold the process up.
  process.exit()
} else {
  console.error(`There is no bench "${name}"; there are: ${names.join(', ')}.`)
  process.exitCode = 1
}
