import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Figure, keepFigures, type TrialFile } from './trial.ts'

// `npm run chaos -- <names>`: faults on purpose against the real local stack, and afterwards a count of what is there. One JSON
// line per figure; whoever fails can be run again with the seed that is printed. Several run one after the other, each in a process
// of its own, and an overview ends them. Trials are the files named t1, t2, …

const usage = `npm run chaos -- <names, or all> [--seed <number>] [--size <part of the promised size, such as 0.1>]`

const known = globSync('t*.ts', { cwd: import.meta.dirname })
  .map(file => basename(file, '.ts'))
  .filter(name => /^t\d+$/.test(name))
  .sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, size: { type: 'string', default: '1' } },
})
const names = positionals.includes('all') ? known : positionals
const unknown = names.filter(name => !known.includes(name))
const [seed, size] = [Number(values.seed), Number(values.size)]

/** A trial takes minutes: whoever looks on is told so often that it goes on, and how far it is where it knows. */
const progressMilliseconds = 10_000

const run = async (name: string) => {
  const print = (line: object) => console.log(JSON.stringify({ chaos: name, ...line }))
  print({ seed, size })
  const figures = keepFigures(print)
  const startedAt = performance.now()
  let said = ''
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    process.stderr.write(`${name}: ${[`${seconds} s`, said].filter(Boolean).join(', ')}\n`)
  }, progressMilliseconds)
  const say = (text: string) => {
    said = text
  }
  try {
    const { run } = (await import(`./${name}.ts`)) as TrialFile
    await run({ seed, size, report: figures.report, say })
  } finally {
    clearInterval(progress)
  }
  const verdict = figures.verdict()
  print({ seed, verdict })
  if (verdict !== 'passed') process.exitCode = 1
}

interface Outcome {
  name: string
  /** `broken` where it ended without one. */
  verdict: 'passed' | 'failed' | 'void' | 'broken'
  seconds: number
  figures: Figure[]
}

/** A trial in a process of its own: what one leaves behind is nothing to the next. */
const runApart = async (name: string): Promise<Outcome> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [import.meta.filename, name, `--seed=${seed}`, `--size=${size}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const outcome: Outcome = { name, verdict: 'broken', seconds: 0, figures: [] }
  const ended = new Promise(resolve => child.once('close', resolve))
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line)
    if (!line.startsWith('{"chaos":')) continue
    const told: Partial<Figure> & { verdict?: Outcome['verdict'] } = JSON.parse(line)
    if (told.verdict) outcome.verdict = told.verdict
    if (told.figure !== undefined) outcome.figures.push(told as Figure)
  }
  await ended
  return { ...outcome, seconds: (performance.now() - startedAt) / 1000 }
}

const wished = ({ atLeast, atMost }: NonNullable<Figure['goal']>) =>
  [atLeast !== undefined && `at least ${atLeast}`, atMost !== undefined && `at most ${atMost}`]
    .filter(Boolean)
    .join(' and ')

const overview = (outcomes: Outcome[]) => {
  console.log(`\nSeed ${seed}, size ${size}`)
  for (const { name, verdict, seconds, figures } of outcomes) {
    const promised = figures.filter(({ goal }) => goal)
    const kept = promised.filter(({ met }) => met)
    const share = `${kept.length} of ${promised.length} goals`
    console.log(`${name.padEnd(4)} ${verdict.padEnd(7)} ${seconds.toFixed(1).padStart(7)} s  ${share}`)
    for (const { figure, value, unit, goal } of promised.filter(({ met }) => !met))
      console.log(`     ${figure}: ${value} ${unit}${goal ? `, ${wished(goal)} wanted` : ''}`)
  }
}

if (names.length === 0) console.log(`${usage}\n\n${known.join('\n')}`)
else if (unknown.length > 0) {
  console.error(`There is no trial "${unknown[0]}"; there are: ${known.join(', ')}.`)
  process.exitCode = 1
} else if (!Number.isInteger(seed) || seed < 0 || !(size > 0 && size <= 1)) {
  console.error(usage)
  process.exitCode = 1
} else if (names.length === 1 && names[0] !== undefined) {
  await run(names[0]).catch(error => {
    console.error(error)
    process.exitCode = 1
  })
  // Connections kept open for reuse would hold the process up.
  process.exit()
} else {
  const outcomes: Outcome[] = []
  for (const name of names) outcomes.push(await runApart(name))
  overview(outcomes)
  process.exitCode = outcomes.every(({ verdict }) => verdict === 'passed') ? 0 : 1
}
