import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'

// Which tests run when. A file named `*.long.test.ts`, and in the browser a test with the tag `@long`, runs in the long tier alone.

export interface Part {
  name: string
  command: string[]
  environment?: Record<string, string>
}

export type Tier = 'short' | 'long' | 'all'

/** What the runner was asked for; who starts a tool by hand means every test it is given. */
export const tier = (process.env.TIER ?? 'all') as Tier
export const isShort = tier === 'short'

const short = { TIER: 'short' }
/** So many random days of each promise, other ones each time. */
const long = { TIER: 'long', DAYS: '20000', SEED: 'new' }

const vitest = (project: string, given: string[], environment: Record<string, string>): Part => ({
  name: project,
  command: ['vitest', 'run', '--project', project, ...given, '--passWithNoTests'],
  environment,
})
const check: Part = { name: 'check', command: ['npm', 'run', '--silent', 'check'] }
const browser = (given: string[], environment: Record<string, string>): Part => ({
  name: 'browser',
  command: ['playwright', 'test', ...given, '--pass-with-no-tests'],
  environment,
})
const projects = ['unit', 'infra', 'api']

/** The words of a file's path by which a test is found: `functions/shift/conflict.ts` is about `shift`. */
const nounOf = (file: string): string | undefined =>
  /^(?:functions|shared|events|web\/pages)\/(?:kit\/)?([\w-]+)/.exec(file)?.[1]

const changedFiles = (): string[] =>
  [
    ['diff', '--name-only', 'HEAD'],
    ['ls-files', '--others', '--exclude-standard'],
  ].flatMap(words => execFileSync('git', words, { encoding: 'utf8' }).split('\n').filter(Boolean))

/** Types, lint, the unit tests that import a changed file, and the tests named like a changed noun. */
const changedParts = (): Part[][] => {
  const files = changedFiles()
  const nouns = new Set(files.flatMap(file => nounOf(file) ?? []))
  const testsIn = (folder: string) =>
    [
      ...new Set([
        ...files.filter(file => file.startsWith(`${folder}/`) && file.endsWith('.test.ts') && existsSync(file)),
        ...[...nouns].flatMap(noun => globSync(`${folder}/${noun}.test.ts`)),
      ]),
    ].map(file => file.replaceAll('\\', '/'))
  const [api, pages] = [testsIn('tests/api'), testsIn('tests/browser')]
  return [
    [check, vitest('unit', ['--changed', 'HEAD'], short)],
    ...(api.length > 0 ? [[vitest('api', api, short)]] : []),
    ...(pages.length > 0 ? [[browser(pages, short)]] : []),
  ]
}

/** The parts to run, those of one round side by side; a sentence where the name means none. */
export const partsOf = (name: string | undefined, given: string[]): Part[][] | string => {
  if (process.env.TEST_URL && name !== 'api')
    return 'Only the api tests can be run against another place: TEST_URL=… npm test -- api'
  // A part by itself runs all that is short, and what is named whatever it takes.
  const of = given.length > 0 ? {} : short
  if (name === undefined) {
    const [unit, infra, api] = projects.map(project => vitest(project, [], short)) as [Part, Part, Part]
    return [[check, unit], [infra], [api], [browser([], short)]]
  }
  if (name === 'long') return [...projects.map(project => [vitest(project, given, long)]), [browser(given, long)]]
  if (name === 'changed') return changedParts()
  if (name === 'check') return [[check]]
  if (name === 'browser') return [[browser(given, of)]]
  if (projects.includes(name)) return [[vitest(name, given, of)]]
  return `There is no part “${name}”: say one of check, ${projects.join(', ')}, browser, changed, or nothing for all of them.`
}
