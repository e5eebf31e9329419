import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

// The import rules between rooms, checked on every import line.

const rooms = ['shared', 'functions', 'events', 'infra', 'web', 'tests']
const files = globSync(rooms.map(room => `${room}/**/*.{ts,tsx}`)).map(file => normalize(file))

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^'\s]+)'/g)].flatMap(([, target = '']) => [
    target,
  ])

const ownImportsOf = (file: string) =>
  importsOf(file)
    .filter(target => target.startsWith('.'))
    .map(target => normalize(join(dirname(file), target)))

const allowed: [pattern: RegExp, mayImport: RegExp][] = [
  [/^shared\//, /^shared\//],
  [/^functions\/kit\//, /^(functions\/kit|shared)\//],
  // A file at the top of `functions` or `events` is a Lambda. Other files must not import a Lambda.
  [/^functions\//, /^(functions\/[\w-]+|shared)\//],
  [/^events\//, /^(functions\/[\w-]+|events\/[\w-]+|shared)\//],
  [/^infra\/local\/terminal/, /^infra\/local\/terminal/],
  [/^infra\/local\//, /^(infra|functions|events|shared)\//],
  [/^infra\/migrate\//, /^(infra\/migrate|functions\/[\w-]+|shared)\//],
  [/^infra\//, /^(infra|shared)\//],
  [/^web\//, /^(web|shared)\//],
  [/^tests\//, /./],
]

test('every file imports only from the rooms that its own room allows', () => {
  expect(files.length).toBeGreaterThan(50)
  const violations = files.flatMap(file => {
    const rule = allowed.find(([pattern]) => pattern.test(file))
    return ownImportsOf(file).flatMap(target => (rule?.[1].test(target) ? [] : [`${file} → ${target}`]))
  })
  expect(violations).toEqual([])
})

test('shared imports only the library zod, and the simulated terminal only ws', () => {
  const libraries = (pattern: RegExp, permitted: RegExp) =>
    files
      .filter(file => pattern.test(file))
      .flatMap(file =>
        importsOf(file).flatMap(target =>
          target.startsWith('.') || permitted.test(target) ? [] : [`${file} → ${target}`],
        ),
      )
  expect(libraries(/^shared\//, /^zod$/)).toEqual([])
  expect(libraries(/^infra\/local\/terminal/, /^(ws|node:.+)$/)).toEqual([])
})

/** Finds the groups of files that import each other, types included (Tarjan). */
const circlesOf = (files: readonly string[]): string[][] => {
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []
  const visit = (file: string): number => {
    const number = numbers.size
    numbers.set(file, number)
    lowest.set(file, number)
    path.push(file)
    for (const target of ownImportsOf(file)) {
      if (!fileSet.has(target)) continue
      const reached = numbers.has(target) ? (path.includes(target) ? numbers.get(target) : undefined) : visit(target)
      lowest.set(file, Math.min(lowest.get(file) ?? number, reached ?? number))
    }
    const low = lowest.get(file) ?? number
    if (low === number) {
      const circle = path.splice(path.indexOf(file))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return low
  }
  const fileSet = new Set(files)
  for (const file of files) if (!numbers.has(file)) visit(file)
  return circles.sort()
}

test('the imports contain no circle, types included', () => {
  expect(circlesOf(files)).toEqual([])
})

/** Folders with one file per Lambda, noun, page, test or rule, and folders with given or generated files. */
const mayBeCrowded =
  /^(functions|events|shared|web\/pages|tests\/(unit|api|browser)|shared\/attendance|shared\/locales\/.+|tests\/given.*)$/

test('a folder directly contains at most 24 files', () => {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const crowded = [...counts].filter(([folder, count]) => count > 24 && !mayBeCrowded.test(folder))
  expect(crowded.map(([folder]) => folder).sort()).toEqual([])
})

test('no file of the product is longer than 500 lines', () => {
  const lineCount = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').length
  const long = files.filter(file => !file.startsWith('tests/') && lineCount(file) > 500)
  expect(long.sort()).toEqual([])
})

test('the site imports no value from a shared file that imports zod', () => {
  const valuesOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:\{([^}]*)\}|[^'{]*) ?from '(\.[^']+)'/gm)]
      .filter(([, names]) => names?.split(',').some(name => name.trim() && !name.trim().startsWith('type ')) ?? true)
      .map(([, , target = '']) => normalize(join(dirname(file), target)))
  const importsZod = (file: string): boolean => importsOf(file).includes('zod') || valuesOf(file).some(importsZod)
  const fromShared = files
    .filter(file => file.startsWith('web/'))
    .flatMap(file =>
      valuesOf(file).flatMap(target => (/^shared\/.+\.ts$/.test(target) ? [[file, target] as const] : [])),
    )
  expect(fromShared.length).toBeGreaterThan(20)
  expect(fromShared.filter(([, target]) => importsZod(target)).map(([file, target]) => `${file} → ${target}`)).toEqual(
    [],
  )
})

test('only the kit accesses the database and the file store, and no file scans a table', () => {
  const filesWith = (library: RegExp) =>
    files.filter(file => /^(functions|events|web|shared)\//.test(file) && library.test(readFileSync(file, 'utf8')))
  const databaseFiles = ['engine', 'read', 'save', 'write'].map(name => `functions/kit/table/${name}.ts`)
  expect(filesWith(/@aws-sdk\/(client|lib)-dynamodb'/).sort()).toEqual(databaseFiles)
  expect(filesWith(/environment\('FILES'\)|@aws-sdk\/(client-)?s3[\w-]*'/)).toEqual(['functions/kit/files.ts'])
  expect(
    files.filter(file => !file.startsWith('tests/') && /\bScanCommand\b/.test(readFileSync(file, 'utf8'))),
  ).toEqual([])
})
