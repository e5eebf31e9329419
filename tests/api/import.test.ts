import { beforeAll, describe, expect, inject, test } from 'vitest'
import { client, type Registered, register } from '../client.ts'
import { importSheet, loadRows } from '../sheet.ts'

const http = client(inject('address'))
let mine: Registered
beforeAll(async () => {
  mine = await register(http)
})

const headings = 'first_name,last_name,workno,department'

describe('employees', () => {
  test('come out of a sheet, each judged as a form is', async () => {
    const sheet = `${headings},hireDay\nAnn,Lee,007,Olive & Sons,2026-02-01\nBo,Ray,8,Olive & Sons,`
    const end = await importSheet(http, mine, sheet)
    expect(end).toMatchObject({ state: 'done', rowCount: 2, problemCount: 0, done: 2, total: 2 })
    const { list } = await http.call('employee/grid', {}, mine)
    expect(list.map(({ first_name, workno, hireDay }) => [first_name, workno, hireDay])).toEqual([
      ['Ann', '7', '2026-02-01'],
      ['Olga', '1', undefined],
      ['Bo', '8', undefined],
    ])
    const again = await importSheet(http, mine, sheet)
    expect(again).toMatchObject({ state: 'failed', code: 60041, problemCount: 2 })
    console.log(JSON.stringify(again), await loadRows(again.file?.url ?? ''))
  })
})
