import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { api, groups } from '../../shared/api.ts'
import { type Declaration, opensToKeys } from '../../shared/contract.ts'
import { openapi } from '../../shared/openapi.ts'
import { eventBody, eventData } from '../../shared/webhooks/shape.ts'

const given = (name: string) =>
  readFileSync(new URL(`../given/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

const declared = Object.entries(api as Record<string, Declaration>)

describe('the contract', () => {
  test('declares every given path', () => {
    expect(given('paths.txt').filter(path => !(path in api))).toEqual([])
  })

  test('uses every wire name the specification gives, or lists it as still to come', () => {
    const words = new Set(
      declared.flatMap(([, { input, output }]) =>
        [input, output].flatMap(shape =>
          [...JSON.stringify(z.toJSONSchema(shape, { unrepresentable: 'any' })).matchAll(/"(\w+)":/g)].map(
            ([, name]) => name,
          ),
        ),
      ),
    )
    expect(given('wire-names.txt').filter(name => !words.has(name))).toEqual(given('wire-names-to-come.txt'))
  })

  test('asks for a format by its name, never by a method of a text, of which bundles hold none', () => {
    const formats = ['email', 'url', 'uuid', 'guid', 'base64', 'ipv4', 'ipv6', 'date', 'time', 'datetime', 'duration']
    expect(formats.filter(name => !(name in z.string()))).toEqual([])
    const method = new RegExp(`(?<!\\b(?:z|iso)\\s*)\\.(?:${formats.join('|')})\\(`)
    expect(method.test('z.string().email()') && !method.test('z.email()')).toBe(true)
    const shaping = globSync(['shared/**/*.ts', 'functions/**/*.ts'])
      .map(file => [file, readFileSync(file, 'utf8')] as const)
      .filter(([, source]) => source.includes("from 'zod'"))
    expect(shaping.flatMap(([file, source]) => (method.test(source) ? [file] : []))).toEqual([])
  })

  test('keeps a path in the group of its first segment', () => {
    for (const [group, paths] of Object.entries(groups))
      for (const path of Object.keys(paths)) expect(path.split('/')[0]).toBe(group)
    expect(
      Object.values(groups)
        .flatMap(paths => Object.keys(paths))
        .sort(),
    ).toEqual(Object.keys(api).sort())
  })

  test('says of every path in one sentence what it does', () => {
    for (const [, { does }] of declared) expect(does).toMatch(/^[A-Z].*[.]$/)
  })

  test('refuses unknown parameters on every path', () => {
    for (const [path, { input }] of declared) {
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
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(declared.map(([path]) => `/${path}`)))
    expect(Object.keys(paths)).toHaveLength(declared.length)
  })

  test('describes every webhook, with a sample that is one', () => {
    const { webhooks } = openapi()
    expect(Object.keys(webhooks)).toEqual(Object.keys(eventData))
    for (const { post } of Object.values(webhooks)) {
      const { example } = post.requestBody.content['application/json']
      const { type, data } = eventBody.parse(example)
      expect(eventData[type as keyof typeof eventData].strict().parse(data)).toEqual(data)
    }
  })

  test('says of every path by what one is known there', () => {
    const { paths } = openapi()
    const known = (path: string) => paths[`/${path}`]?.post.security.flatMap(one => Object.keys(one))
    for (const [path, declaration] of declared)
      expect(known(path), path).toEqual(
        declaration.who === 'anyone' ? [] : opensToKeys(declaration) ? ['token', 'key'] : ['token'],
      )
    expect([known('record/since'), known('apikey/add'), known('company/select')]).toEqual([
      ['token', 'key'],
      ['token'],
      ['token'],
    ])
  })
})
