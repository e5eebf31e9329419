import { randomBytes } from 'node:crypto'
import { unzipSync, zipSync } from 'fflate'
import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { writeSheet } from '../../functions/sheet/write.ts'
import { api, type PathCall } from '../../shared/api.ts'
import { client, eventually, invite, type Registered, register, type Signed } from '../kit/client.ts'
import { importSheet, load, loadRows, sendSheet, taskEnd } from '../kit/sheet.ts'

const http = client(inject('address'))

/** A separate company for each test, with a tree of departments. */
let olga: Registered
let signed: Signed
let bakery: string
beforeEach(async () => {
  olga = await register(http)
  signed = { token: olga.token }
  bakery = (await http.call('department/add', { name: 'Bakery', parent: olga.department }, signed)).id
  await http.call('department/add', { name: 'Shop', parent: bakery }, signed)
})

const listEmployees = async (by: Signed = signed) => (await http.call('employee/grid', { size: 200 }, by)).list
const listDepartments = async (by: Signed = signed) => (await http.call('department/grid', { size: 200 }, by)).list
const headings = 'first_name,last_name,workno,department'
const problemsOf = ({ problems }: { problems: { row: number; field: string; code: number }[] }) =>
  problems.map(({ row, field, code }) => [row, field, code])

describe('an employee import', () => {
  test('stores every field of the employee form', async () => {
    const sheet = [
      'Nombre,Apellidos,EMPLOYEE ID,Τμήμα,其他部门,Position,email,Phone,hireDay,Fecha de baja,Role',
      'Ann,Lee,007,Bakery,Olive & Sons; Bakery / Shop,Baker,Ann@Example.com,+30 210,2026-02-01,31/12/2026,Employee',
      'Bo,Ray,8,Olive & Sons / Bakery / Shop,,,,,,,',
      '"Γιώργος ""G""",=O’Neil,9,shop,,,,,,,χωρίς δικαιώματα',
    ].join('\n')
    // This date format puts the day before the month.
    const company = await http.call('company/get', {}, signed)
    const rules = Object.keys(api['company/time/update'].input.shape).filter(
      name => name in company && name !== 'leaveTypes',
    )
    const time = Object.fromEntries(rules.map(name => [name, company[name as keyof typeof company]]))
    await http.call('company/time/update', { ...time, dateformat_id: 2 } as PathCall<'company/time/update'>, signed)
    const end = await importSheet(http, signed, sheet)
    expect(end).toMatchObject({ kind: 'employee/import', state: 'done', dryRun: false, rowCount: 3, problemCount: 0 })
    expect([end.done, end.total, end.problems]).toEqual([3, 3, []])
    const people = new Map((await listEmployees()).map(person => [person.workno, person]))
    const shop = (await listDepartments()).find(({ name }) => name === 'Shop')?.id
    expect(people.get('7')).toMatchObject({
      ...{ first_name: 'Ann', last_name: 'Lee', department: bakery, position: 'Baker', email: 'ann@example.com' },
      ...{ departments: [olga.department, shop], tel: '+30 210', hireDay: '2026-02-01', endDay: '2026-12-31', role: 3 },
    })
    expect(people.get('8')).toMatchObject({ department: shop, role: 3, canSignIn: false })
    expect(people.get('9')).toMatchObject({ first_name: 'Γιώργος "G"', last_name: '=O’Neil', role: 0 })
    // The audit log names the person who imported the sheet.
    const { list } = await http.call('audit/grid', { filters: { task: end.id } }, signed)
    expect(list.flatMap(({ employee, path, changes }) => changes.map(({ id }) => [employee, path, id]))).toEqual(
      expect.arrayContaining(['7', '8', '9'].map(number => [olga.owner, 'employee/import', people.get(number)?.id])),
    )
  })

  test('reports all problems in a dry run and accepts the corrected problem sheet', async () => {
    const sheet = [
      `${headings},email,hireDay,endDay,role`,
      'Ann,Lee,7,Bakery,ann@example.com,2026-02-01,,',
      ',Ray,seven,Nowhere,bo@,2026-02-30,,Emperor',
      'Cy,Orr,007,Bakery,,2026-02-02,2026-02-01,',
      '',
      `Di,Foe,1,Bakery / Nowhere,,soon,,`,
      `${'E'.repeat(61)},Gee,99999999,Shop / Bakery,,,,`,
    ].join('\n')
    const dry = await importSheet(http, signed, sheet, { dryRun: true })
    expect(dry).toMatchObject({ state: 'done', dryRun: true, rowCount: 5, problemCount: problemsOf(dry).length })
    expect(problemsOf(dry).sort()).toEqual(
      [
        [3, 'first_name', 60001],
        [3, 'workno', 59013],
        [3, 'department', 60043],
        [3, 'email', 21002],
        [3, 'hireDay', 10002],
        [3, 'role', 60043],
        [4, 'endDay', 10002],
        [4, 'workno', 59014],
        [6, 'workno', 59014],
        [6, 'department', 60043],
        [6, 'hireDay', 10002],
        [7, 'first_name', 60002],
        [7, 'workno', 59014],
        [7, 'department', 60043],
      ].sort(),
    )
    expect(dry.problems.find(({ field }) => field === 'role')?.value).toBe('Emperor')
    expect(await listEmployees()).toHaveLength(1)
    const real = await importSheet(http, signed, sheet)
    expect(real).toMatchObject({ state: 'failed', code: 60041, problemCount: dry.problemCount })
    expect(await listEmployees()).toHaveLength(1)

    expect(dry.file?.name).toMatch(/^Problems \d{4}-\d\d-\d\d\.csv$/)
    const rows = await loadRows(dry.file?.url ?? '')
    expect(rows[0]).toEqual(['Problems', ...(sheet.split('\n')[0]?.split(',') ?? [])])
    expect(rows[2]?.[0]).toContain('Employee ID: The employee ID must be numeric')
    expect(rows[2]?.[0]).toContain('Department: No match, or more than one match, for this name')
    expect(rows.map(([problem]) => problem !== '')).toEqual([true, false, true, true, false, true, true])
    const corrected = [rows[0], rows[1], ['mended', 'Cy', 'Orr', '10', 'Shop', '', '', '', '']].map(row =>
      row?.join(','),
    )
    expect(await importSheet(http, signed, corrected.join('\n'))).toMatchObject({ state: 'done', rowCount: 2 })
    expect((await listEmployees()).map(({ workno }) => workno).sort()).toEqual(['1', '10', '7'])
  })

  test('rejects duplicate numbers and numbers in use', async () => {
    const { id } = await http.call(
      'employee/add',
      { first_name: 'Ex', last_name: 'It', workno: '50', department: bakery },
      signed,
    )
    await http.call('employee/delete', { id }, signed)
    const sheet = `${headings}\nA,A,5,Bakery\nB,B,005,Bakery\nC,C,1,Bakery\nD,D,50,Bakery\n,E,5,Bakery\nF,,1,Bakery`
    const end = await importSheet(http, signed, sheet)
    expect(problemsOf(end)).toEqual([
      [3, 'workno', 59014],
      [4, 'workno', 59014],
      [5, 'workno', 59014],
      // The import reports all duplicates at once, even in rows with other problems.
      [6, 'workno', 59014],
      [6, 'first_name', 60001],
      [7, 'workno', 59014],
      [7, 'last_name', 60001],
    ])
    expect(await listEmployees()).toHaveLength(1)
  })

  test('names unknown, missing and duplicate columns and stray cells', { tags: 'long' }, async () => {
    const end = await importSheet(http, signed, 'first_name,Shoe size,workno,workno\nA,B,5,6')
    expect(problemsOf(end)).toEqual([
      [1, 'Shoe size', 60042],
      [1, 'workno', 60003],
      [1, 'last_name', 60001],
      [1, 'department', 60001],
    ])
    const [, row] = await loadRows(end.file?.url ?? '')
    expect(row?.[0]).toContain('Shoe size: Unknown column')
    const broken = await importSheet(http, signed, `${headings}\nA,A,5,Bakery\nB,"B,6,Bakery\nC,C,7,Bakery`, {
      dryRun: true,
    })
    expect(broken).toMatchObject({ state: 'done', problems: [{ row: 3, field: 'last_name', code: 60044 }] })
    expect(broken.file).toBeUndefined()
    const formulas = await importSheet(http, signed, `${headings},departments\n#N/A,A,5,Bakery,#REF!`)
    expect(problemsOf(formulas).sort()).toEqual([
      [2, 'departments', 10002],
      [2, 'first_name', 10002],
    ])
    const commas = await importSheet(http, signed, `${headings},departments\nA,A,5,Shop,"Bakery, Shop"`)
    expect(problemsOf(commas)).toEqual([[2, 'departments', 60043]])
    const stray = await importSheet(http, signed, `${headings}\nA,A,5,Bakery,lost`)
    expect(problemsOf(stray)).toEqual([[2, 'E', 60042]])
    expect(problemsOf(await importSheet(http, signed, headings))).toEqual([[2, 'first_name', 60001]])
    expect(await listEmployees()).toHaveLength(1)
  })

  test('reports problems in the language of the caller', async () => {
    const form = await sendSheet(http, signed, `${headings}\nA,A,x,Bakery`)
    const greek = { ...signed, headers: { 'x-language': 'el' } }
    const end = await taskEnd(http, signed, await http.call('employee/import', { upload: form, dryRun: true }, greek))
    const rows = await loadRows(end.file?.url ?? '')
    expect(rows[0]?.[0]).toBe('Προβλήματα')
    expect(rows[1]?.[0]).toMatch(/^Αριθμός εργαζομένου: /)
  })

  test('reads workbooks with their cell types, and text dates in the format of the company', async () => {
    const rows = [
      ['Ann', 'Lee', 7, 'Bakery', { day: '2026-02-01' }],
      ['Bo', 'Ray', '008', 'Bakery', '2026-02-03'],
    ]
    const sheet = { headings: [...headings.split(','), 'hireDay'], rows, dateFormat: 'YYYY-MM-DD' }
    expect(await importSheet(http, signed, await writeSheet('xlsx', sheet))).toMatchObject({
      state: 'done',
      rowCount: 2,
    })
    expect((await listEmployees()).map(({ workno, hireDay }) => [workno, hireDay]).sort()).toEqual([
      ['1', undefined],
      ['7', '2026-02-01'],
      ['8', '2026-02-03'],
    ])
  })

  test('fails with a reason for an unreadable or oversized file or a zip bomb', { tags: 'long' }, async () => {
    const bomb = zipSync({ 'xl/worksheets/sheet1.xml': Buffer.alloc(64 * 1024 * 1024) })
    for (const [bytes, code] of [
      [randomBytes(2000), 60040],
      [Buffer.from('PK and nothing'), 60040],
      [bomb, 60045],
      [Buffer.from(`${headings}\n${'A,A,5,Bakery\n'.repeat(10_001)}`), 60045],
    ] as const)
      expect(await importSheet(http, signed, bytes)).toMatchObject({ state: 'failed', code, problemCount: 0 })
    expect(await listEmployees()).toHaveLength(1)
  })

  test('lets a manager import plain employees into their own departments only', async () => {
    const role = { name: 'Baker in chief', permissions: [3], departments: [bakery] }
    const { id: roleId } = await http.call('role/add', role, signed)
    const person = { first_name: 'Max', last_name: 'M', workno: '2', department: bakery, role: 2, roleId }
    const manager = await invite(http, signed, person)
    const sheet = [
      `${headings},departments,role`,
      'A,A,5,Olive & Sons,,',
      'B,B,6,Bakery,Shop,',
      'C,C,7,Bakery,,System administrator',
      'D,D,8,Bakery,,Baker in chief',
      'E,E,9,Bakery,,employee',
    ].join('\n')
    const end = await importSheet(http, manager, sheet)
    expect(problemsOf(end)).toEqual([
      [2, 'department', 60043],
      [3, 'departments', 60043],
      [4, 'role', 60005],
      [5, 'role', 60005],
    ])
    expect(await importSheet(http, manager, `${headings}\nE,E,9,Bakery`)).toMatchObject({ state: 'done' })
    expect((await listEmployees(manager)).map(({ workno }) => workno).sort()).toEqual(['2', '9'])
    // An administrator assigns roles by name.
    const roleSheet = `${headings},role\nD,D,8,Bakery,baker in chief\nF,F,10,Bakery,1\nG,G,11,Bakery,Jefe de departamento`
    expect(await importSheet(http, signed, roleSheet)).toMatchObject({ state: 'done' })
    const roles = new Map((await listEmployees()).map(({ workno, role, roleId }) => [workno, [role, roleId]]))
    expect(['8', '10', '11'].map(number => roles.get(number))).toEqual([
      [2, roleId],
      [1, undefined],
      [2, 'departmentleader'],
    ])
  })

  const expectTemplate = async (type: 'xlsx' | 'csv', language: string) => {
    const caller = { ...signed, headers: { 'x-language': language } }
    const begun = await http.call('employee/export', { type, isTemplate: true }, caller)
    const { name, url } = (await taskEnd(http, signed, begun)).file ?? { name: '', url: '' }
    expect(name).toMatch(new RegExp(` - .*\\.${type}$`))
    const { bytes } = await load(url)
    const end = await importSheet(http, signed, type === 'csv' ? Buffer.from(bytes).toString() : bytes)
    expect(problemsOf(end), `${type} ${language}`).toEqual([[2, 'first_name', 60001]])
    const filled = (await loadRows(url)).map(row => row.map(cell => cell.replace('100001', '300')))
    const dry = await importSheet(http, signed, filled.map(row => row.join(',')).join('\n'), { dryRun: true })
    expect(dry, `${type} ${language}`).toMatchObject({ problemCount: 0, rowCount: 1 })
  }
  test.each([
    ['xlsx', 'en'],
    ['csv', 'el'],
  ] as const)('offers a template in %s and %s with every column and an example row that it skips', expectTemplate)
  test.each([
    ...(['en', 'zh', 'es'] as const).map(language => ['csv', language] as const),
    ...(['zh', 'es', 'el'] as const).map(language => ['xlsx', language] as const),
  ])('also offers a template in %s and %s with every column and an example row', { tags: 'long' }, expectTemplate)
})

describe('a department import', () => {
  const importTree = (sheet: string, by: Signed = signed, dryRun = false) =>
    importSheet(http, by, sheet, { path: 'department/import', dryRun })

  test('builds the tree from rows in any order', async () => {
    const sheet = [
      'name,parent,tel,country,location',
      'Oven,Bakery / Night,+1,Greece,',
      'Night,Olive & Sons / Bakery,,GR,2nd floor',
      'Lab,,,Atlantis,',
      'R/D,Lab,,,',
      'Toast,R/D,,,',
    ].join('\n')
    expect(await importTree(sheet)).toMatchObject({ kind: 'department/import', state: 'done', rowCount: 5 })
    const list = await listDepartments()
    const nameOf = (id?: string) => list.find(department => department.id === id)?.name
    expect(list.map(({ name, parent, country }) => [name, nameOf(parent), country]).sort()).toEqual(
      [
        ['Bakery', 'Olive & Sons', undefined],
        ['Lab', undefined, 'Atlantis'],
        ['Night', 'Bakery', 'GR'],
        ['Olive & Sons', undefined, undefined],
        ['Oven', 'Night', 'GR'],
        ['R/D', 'Lab', undefined],
        ['Shop', 'Bakery', undefined],
        ['Toast', 'R/D', undefined],
      ].sort(),
    )
  })

  test('rejects cycles, taken names and unknown parents, and writes nothing', async () => {
    const sheet = [
      'name,parent',
      'A,C',
      'B,A',
      'C,B',
      'D,D',
      'bakery,',
      'E,',
      'e,',
      'F,Nowhere',
      'G,Shop / Bakery',
    ].join('\n')
    const end = await importTree(sheet)
    expect(problemsOf(end)).toEqual([
      [2, 'parent', 10002],
      [3, 'parent', 10002],
      [4, 'parent', 10002],
      [5, 'parent', 10002],
      [6, 'name', 59002],
      [8, 'name', 59002],
      [9, 'parent', 60043],
      [10, 'parent', 60043],
    ])
    expect(await listDepartments()).toHaveLength(3)
  })

  test('rejects existing departments by row, and accepts new children', { tags: 'long' }, async () => {
    const sheet = [
      'name,parent',
      'Olive & Sons,',
      'Bakery,Olive & Sons',
      'Shop,Bakery',
      'Van,Olive & Sons',
      'Van 2,Van',
    ]
    const end = await importTree(sheet.join('\n'), signed, true)
    expect(problemsOf(end)).toEqual([
      [2, 'name', 59002],
      [3, 'name', 59002],
      [4, 'name', 59002],
    ])
    // An exported sheet with an additional row.
    const { task } = await http.call('department/export', { type: 'csv', filters: {} }, signed)
    const { file } = await taskEnd(http, signed, { task })
    const rows = (await loadRows(file?.url ?? '')).map(row => row.map(cell => `"${cell}"`).join(','))
    const again = await importTree([...rows, 'Van,Bakery'].join('\n'), signed, true)
    expect(problemsOf(again).map(([, field, code]) => [field, code])).toEqual(Array(3).fill(['name', 59002]))
  })

  test('lets a manager add departments below the manager’s department, and manage the new departments', async () => {
    const role = { name: 'Bakers', permissions: [1], departments: [bakery] }
    const { id: roleId } = await http.call('role/add', role, signed)
    const person = { first_name: 'Max', last_name: 'M', workno: '2', department: bakery, role: 2, roleId }
    const manager = await invite(http, signed, person)
    const end = await importTree('name,parent\nTop,\nSide,Olive & Sons\nBelow,Bakery\nDeep,Below', manager)
    expect(problemsOf(end)).toEqual([
      [2, 'parent', 60005],
      [3, 'parent', 60043],
    ])
    expect(await importTree('name,parent\nDeep,Below\nBelow,Bakery', manager)).toMatchObject({ state: 'done' })
    expect((await listDepartments(manager)).map(({ name }) => name).sort()).toEqual(['Bakery', 'Below', 'Deep'])
  })

  test('stores a long chain of departments in batches', { tags: 'long' }, async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `Level ${i},${i === 0 ? '' : `Level ${i - 1}`}`)
    const sheet = ['name,parent', ...lines.toReversed()].join('\n')
    expect(await importTree(sheet)).toMatchObject({ state: 'done', done: 300, total: 300 })
    const { list } = await http.call('department/all', {}, signed)
    expect(list).toHaveLength(303)
  })
})

describe('an export', () => {
  const expectImportable = async (type: 'csv' | 'xlsx') => {
    await http.call('department/add', { name: '"Oven"; nights / =1', parent: bakery }, signed)
    const people = `${headings},departments,tel,hireDay,role
Ann,=1+1,7,Shop,"Bakery; """"""Oven""""; nights / =1""",+30 210,2026-02-01,
@Bo,Ray,8,Bakery,,,,0`
    await importSheet(http, signed, people)
    const { id: roleId } = await http.call('role/add', { name: 'Looks', permissions: [9], departments: [] }, signed)
    const person = { first_name: 'Cy', last_name: 'Orr', workno: '9', department: bakery, role: 2, roleId }
    await http.call('employee/add', person, signed)

    const tree = await taskEnd(http, signed, await http.call('department/export', { type, filters: {} }, signed))
    const all = await taskEnd(http, signed, await http.call('employee/export', { type, filters: {} }, signed))
    expect(all).toMatchObject({ state: 'done', rowCount: 4, problemCount: 0 })
    expect(all.file?.name).toMatch(new RegExp(`^Employees \\d{4}-\\d\\d-\\d\\d\\.${type}$`))
    const { bytes, headers } = await load(all.file?.url ?? '')
    expect(headers.get('content-disposition')).toContain('attachment')
    const raw =
      type === 'csv'
        ? [bytes]
        : ['xl/sharedStrings.xml', 'xl/worksheets/sheet1.xml'].map(part => unzipSync(bytes)[part] ?? new Uint8Array())
    const text = Buffer.concat(raw).toString()
    if (type === 'csv') {
      for (const guarded of ["'=1+1", "'@Bo", "'+30 210"]) expect(text).toContain(guarded)
      expect(text).not.toMatch(/,(=1|@Bo|\+30)/)
    } else {
      // A text cell of a workbook is no formula, so its text stays as it is.
      for (const unchanged of ['=1+1', '@Bo', '+30 210'])
        expect(text).toContain(`t="inlineStr"><is><t xml:space="preserve">${unchanged}</t>`)
      expect(text).not.toContain('<f>')
      expect(text).toContain('<v>7</v>')
    }

    const other = await register(http, { company_name: 'Elsewhere' })
    await http.call('role/add', { name: 'Looks', permissions: [], departments: [] }, other)
    const treeRows = await loadRows(tree.file?.url ?? '')
    expect(treeRows.map(([name, parent = '']) => [name, parent]).slice(1)).toEqual([
      ['"Oven"; nights / =1', 'Bakery'],
      ['Bakery', 'Olive & Sons'],
      ['Olive & Sons', ''],
      ['Shop', 'Bakery'],
    ])
    const treeBytes = (await load(tree.file?.url ?? '')).bytes
    expect(await importSheet(http, other, treeBytes, { path: 'department/import' })).toMatchObject({ state: 'done' })
    // The owner of the other company already has number 1.
    const sheet = Buffer.from(
      await writeSheet(type, {
        headings: (await loadRows(all.file?.url ?? ''))[0] ?? [],
        rows: (await loadRows(all.file?.url ?? '')).slice(1).filter(row => row[2] !== '1'),
        dateFormat: 'YYYY-MM-DD',
      }),
    )
    expect(await importSheet(http, other, sheet)).toMatchObject({ state: 'done', rowCount: 3 })
    const shown = async (by: Signed) => {
      const names = new Map((await listDepartments(by)).map(({ id, name }) => [id, name]))
      const list = await listEmployees(by)
      return list
        .filter(({ workno }) => workno !== '1')
        .map(({ first_name, last_name, workno, department, departments, tel, hireDay, role }) => ({
          ...{ first_name, last_name, workno, tel, hireDay, role, department: names.get(department) },
          departments: departments?.map(id => names.get(id)),
        }))
    }
    expect(await shown(other)).toEqual(await shown(signed))
  }
  test('as a workbook can be imported by another company', () => expectImportable('xlsx'))
  test('as CSV can be imported by another company', { tags: 'long' }, () => expectImportable('csv'))

  test('contains the filtered list, limited to the departments of the manager', async () => {
    await importSheet(http, signed, `${headings}\nAnn,Lee,7,Shop\nBo,Ray,8,Bakery\nCy,Orr,9,Olive & Sons`)
    const numbers = async (filters: object, by: Signed = signed) => {
      const end = await taskEnd(http, by, await http.call('employee/export', { type: 'csv', filters }, by))
      return (await loadRows(end.file?.url ?? '')).slice(1).map(row => row[2])
    }
    expect(await numbers({ search: 'ray' })).toEqual(['8'])
    expect(await numbers({ department: bakery })).toEqual(['8'])
    expect(await numbers({ role: 1 })).toEqual(['1'])
    const role = { name: 'Bakers', permissions: [1, 3], departments: [bakery] }
    const { id: roleId } = await http.call('role/add', role, signed)
    const person = { first_name: 'Max', last_name: 'M', workno: '2', department: bakery, role: 2, roleId }
    const manager = await invite(http, signed, { ...person, departments: [olga.department] })
    expect((await numbers({}, manager)).sort()).toEqual(['2', '8'])
    expect(await numbers({ department: olga.department }, manager)).toEqual([])
    const tree = await taskEnd(
      http,
      manager,
      await http.call('department/export', { type: 'csv', filters: {} }, manager),
    )
    expect((await loadRows(tree.file?.url ?? '')).slice(1).map(([name, parent]) => [name, parent])).toEqual([
      ['Bakery', ''],
    ])
  })

  test('can be downloaded only while the manager may see its whole content', async () => {
    const items = { permissions: [3], departments: [bakery, olga.department] }
    const { id: roleId } = await http.call('role/add', { name: 'Shrinking', ...items }, signed)
    const person = { first_name: 'Max', last_name: 'M', workno: '2', department: bakery, role: 2, roleId }
    const manager = await invite(http, signed, person)
    const begun = await http.call('employee/export', { type: 'csv', filters: {} }, manager)
    expect((await taskEnd(http, manager, begun)).file).toBeDefined()
    const fileWith = async (changes: Partial<typeof items>) => {
      const { list } = await http.call('role/grid', { size: 200 }, signed)
      const version = list.find(({ id }) => id === roleId)?.version ?? 0
      await http.call('role/update/item', { id: roleId, version, ...items, ...changes }, signed)
      const task = await http.call('task/get', { id: begun.task }, manager)
      expect(task).toMatchObject({ state: 'done', rowCount: 2 })
      return task.file
    }
    expect(await fileWith({ departments: [bakery] })).toBeUndefined()
    expect(await fileWith({ departments: [olga.department, bakery] })).toBeDefined()
    expect(await fileWith({ permissions: [9] })).toBeUndefined()
    expect(await fileWith({ permissions: [3, 9] })).toBeDefined()
    // A manager of some departments must not read an export of the whole company.
    await http.call('role/update/user', { id: 'personnelmanager', add: [manager.id] }, signed)
    const all = await http.call('employee/export', { type: 'csv', filters: {} }, manager)
    expect((await taskEnd(http, manager, all)).file).toBeDefined()
    await http.call('role/update/user', { id: roleId, add: [manager.id] }, signed)
    expect((await http.call('task/get', { id: all.task }, manager)).file).toBeUndefined()
  })
})

describe('the company boundary', () => {
  let rival: Registered
  beforeAll(async () => {
    rival = await register(http, { company_name: 'Theirs' })
  })

  test('hides sheets, tasks and files from other companies and from colleagues', async () => {
    const upload = await sendSheet(http, signed, `${headings}\nA,A,5,Bakery`)
    const begun = await http.call('employee/import', { upload, dryRun: true }, signed)
    const administrator = { first_name: 'Al', last_name: 'Bo', workno: '3', department: olga.department, role: 1 }
    const colleague = await invite(http, signed, administrator)
    await taskEnd(http, signed, begun)
    for (const by of [{ token: rival.token }, colleague]) {
      const missing = (fields: object) => ({ status: 200, code: 60004, fields })
      expect(await http.ask('task/get', { id: begun.task }, by)).toMatchObject(missing({ id: 60004 }))
      expect(await http.ask('employee/import', { upload, dryRun: true }, by)).toMatchObject(missing({ upload: 60004 }))
      expect((await http.call('task/grid', {}, by)).list).toEqual([])
    }
    const { list } = await http.call('task/grid', {}, signed)
    expect(list).toMatchObject([{ id: begun.task, kind: 'employee/import', state: 'done', dryRun: true, rowCount: 1 }])
  })

  test('accepts an upload only from the company and the user of its form', async () => {
    const { upload, ...form } = await http.call('task/upload', { type: 'csv' }, signed)
    expect(await http.ask('employee/import', { upload, dryRun: false }, signed)).toMatchObject({ code: 60004 })
    expect(form.fields.key).toContain(`${olga.company}/upload/sheet/${olga.owner}/${upload}`)
    await eventually(
      async () => (await http.call('task/grid', {}, { token: rival.token })).list,
      list => expect(list).toEqual([]),
    )
  })
})
