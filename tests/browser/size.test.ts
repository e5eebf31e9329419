import { gzipSync } from 'node:zlib'
import { expect, test } from '@playwright/test'
import { build, type Rolldown } from 'vite'

// The size of a first visit, in kB of 1000 bytes. It is the gzip size of all scripts that a page needs before it
// renders, with the English texts.

const isChunk = (file: Rolldown.OutputChunk | Rolldown.OutputAsset) => file.type === 'chunk'

const buildChunks = async () => {
  const built = await build({ configFile: 'vite.config.ts', logLevel: 'error', build: { write: false } })
  const [output] = Array.isArray(built) ? built : [built]
  if (!output || !('output' in output)) throw new Error('The build answered nothing')
  return new Map(output.output.filter(isChunk).map(chunk => [chunk.fileName, chunk]))
}

test('the sign-in page loads at most 130 kB without Fluent and SWR, the first signed-in screen at most 330 kB', async () => {
  const chunks = await buildChunks()
  const byModule = (end: string) => [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId?.endsWith(end))
  const withImports = (names: string[], collected = new Set<string>()): Set<string> => {
    for (const name of names) {
      if (collected.has(name)) continue
      collected.add(name)
      withImports(chunks.get(name)?.imports ?? [], collected)
    }
    return collected
  }
  const chunksFor = (...ends: string[]) =>
    [...withImports(ends.flatMap(end => byModule(end)?.fileName ?? []))].flatMap(name => chunks.get(name) ?? [])
  const size = (selected: Rolldown.OutputChunk[]) =>
    selected.reduce((sum, { code }) => sum + gzipSync(code).length, 0) / 1000
  const texts = (...nouns: string[]) => nouns.map(noun => `locales/en/${noun}.json`)

  const signIn = chunksFor('index.html', 'languages/en.ts', 'pages/login.tsx', ...texts('shell', 'error', 'login'))
  expect(signIn.length).toBeGreaterThan(4)
  const modules = signIn.flatMap(({ moduleIds }) => moduleIds)
  expect(modules.filter(id => /node_modules\/(@fluentui|swr|zod|dayjs)\//.test(id))).toEqual([])
  expect(size(signIn)).toBeLessThanOrEqual(130)

  const dashboard = chunksFor(
    'index.html',
    'languages/en.ts',
    'framed.tsx',
    'parts/shell.tsx',
    'pages/dashboard.tsx',
    ...texts('shell', 'error', 'dashboard'),
  )
  expect(dashboard.length).toBeGreaterThan(signIn.length)
  expect(size(dashboard)).toBeLessThanOrEqual(330)
  console.log(`sign-in ${size(signIn).toFixed(1)} kB, dashboard ${size(dashboard).toFixed(1)} kB`)
})
