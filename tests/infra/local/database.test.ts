import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { enginePlatforms, findEngine } from '../../../infra/local/stack/database.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'))
const missing = () => {
  throw new Error('Cannot find module')
}

describe('the database engine', () => {
  test.each([
    ['darwin-arm64', 'dynoxide'],
    ['darwin-x64', 'dynoxide'],
    ['linux-arm64', 'dynoxide'],
    ['linux-x64', 'dynoxide'],
    ['win32-x64', 'dynoxide.exe'],
  ])('of %s is found in its package', (platform, program) => {
    const path = findEngine(platform, file => join('/modules', file))
    expect(path).toBe(join('/modules/@dynoxide', platform, program))
  })

  test('is an optional dependency for every platform that has a package', () => {
    const versions = Object.fromEntries(enginePlatforms.map(platform => [`@dynoxide/${platform}`, '1.2.1']))
    expect(read('package.json').optionalDependencies).toEqual(versions)
    const { packages } = read('package-lock.json')
    expect(packages[''].optionalDependencies).toEqual(versions)
    for (const platform of enginePlatforms) {
      const [os, cpu] = platform.split('-')
      const locked = { version: '1.2.1', os: [os], cpu: [cpu], optional: true }
      expect(packages[`node_modules/@dynoxide/${platform}`]).toMatchObject(locked)
    }
  })

  test('reports in one sentence that its package is missing, and names the remedy', () => {
    expect(() => findEngine('darwin-arm64', missing)).toThrow(
      /^The database engine for darwin-arm64 is not installed: run "npm ci" .+DYNAMODB_ENDPOINT=\S+$/,
    )
    expect(() => findEngine('win32-arm64', missing)).toThrow(
      /^There is no database engine for win32-arm64: start any DynamoDB, .+DYNAMODB_ENDPOINT=\S+$/,
    )
  })
})
