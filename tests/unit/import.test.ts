import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

// Who may import whom: the rooms of the house, held by reading every import line.

const rooms = ['shared', 'functions', 'events', 'infra', 'web', 'tests']
const files = globSync(rooms.map(room => `${room}/**/*.{ts,tsx}`)).map(file => normalize(file))

const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^'\s]+)'/g)].flatMap(([, target = '']) => [
    target,
  ])

const ours = (file: string) =>
  importsOf(file)
    .filter(target => target.startsWith('.'))
    .map(target => normalize(join(dirname(file), target)))

const allowed: [pattern: RegExp, mayImport: RegExp][] = [
  [/^shared\//, /^shared\//],
  [/^functions\/kit\//, /^(functions\/kit|shared)\//],
  [/^functions\//, /^(functions\/kit|shared)\//],
  [/^events\//, /^(functions\/kit|shared)\//],
  [/^infra\/local\/terminal/, /^infra\/local\/terminal/],
  [/^infra\/local\//, /^(infra|functions|events|shared)\//],
  [/^infra\//, /^(infra|shared)\//],
  [/^web\//, /^(web|shared)\//],
  [/^tests\//, /./],
]

test('every import stays within the rooms its room may enter', () => {
  expect(files.length).toBeGreaterThan(50)
  const wrong = files.flatMap(file => {
    const rule = allowed.find(([pattern]) => pattern.test(file))
    return ours(file).flatMap(target => (rule?.[1].test(target) ? [] : [`${file} → ${target}`]))
  })
  expect(wrong).toEqual([])
})

test('shared uses no library but zod, and the simulated terminal none but ws', () => {
  const libraries = (pattern: RegExp, known: RegExp) =>
    files
      .filter(file => pattern.test(file))
      .flatMap(file =>
        importsOf(file).flatMap(target =>
          target.startsWith('.') || known.test(target) ? [] : [`${file} → ${target}`],
        ),
      )
  expect(libraries(/^shared\//, /^zod$/)).toEqual([])
  expect(libraries(/^infra\/local\/terminal/, /^(ws|node:.+)$/)).toEqual([])
})

test('shared has no cycles', () => {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else if (!done.has(file)) {
      for (const target of ours(file)) visit(target, [...path, file])
      done.add(file)
    }
  }
  for (const file of files) if (file.startsWith('shared/')) visit(file, [])
  expect(cycles).toEqual([])
})

test('the site takes no value from a file of shared that brings zod along', () => {
  const valuesOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:\{([^}]*)\}|[^'{]*) ?from '(\.[^']+)'/gm)]
      .filter(([, names]) => names?.split(',').some(name => name.trim() && !name.trim().startsWith('type ')) ?? true)
      .map(([, , target = '']) => normalize(join(dirname(file), target)))
  const brings = (file: string): boolean => importsOf(file).includes('zod') || valuesOf(file).some(brings)
  const fromShared = files
    .filter(file => file.startsWith('web/'))
    .flatMap(file =>
      valuesOf(file).flatMap(target => (/^shared\/.+\.ts$/.test(target) ? [[file, target] as const] : [])),
    )
  expect(fromShared.length).toBeGreaterThan(20)
  expect(fromShared.filter(([, target]) => brings(target)).map(([file, target]) => `${file} → ${target}`)).toEqual([])
})

test('only the kit talks to the database and to the store of files, and nobody scans', () => {
  const talking = (library: RegExp) =>
    files.filter(file => /^(functions|events|web|shared)\//.test(file) && library.test(readFileSync(file, 'utf8')))
  expect(talking(/@aws-sdk\/(client|lib)-dynamodb'/)).toEqual(['functions/kit/table.ts'])
  expect(talking(/environment\('FILES'\)|@aws-sdk\/(client-)?s3[\w-]*'/)).toEqual(['functions/kit/files.ts'])
  expect(
    files.filter(file => !file.startsWith('tests/') && /\bScanCommand\b/.test(readFileSync(file, 'utf8'))),
  ).toEqual([])
})
