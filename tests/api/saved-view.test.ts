import { beforeAll, describe, expect, inject, test } from 'vitest'
import { client, type Registered, register } from '../kit/client.ts'

// Saved views and hidden columns of lists.

const http = client(inject('address'))
let olga: Registered

beforeAll(async () => {
  olga = await register(http)
})

const save = (view: { list?: string; name: string; query?: string; former?: string }, who = olga) =>
  http.ask('user/view/save', { list: 'employee', query: 'state=left', ...view }, who)
const names = async (who = olga) => (await http.call('user/view/all', {}, who)).views.map(({ name }) => name)

describe('saved views', () => {
  test('a view follows its person to another session, and another person never sees it', async () => {
    expect(await save({ name: 'Former people' })).toMatchObject({ code: 0 })
    expect(await http.call('user/view/all', {}, { token: olga.token })).toEqual({
      views: [{ list: 'employee', name: 'Former people', query: 'state=left' }],
      columns: [],
    })
    const other = await register(http)
    expect(await names(other)).toEqual([])
    await http.call('user/view/delete', { list: 'employee', name: 'Former people' }, olga)
  })

  test('a person renames a view, replaces its filters and deletes it', async () => {
    await save({ name: 'Night' })
    await save({ name: 'Day' })
    expect(await save({ name: 'Late', former: 'Night', query: 'role=2' })).toMatchObject({ code: 0 })
    expect((await http.call('user/view/all', {}, olga)).views).toEqual([
      { list: 'employee', name: 'Late', query: 'role=2' },
      { list: 'employee', name: 'Day', query: 'state=left' },
    ])
    await http.call('user/view/delete', { list: 'employee', name: 'Late' }, olga)
    await http.call('user/view/delete', { list: 'employee', name: 'Day' }, olga)
    expect(await names()).toEqual([])
  })

  test('the server refuses a taken name, a missing view, bad input, and more views than the limit', async () => {
    await save({ name: 'Taken' })
    expect(await save({ name: 'TAKEN' })).toMatchObject({ code: 60120, fields: { name: 60120 } })
    await save({ name: 'Free' })
    expect(await save({ name: 'taken', former: 'Free' })).toMatchObject({ code: 60120, fields: { name: 60120 } })
    expect(await save({ name: 'Taken', list: 'record' })).toMatchObject({ code: 0 })
    expect(await save({ name: 'New', former: 'Missing' })).toMatchObject({ code: 60004, fields: { former: 60004 } })
    expect(await http.ask('user/view/delete', { list: 'report', name: 'Taken' }, olga)).toMatchObject({
      code: 60004,
      fields: { name: 60004 },
    })
    for (const [field, value] of [
      ['name', ' '],
      ['name', 'n'.repeat(61)],
      ['query', 'q'.repeat(1001)],
      ['list', 'No list'],
    ] as const)
      expect(await save({ name: 'Fine', [field]: value }), field).toMatchObject({
        code: 10002,
        fields: { [field]: expect.any(Number) },
      })
    for (let number = 2; number < 20; number++)
      expect(await save({ name: `View ${number}` })).toMatchObject({ code: 0 })
    expect(await save({ name: 'One more' })).toMatchObject({ code: 60072, fields: { name: 60072 } })
  })

  test('parallel saves of one person all stay', async () => {
    const other = await register(http)
    await Promise.all(['A', 'B', 'C', 'D'].map(name => save({ name }, other)))
    expect((await names(other)).sort()).toEqual(['A', 'B', 'C', 'D'])
  })
})

test('hidden columns belong to one list, and an empty choice restores the usual columns', async () => {
  const hide = (list: string, hidden: string[]) => http.ask('user/column/update', { list, hidden }, olga)
  expect(await hide('employee/grid', ['role', 'role', 'email'])).toMatchObject({ code: 0 })
  await hide('record/grid', ['mask'])
  expect((await http.call('user/view/all', {}, olga)).columns).toEqual([
    { list: 'employee/grid', hidden: ['role', 'email'] },
    { list: 'record/grid', hidden: ['mask'] },
  ])
  await hide('employee/grid', [])
  expect((await http.call('user/view/all', {}, olga)).columns).toEqual([{ list: 'record/grid', hidden: ['mask'] }])
  expect(await hide('record/grid', [''])).toMatchObject({ code: 10002, fields: { 'hidden.0': 60001 } })
})
