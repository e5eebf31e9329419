import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { api, groups } from '../../shared/api.ts'
import { type Declaration, opensToKeys } from '../../shared/contract.ts'
import { openapi } from '../../shared/openapi.ts'
import { eventBody, eventData } from '../../shared/webhooks/shape.ts'

const readGiven = (name: string) =>
  readFileSync(new URL(`../given/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

const declarations = Object.entries(api as Record<string, Declaration>)

describe('the contract', () => {
  test('declares every given path', () => {
    expect(readGiven('paths.txt').filter(path => !(path in api))).toEqual([])
  })

  test('uses every wire name of the specification that is not listed as still to come', () => {
    const words = new Set(
      declarations.flatMap(([, { input, output }]) =>
        [input, output].flatMap(shape =>
          [...JSON.stringify(z.toJSONSchema(shape, { unrepresentable: 'any' })).matchAll(/"(\w+)":/g)].map(
            ([, name]) => name,
          ),
        ),
      ),
    )
    expect(readGiven('wire-names.txt').filter(name => !words.has(name))).toEqual(readGiven('wire-names-to-come.txt'))
  })

  test('uses z.email() and the like, never the methods of z.string(), which the bundles do not contain', () => {
    const formats = ['email', 'url', 'uuid', 'guid', 'base64', 'ipv4', 'ipv6', 'date', 'time', 'datetime', 'duration']
    expect(formats.filter(name => !(name in z.string()))).toEqual([])
    const formatMethod = new RegExp(`(?<!\\b(?:z|iso)\\s*)\\.(?:${formats.join('|')})\\(`)
    expect(formatMethod.test('z.string().email()') && !formatMethod.test('z.email()')).toBe(true)
    const zodFiles = globSync(['shared/**/*.ts', 'functions/**/*.ts'])
      .map(file => [file, readFileSync(file, 'utf8')] as const)
      .filter(([, source]) => source.includes("from 'zod'"))
    expect(zodFiles.flatMap(([file, source]) => (formatMethod.test(source) ? [file] : []))).toEqual([])
  })

  test('declares each path in the group of its first segment', () => {
    for (const [group, paths] of Object.entries(groups))
      for (const path of Object.keys(paths)) expect(path.split('/')[0]).toBe(group)
    expect(
      Object.values(groups)
        .flatMap(paths => Object.keys(paths))
        .sort(),
    ).toEqual(Object.keys(api).sort())
  })

  test('describes every path in one sentence', () => {
    for (const [, { does }] of declarations) expect(does).toMatch(/^[A-Z].*[.]$/)
  })

  test('refuses unknown parameters on every path', () => {
    for (const [path, { input }] of declarations) {
      const result = input.safeParse({ surprise: 1 })
      expect(result.success, path).toBe(false)
      expect(
        result.error?.issues.some(({ code }) => code === 'unrecognized_keys'),
        path,
      ).toBe(true)
    }
  })

  test('describes every path in the OpenAPI document', () => {
    const { paths, openapi: version } = openapi()
    expect(version).toBe('3.1.0')
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(declarations.map(([path]) => `/${path}`)))
    expect(Object.keys(paths)).toHaveLength(declarations.length)
  })

  test('describes patterns and required filters so that other validators agree', () => {
    const document = openapi()
    expect(JSON.stringify(document)).not.toContain('\\\\p{')
    for (const [path, { post }] of Object.entries(document.paths)) {
      const { properties = {}, required = [] } = post.requestBody.content['application/json'].schema as {
        properties?: Record<string, { required?: string[] }>
        required?: string[]
      }
      if (!properties.filters?.required?.length) continue
      expect(required, path).toContain('filters')
    }
  })

  test('names and secures every webhook for generators of clients', () => {
    for (const { post } of Object.values(openapi().webhooks)) {
      expect(post.operationId).toMatch(/^[a-z_]+$/)
      expect(post.security).toEqual([{ signature: [] }])
    }
  })

  test('describes every webhook, with a valid sample', () => {
    const { webhooks } = openapi()
    expect(Object.keys(webhooks)).toEqual(Object.keys(eventData))
    for (const { post } of Object.values(webhooks)) {
      const { example } = post.requestBody.content['application/json']
      const { type, data } = eventBody.parse(example)
      expect(eventData[type as keyof typeof eventData].strict().parse(data)).toEqual(data)
    }
  })

  test('names the required credentials of every path', () => {
    const { paths } = openapi()
    const credentialsOf = (path: string) => paths[`/${path}`]?.post.security.flatMap(scheme => Object.keys(scheme))
    for (const [path, declaration] of declarations)
      expect(credentialsOf(path), path).toEqual(
        declaration.who === 'anyone' ? [] : opensToKeys(declaration) ? ['token', 'key'] : ['token'],
      )
    expect([credentialsOf('record/since'), credentialsOf('apikey/add'), credentialsOf('company/select')]).toEqual([
      ['token', 'key'],
      ['token'],
      ['token'],
    ])
  })
})
