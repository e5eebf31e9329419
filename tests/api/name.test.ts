import { beforeAll, describe, expect, inject, test } from 'vitest'
import { addDays, localDay } from '../../shared/local-day.ts'
import { client, type Registered, register } from '../kit/client.ts'
import { importSheet, taskEnd } from '../kit/sheet.ts'

const http = client(inject('address'))
let mine: Registered
let signed: { token: string }

beforeAll(async () => {
  mine = await register(http)
  signed = { token: mine.token }
  for (const [first_name, last_name, workno] of [
    ['伟', '张', '101'],
    ['Ada', 'Zimmer', '102'],
    ['Zoe', 'Abel', '103'],
  ] as const)
    await http.call('employee/add', { first_name, last_name, workno, department: mine.department }, signed)
})

const numbersOf = async (search?: string) => {
  const { list } = await http.call('employee/grid', { ...(search && { filters: { search } }) }, signed)
  return list.map(({ workno }) => workno).filter(workno => workno !== '1')
}

const chooseNameOrder = async (nameformat_id: 1 | 2) => {
  const company = await http.call('company/get', {}, signed)
  const { version, timezone, splitTime, firstWeekday } = company
  const formats = { dateformat_id: company.dateformat_id as 3, timeformat_id: company.timeformat_id as 2 }
  return http.call(
    'company/time/update',
    { version, timezone, splitTime, firstWeekday, ...formats, nameformat_id },
    signed,
  )
}

const namesInReport = async () => {
  const today = localDay('UTC', Date.now())
  const filters = { from: addDays(today, -1), to: today, department: mine.department }
  const { list } = await http.call(
    'report/summary',
    { filters, size: 50, sort: { by: 'name', descending: false } },
    signed,
  )
  return list.map(({ name }) => name)
}

describe('a Chinese name', () => {
  test.each(['zhangwei', 'zw', '张', 'zhang wei', '张伟'])('is found by %s', async typed => {
    expect(await numbersOf(typed)).toEqual(['101'])
  })

  test('sorts in lists by its pinyin', async () => {
    expect(await numbersOf()).toEqual(['102', '101', '103'])
  })

  test('of an imported employee is found by its initials', async () => {
    const sheet = `First name,Last name,Employee ID,Department\n子墨,曾,104,${(await http.call('company/get', {}, signed)).name}`
    expect(await importSheet(http, signed, sheet)).toMatchObject({ state: 'done', rowCount: 1 })
    expect(await numbersOf('zzm')).toEqual(['104'])
    const person = (await http.call('employee/grid', { filters: { search: 'zzm' } }, signed)).list[0]
    await http.call('employee/delete', { id: person?.id ?? '' }, signed)
    const { list } = await http.call('employee/former/grid', { filters: { search: 'zengzimo' } }, signed)
    expect(list.map(({ workno }) => workno)).toEqual(['104'])
  })

  test('is found by its new pinyin, and not by its former pinyin, after the employee is renamed', async () => {
    const { list } = await http.call('employee/grid', { filters: { search: 'zw' } }, signed)
    const { canSignIn: _c, passwordSetAt: _p, ...person } = list[0] as (typeof list)[number]
    await http.call('employee/update', { ...person, last_name: '李' }, signed)
    expect([await numbersOf('zw'), await numbersOf('liwei')]).toEqual([[], ['101']])
    await http.call('employee/update', { ...person, version: person.version + 1 }, signed)
    expect(await numbersOf('zw')).toEqual(['101'])
  })
})

describe('the name order', () => {
  test('changes how lists and reports show and sort all names, and the company can change it back', async () => {
    expect(await namesInReport()).toEqual(expect.arrayContaining(['Ada Zimmer', '张伟', 'Zoe Abel']))
    const { task } = await chooseNameOrder(2)
    expect(await taskEnd(http, signed, { task: task ?? '' })).toMatchObject({ state: 'done' })
    expect(await numbersOf()).toEqual(['103', '101', '102'])
    expect(await namesInReport()).toEqual(expect.arrayContaining(['Zimmer Ada', '张伟', 'Abel Zoe']))
    expect(await http.call('auth/get', {}, signed)).toMatchObject({ isFamilyFirst: true })
    const { id } = await http.call(
      'employee/add',
      { first_name: 'Ben', last_name: 'Mayer', workno: '105', department: mine.department },
      signed,
    )
    expect(await namesInReport()).toContain('Mayer Ben')
    await http.call('employee/delete', { id }, signed)

    const back = await chooseNameOrder(1)
    await taskEnd(http, signed, { task: back.task ?? '' })
    expect(await numbersOf()).toEqual(['102', '101', '103'])
    expect(await namesInReport()).toContain('Ada Zimmer')
  })

  test('stays unchanged when the form omits it, and the save starts no task', async () => {
    const company = await http.call('company/get', {}, signed)
    const { version, timezone, splitTime, firstWeekday, nameformat_id } = company
    const formats = { dateformat_id: company.dateformat_id as 3, timeformat_id: company.timeformat_id as 2 }
    expect(
      await http.call('company/time/update', { version, timezone, splitTime, firstWeekday, ...formats }, signed),
    ).toEqual({})
    expect(await http.call('company/get', {}, signed)).toMatchObject({ nameformat_id })
  })
})
