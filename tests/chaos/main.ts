import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { keepFigures, type TrialFile } from './trial.ts'

// `npm run chaos -- <name>`: faults on purpose against the real local stack, and afterwards a count of what is there. One JSON
// line per figure; whoever fails can be run again with the seed that is printed. Trials are the files named t1, t2, …

const usage = `npm run chaos -- <name> [--seed <number>] [--size <part of the promised size, such as 0.1>]`

const names = globSync('t*.ts', { cwd: import.meta.dirname })
  .map(file => basename(file, '.ts'))
  .filter(name => /^t\d+$/.test(name))
  .sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, size: { type: 'string', default: '1' } },
})
const [name] = positionals
const [seed, size] = [Number(values.seed), Number(values.size)]

const run = async (name: string) => {
  const print = (line: object) => console.log(JSON.stringify({ chaos: name, ...line }))
  print({ seed, size })
  const figures = keepFigures(print)
  const { run } = (await import(`./${name}.ts`)) as TrialFile
  await run({ seed, size, report: figures.report })
  const verdict = figures.verdict()
  print({ seed, verdict })
  if (verdict !== 'passed') process.exitCode = 1
}

if (name === undefined) console.log(`${usage}\n\n${names.join('\n')}`)
else if (!names.includes(name)) {
  console.error(`There is no trial "${name}"; there are: ${names.join(', ')}.`)
  process.exitCode = 1
} else if (!Number.isInteger(seed) || seed < 0 || !(size > 0 && size <= 1)) {
  console.error(usage)
  process.exitCode = 1
} else {
  await run(name).catch(error => {
    console.error(error)
    process.exitCode = 1
  })
  // Connections kept open for reuse would hold the process up.
  process.exit()
}
