import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { shapesInBundles } from '../../infra/shapes.ts'
import * as source from '../../shared/api.ts'
import type { Declarations } from '../../shared/contract.ts'

// Bundles create shapes on first use, from rewritten source code. The shapes must equal the shapes of the source.

const inputsOf = (toJSONSchema: typeof z.toJSONSchema, groups: Record<string, Declarations>) => {
  const paths = Object.values(groups).flatMap(group => Object.entries(group))
  const shown = paths.map(([path, { input }]) => [path, toJSONSchema(input, { io: 'input', unrepresentable: 'any' })])
  // Only the function of the API description contains the descriptions of shapes, so the comparison omits them.
  const text = JSON.stringify(Object.fromEntries(shown), (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
  return JSON.parse(text)
}

test('every path has the same input in a bundle as in its source', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attendance-shapes-'))
  try {
    const outfile = join(folder, 'shapes.cjs')
    const contents = `export { toJSONSchema } from 'zod'; export { groups } from './shared/api.ts'`
    await build({
      stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
      ...{ outfile, bundle: true, platform: 'node', format: 'cjs', plugins: [shapesInBundles(false)] },
    })
    const { toJSONSchema, groups } = createRequire(import.meta.url)(outfile)
    expect(inputsOf(toJSONSchema, groups)).toEqual(inputsOf(z.toJSONSchema, source.groups))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
