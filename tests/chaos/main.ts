import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Figure, keepFigures, type TrialFile } from './trial.ts'

// `npm run chaos -- <names>`: planned faults against the real local stack, followed by a count of the stored data.
// Prints a JSON line per figure and the seed, with which a failed trial can be repeated. Several trials run in
// sequence, each in its own process, and end with an overview. Trials are the files t1, t2, …

const usage = `npm run chaos -- <names, or all> [--seed <number>] [--size <part of the promised size, such as 0.1>]`

const trialNames = globSync('t*.ts', { cwd: import.meta.dirname })
  .map(file => basename(file, '.ts'))
  .filter(name => /^t\d+$/.test(name))
  .sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, size: { type: 'string', default: '1' } },
})
const names = positionals.includes('all') ? trialNames : positionals
const unknownNames = names.filter(name => !trialNames.includes(name))
const [seed, size] = [Number(values.seed), Number(values.size)]

/** A trial takes minutes, so its progress is printed at this interval. */
const progressMilliseconds = 10_000

const run = async (name: string) => {
  const print = (line: object) => console.log(JSON.stringify({ chaos: name, ...line }))
  print({ seed, size })
  const figures = keepFigures(print)
  const startedAt = performance.now()
  let progressText = ''
  const progressTimer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    process.stderr.write(`${name}: ${[`${seconds} s`, progressText].filter(Boolean).join(', ')}\n`)
  }, progressMilliseconds)
  const setProgress = (text: string) => {
    progressText = text
  }
  try {
    const { run } = (await import(`./${name}.ts`)) as TrialFile
    await run({ seed, size, report: figures.report, say: setProgress })
  } finally {
    clearInterval(progressTimer)
  }
  const verdict = figures.verdict()
  print({ seed, verdict })
  if (verdict !== 'passed') process.exitCode = 1
}

interface Outcome {
  name: string
  /** `broken` if the trial ended without a verdict. */
  verdict: 'passed' | 'failed' | 'void' | 'broken'
  seconds: number
  figures: Figure[]
}

/** Runs a trial in its own process, so that its state does not affect the next trial. */
const runApart = async (name: string): Promise<Outcome> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [import.meta.filename, name, `--seed=${seed}`, `--size=${size}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const outcome: Outcome = { name, verdict: 'broken', seconds: 0, figures: [] }
  const closed = new Promise(resolve => child.once('close', resolve))
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line)
    if (!line.startsWith('{"chaos":')) continue
    const parsed: Partial<Figure> & { verdict?: Outcome['verdict'] } = JSON.parse(line)
    if (parsed.verdict) outcome.verdict = parsed.verdict
    if (parsed.figure !== undefined) outcome.figures.push(parsed as Figure)
  }
  await closed
  return { ...outcome, seconds: (performance.now() - startedAt) / 1000 }
}

const describeGoal = ({ atLeast, atMost }: NonNullable<Figure['goal']>) =>
  [atLeast !== undefined && `at least ${atLeast}`, atMost !== undefined && `at most ${atMost}`]
    .filter(Boolean)
    .join(' and ')

const printOverview = (outcomes: Outcome[]) => {
  console.log(`\nSeed ${seed}, size ${size}`)
  for (const { name, verdict, seconds, figures } of outcomes) {
    const goals = figures.filter(({ goal }) => goal)
    const metGoals = goals.filter(({ met }) => met)
    const share = `${metGoals.length} of ${goals.length} goals`
    console.log(`${name.padEnd(4)} ${verdict.padEnd(7)} ${seconds.toFixed(1).padStart(7)} s  ${share}`)
    for (const { figure, value, unit, goal } of goals.filter(({ met }) => !met))
      console.log(`     ${figure}: ${value} ${unit}${goal ? `, ${describeGoal(goal)} wanted` : ''}`)
  }
}

if (names.length === 0) console.log(`${usage}\n\n${trialNames.join('\n')}`)
else if (unknownNames.length > 0) {
  console.error(`There is no trial "${unknownNames[0]}"; there are: ${trialNames.join(', ')}.`)
  process.exitCode = 1
} else if (!Number.isInteger(seed) || seed < 0 || !(size > 0 && size <= 1)) {
  console.error(usage)
  process.exitCode = 1
} else if (names.length === 1 && names[0] !== undefined) {
  await run(names[0]).catch(error => {
    console.error(error)
    process.exitCode = 1
  })
  // Open keep-alive connections would keep the process running.
  process.exit()
} else {
  const outcomes: Outcome[] = []
  for (const name of names) outcomes.push(await runApart(name))
  printOverview(outcomes)
  process.exitCode = outcomes.every(({ verdict }) => verdict === 'passed') ? 0 : 1
}
