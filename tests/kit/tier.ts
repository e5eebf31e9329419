import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// Sorts the tests into two tiers. Only the long tier runs files named `*.long.test.ts`, browser tests with the tag
// `@long`, and other tests with the tag `long`.

export interface Part {
  name: string
  command: string[]
  environment?: Record<string, string>
}

/** `tagged` is the second half of the long tier: the tests with the tag `long` in files of the short tier. */
export type Tier = 'short' | 'long' | 'tagged' | 'all'

/** The tier that the runner selects. Without the runner, a tool runs every test. */
export const tier = (process.env.TIER ?? 'all') as Tier
export const isShort = tier === 'short'

const short = { TIER: 'short' }
/** Checks 200,000 random days for each promise, with a new seed in every run. */
const long = { TIER: 'long', DAYS: '200000', SEED: 'new' }
const tagged = { TIER: 'tagged' }

/** The changed files may affect no test of a part. In all other runs, a part without tests is a mistake. */
const mayBeEmpty = ['--changed', 'HEAD', '--passWithNoTests']

const filterOf = (environment: Record<string, string>): string[] => {
  if (environment === short) return ['--tags-filter', '!long']
  return environment === tagged ? ['--tags-filter', 'long'] : []
}
const vitest = (project: string, names: string[], environment: Record<string, string>): Part => ({
  name: environment === tagged ? `${project} tagged` : project,
  command: [...['vitest', 'run', '--project', project], ...(project === 'api' ? filterOf(environment) : []), ...names],
  environment,
})
const check: Part = { name: 'check', command: ['npm', 'run', '--silent', 'check'] }
const browser = (names: string[], environment: Record<string, string>): Part => ({
  name: 'browser',
  command: ['playwright', 'test', ...names],
  environment,
})
const projects = ['unit', 'infra', 'api']

/** The noun of a source file, which is also the name of its tests: `shift` for `functions/shift/conflict.ts`. */
const nounOf = (file: string): string | undefined =>
  /^(?:functions|shared|events|web\/pages)\/(?:kit\/)?([\w-]+)/.exec(file)?.[1]

const changedFiles = (): string[] =>
  [
    ['diff', '--name-only', 'HEAD'],
    ['ls-files', '--others', '--exclude-standard'],
  ].flatMap(words => execFileSync('git', words, { encoding: 'utf8' }).split('\n').filter(Boolean))

/** Checks types and lint. Runs the unit and infra tests that import a changed file, and the tests of its noun. */
const changedParts = (): Part[][] => {
  const files = changedFiles()
  const nouns = new Set(files.flatMap(file => nounOf(file) ?? []))
  const testsIn = (folder: string) => [
    ...new Set([
      ...files.filter(file => file.startsWith(`${folder}/`) && file.endsWith('.test.ts') && existsSync(file)),
      ...[...nouns].map(noun => `${folder}/${noun}.test.ts`).filter(file => existsSync(file)),
    ]),
  ]
  const [api, pages] = [testsIn('tests/api'), testsIn('tests/browser')]
  // A long test that the developer changes runs too.
  const environmentOf = (tests: string[]) => (tests.some(file => file.endsWith('.long.test.ts')) ? {} : short)
  return [
    [check, vitest('unit', mayBeEmpty, short)],
    [vitest('infra', mayBeEmpty, short)],
    ...(api.length > 0 ? [[vitest('api', api, environmentOf(api))]] : []),
    ...(pages.length > 0 ? [[browser(pages, environmentOf(pages))]] : []),
  ]
}

/** Returns rounds of parts. The parts of a round run in parallel. Returns an error message for an unknown name. */
export const partsOf = (name: string | undefined, names: string[]): Part[][] | string => {
  if (process.env.TEST_URL && name !== 'api')
    return 'Only the api tests can run against a deployed stage: TEST_URL=… npm test -- api'
  // A file that the developer names runs completely, in both tiers.
  const environment = names.length > 0 ? {} : short
  if (name === undefined) {
    const [unit, infra, api] = projects.map(project => vitest(project, [], short)) as [Part, Part, Part]
    return [[check, unit], [infra], [api], [browser([], short)]]
  }
  if (name === 'long' && names.length > 0)
    return `The long tier accepts no file names. To run a file in both tiers: npm test -- api ${names.join(' ')}`
  if (name === 'long')
    return [...projects.map(project => [vitest(project, [], long)]), [vitest('api', [], tagged)], [browser([], long)]]
  if (name === 'changed') return changedParts()
  if (name === 'check') return [[check]]
  if (name === 'browser') return [[browser(names, environment)]]
  if (projects.includes(name)) return [[vitest(name, names, environment)]]
  return `Unknown part “${name}”: choose check, ${projects.join(', ')}, browser, changed or long, or pass no part to run all.`
}
