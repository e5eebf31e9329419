import fc from 'fast-check'
import { expect, test } from 'vitest'
import { auditedFields, type Fields, readDeclared } from '../../shared/audit/field.ts'
import { changeBetween } from '../../shared/audit.ts'
import type { Audited } from '../../shared/change.ts'
import texts from '../../shared/locales/en/audit.json' with { type: 'json' }

// The audit log contains each change in full, only changes, and no secret.

type Thing = Record<string, unknown> & { id: string }
const audited: Audited<Thing> = {
  noun: 'shift',
  id: ({ id }) => id,
  name: () => 'thing',
}
const fields: Fields = { declared: { shows: 'masked' }, untold: 'untold' }

const simpleValue = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }))
const value = fc.oneof(simpleValue, fc.dictionary(fc.constantFrom('a', 'b', 'c'), simpleValue))
const names = ['one', 'two', 'three', 'passwordSetAt']
const state = fc
  .record(Object.fromEntries([...names, 'untold'].map(name => [name, value])) as Record<string, typeof value>, {
    requiredKeys: [],
  })
  .map(fields => ({ ...fields, id: 'x' }) as Thing)

test('the former state plus the logged fields gives the new state, and the log contains no unchanged field', () => {
  fc.assert(
    fc.property(state, state, (before, after) => {
      const change = changeBetween(audited, before, after, fields)
      const rebuilt: Record<string, unknown> = { ...before }
      for (const [name, field] of Object.entries(change?.fields ?? {})) {
        expect(field.before).toEqual(before[name])
        expect(field).not.toEqual({ before: field.after, after: field.after })
        if ('after' in field) rebuilt[name] = field.after
        else delete rebuilt[name]
      }
      const { untold: _, ...expected } = after
      delete rebuilt.untold
      expect(rebuilt).toEqual(expected)
      expect(change).not.toMatchObject({ fields: { untold: {} } })
    }),
    { seed: 3 },
  )
})

test('the log has no entry for an unchanged object, even with its keys in another order', () => {
  expect(changeBetween(audited, { id: 'x', one: { a: 1, b: 2 } }, { id: 'x', one: { b: 2, a: 1 } })).toBeUndefined()
  fc.assert(
    fc.property(state, thing => {
      expect(changeBetween(audited, thing, structuredClone(thing))).toBeUndefined()
    }),
    { seed: 3 },
  )
})

test('the log contains no secret, declared or recognised by its name, at any depth', () => {
  const secretName = fc.constantFrom(
    ...['declared', 'password', 'passwordHash', 'comm_pwd', 'apiToken', 'clientSecret', 'card', 'cardDigest', 'sealed'],
    ...['template', 'fingerprint', 'faceImage', 'pathSecretHash', 'Passwd'],
  )
  const secret = fc.constantFrom('S3CR3T-1', 'S3CR3T-2')
  const objectWithSecrets = fc.letrec<{ hidden: unknown }>(tie => ({
    hidden: fc.oneof(
      { maxDepth: 2 },
      fc.dictionary(secretName, fc.oneof(secret, fc.array(secret), fc.dictionary(fc.constant('deep'), secret))),
      fc.dictionary(
        fc.constantFrom('outer', 'list'),
        fc.oneof(tie('hidden'), fc.array(tie('hidden'), { maxLength: 2 })),
      ),
    ),
  })).hidden
  fc.assert(
    fc.property(objectWithSecrets, objectWithSecrets, (before, after) => {
      const change = changeBetween(
        audited,
        { id: 'x', ...(before as object) },
        { id: 'x', ...(after as object) },
        fields,
      )
      expect(JSON.stringify(change ?? {})).not.toContain('S3CR3T')
    }),
    { seed: 7, numRuns: 200 },
  )
})

test('the log contains the setting for templates and the time of a password change, which are no secrets', () => {
  expect(
    changeBetween(audited, { id: 'x' }, { id: 'x', storesTemplates: true, passwordSetAt: '2026-01-01T00:00:00Z' })
      ?.fields,
  ).toEqual({ storesTemplates: { after: true }, passwordSetAt: { after: '2026-01-01T00:00:00Z' } })
})

test('every declared field has a label in the texts, and every label belongs to a field', () => {
  const labelsOf = (fields: Fields): string[] =>
    Object.keys(fields).flatMap(name => {
      const field = readDeclared(name, fields)
      return typeof field === 'object' ? [field.label, ...labelsOf(field.parts ?? {})] : []
    })
  const labels = new Set(Object.values(auditedFields).flatMap(labelsOf))
  expect([...labels].sort()).toEqual(Object.keys(texts.field).sort())
})
