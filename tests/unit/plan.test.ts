import { expect, test } from 'vitest'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import { leaveOn } from '../../shared/schedule/leave.ts'
import {
  type Change,
  changesOf,
  inverseOf,
  type Known,
  meansSameHours,
  type Plan,
  requestsFor,
  savedOf,
  withCells,
  withoutSent,
} from '../../web/parts/board/plan.ts'
import { pastedCell, pastedSize, readBlock, textOf } from '../../web/parts/board/plan-block.ts'
import { makeJudge } from '../../web/parts/board/plan-conflict.ts'
import { countHeld, countPlanned } from '../../web/parts/board/plan-count.ts'
import type { BoardShift } from '../../web/parts/board/row.ts'

// The plan of the schedule board: changes, conflicts, counts, copies and requests.

const change = (employee: string, day: string, wanted: string[], held: string[] = []): Change => ({
  employee,
  day,
  wanted,
  held,
})
const knownDays = (employee: string, days: Known['days']): Known => ({
  employee,
  name: employee.toUpperCase(),
  department: 'd',
  days,
})
const people = (...list: Known[]) => new Map(list.map(person => [person.employee, person]))
const shift = (id: string, onDuty: string, offDuty: string): BoardShift => ({
  id,
  name: id,
  color: 'teal',
  onDuty,
  offDuty,
  words: '',
  hours: '',
  letters: '',
})
const shifts = new Map(
  [
    shift('early', '06:00', '14:00'),
    shift('late', '14:00', '22:00'),
    shift('night', '22:00', '06:00+1'),
    shift('dawn', '05:00', '09:00'),
  ].map(shift => [shift.id, shift]),
)

test('requests group employees with the same days in one row, and name each shift once', () => {
  const changes = ['ann', 'bob'].flatMap(who => ['2027-01-04', '2027-01-06'].map(day => change(who, day, ['day'])))
  expect(
    requestsFor([...changes, change('cy', '2027-01-05', [], ['day']), change('di', '2027-01-05', ['day', 'x'])]),
  ).toMatchObject([
    {
      input: {
        from: '2027-01-04',
        shifts: ['day', 'x'],
        rows: [
          { employees: ['ann', 'bob'], cells: [[0], null, [0]] },
          { employees: ['cy'], cells: [null, []] },
          { employees: ['di'], cells: [null, [0, 1]] },
        ],
      },
    },
  ])
})

test('each request stays within 500 employees, 366 days and 200,000 characters, and together they contain every change once', () => {
  const days = daysBetween('2027-01-01', '2028-01-20')
  const changes = Array.from({ length: 520 }, (_, who) =>
    // The days of all employees differ.
    days.map((day, index) =>
      change(`employee-${who}`, day, [['early'], ['late'], []][(who + index * index) % 3] ?? []),
    ),
  ).flat()
  const requests = requestsFor(changes)
  for (const { input } of requests) {
    expect(input.rows.flatMap(({ employees }) => employees).length).toBeLessThanOrEqual(500)
    expect(Math.max(...input.rows.map(({ cells }) => cells.length))).toBeLessThanOrEqual(366)
    expect(JSON.stringify(input).length).toBeLessThanOrEqual(210_000)
  }
  const sentChanges = requests.flatMap(({ changes }) => changes)
  expect(sentChanges).toHaveLength(changes.length)
  expect(new Set(sentChanges).size).toBe(changes.length)
  const sentCells = requests.flatMap(({ input }) =>
    input.rows.flatMap(({ employees, cells }) =>
      employees.flatMap(employee =>
        cells.flatMap((cell, index) =>
          cell ? [`${employee} ${addDays(input.from, index)} ${cell.map(place => input.shifts[place])}`] : [],
        ),
      ),
    ),
  )
  expect(sentCells.toSorted()).toEqual(
    changes.map(({ employee, day, wanted }) => `${employee} ${day} ${wanted}`).toSorted(),
  )
})

test('a restored day needs no save, and other employees keep the same plan object', () => {
  const held = people(knownDays('ann', { '2027-01-04': ['late'] }))
  const bob = { '2027-01-04': ['day'] }
  const changed = withCells({ bob }, [{ employee: 'ann', day: '2027-01-04', wanted: ['day'] }], held)
  expect(changed).toEqual({ ann: { '2027-01-04': ['day'] }, bob })
  const restored = withCells(changed, [{ employee: 'ann', day: '2027-01-04', wanted: ['late'] }], held)
  expect(restored).toEqual({ bob })
  expect(restored.bob).toBe(bob)
})

test('a change during a save stays unsaved, even if it restores the previous shifts', () => {
  const held = people(knownDays('ann', { '2027-01-04': [], '2027-01-05': [] }))
  const sent = withCells(
    {},
    ['2027-01-04', '2027-01-05'].map(day => ({ employee: 'ann', day, wanted: ['day'] })),
    held,
  )
  const next = withCells(sent, [{ employee: 'ann', day: '2027-01-05', wanted: [] }], held, sent)
  expect(next.ann).toEqual({ '2027-01-04': ['day'], '2027-01-05': [] })
  expect(withoutSent(next, sent)).toEqual({ ann: { '2027-01-05': [] } })
})

test('a plan for an unread day counts as a change, and a plan that equals the stored shifts does not', () => {
  const own = { '2027-01-04': ['day'], '2027-02-01': [] }
  expect(changesOf('ann', own, knownDays('ann', { '2027-01-04': ['day'] })).map(({ day }) => day)).toEqual([
    '2027-02-01',
  ])
})

test('an undo covers only days from a given day on, and only days that still have the saved shifts', () => {
  const saved = ['2027-01-03', '2027-01-04', '2027-01-05'].map(day => change('ann', day, ['day'], ['late']))
  const next = people(knownDays('ann', { '2027-01-03': ['day'], '2027-01-04': ['day'], '2027-01-05': ['night'] }))
  expect(inverseOf(saved, next, '2027-01-04')).toEqual([{ employee: 'ann', day: '2027-01-04', wanted: ['late'] }])
})

test('the board finds a conflict over midnight with a neighbouring day, and shows the conflict on both days', () => {
  const judge = makeJudge({ zone: 'Europe/Athens', shifts })
  const held = people(knownDays('ann', { '2027-01-04': [], '2027-01-05': ['dawn'] }))
  const judged = judge({ ann: { '2027-01-04': ['night'] } }, held).get('ann')
  expect(judged?.conflicts).toEqual([
    { employee: 'ann', name: 'ANN', day: '2027-01-04', shift: 'night', withDay: '2027-01-05', withShift: 'dawn' },
  ])
  expect([...(judged?.conflictsByDay.keys() ?? [])]).toEqual(['2027-01-04', '2027-01-05'])
  expect(judge({ ann: { '2027-01-04': ['late'] } }, held).get('ann')?.conflicts).toEqual([])
})

test('shifts that touch over a clock change in the company’s zone do not overlap', () => {
  const judge = makeJudge({ zone: 'Europe/Athens', shifts })
  const own = { '2027-03-27': ['night'], '2027-03-28': ['early'] }
  expect(judge({ ann: own }, people(knownDays('ann', {}))).get('ann')?.conflicts).toEqual([])
})

test('the board does not report earlier conflicts, and a removal never conflicts', () => {
  const judge = makeJudge({ zone: 'Etc/UTC', shifts })
  const held = people(knownDays('ann', { '2027-01-04': ['night'], '2027-01-05': ['dawn'], '2027-01-06': ['late'] }))
  expect(judge({ ann: { '2027-01-06': [] } }, held).get('ann')).toMatchObject({ conflicts: [], replacedDays: 1 })
  expect(judge({ ann: { '2027-01-07': ['late'] } }, held).get('ann')).toMatchObject({ conflicts: [], replacedDays: 0 })
})

test('the board does not search an unchanged plan for conflicts again', () => {
  const judge = makeJudge({ zone: 'Etc/UTC', shifts })
  const plan: Plan = { ann: { '2027-01-04': ['late'] } }
  const held = people(knownDays('ann', {}))
  const before = judge(plan, held).get('ann')
  expect(judge({ ...plan, bob: { '2027-01-04': ['late'] } }, held).get('ann')).toBe(before)
})

test('the board counts employees and shifts by day with the plan, without employees outside the list', () => {
  const days = ['2027-01-04', '2027-01-05']
  const rows: { days: Known['days']; leaves: [] }[] = [
    { days: { '2027-01-04': ['early', 'late'] }, leaves: [] },
    { days: { '2027-01-05': ['late'] }, leaves: [] },
  ]
  const held = countHeld(rows, days)
  expect(held).toEqual({
    people: [1, 1],
    shifts: new Map([
      ['early', [1, 0]],
      ['late', [1, 1]],
    ]),
    away: [0, 0],
  })
  const plan = { ann: { '2027-01-04': ['night'] }, bob: { '2027-01-04': ['early'] }, cy: { '2027-01-05': ['late'] } }
  const next = people(knownDays('ann', rows[0]?.days ?? {}), knownDays('bob', rows[1]?.days ?? {}))
  expect(countPlanned(held, plan, next, days, employee => employee !== 'cy')).toEqual({
    people: [2, 1],
    shifts: new Map([
      ['early', [1, 0]],
      ['late', [0, 1]],
      ['night', [1, 0]],
    ]),
    away: [0, 0],
  })
})

test('the counts leave out employees on approved leave for the whole day, also with an unsaved shift', () => {
  const days = daysBetween('2027-01-04', '2027-01-06')
  const shiftsOfDays = Object.fromEntries(days.map(day => [day, ['early']]))
  const leave = { status: 1 as const, date: '2027-01-05', toDate: '2027-01-05' }
  const rows = [
    { days: shiftsOfDays, leaves: [leave] },
    { days: shiftsOfDays, leaves: [{ ...leave, status: 0 as const }] },
    { days: shiftsOfDays, leaves: [{ ...leave, from: '2027-01-05T08:00:00Z' }] },
    // Leave by the hour over several days takes the days in between.
    {
      days: shiftsOfDays,
      leaves: [{ ...leave, date: '2027-01-04', toDate: '2027-01-06', from: '2027-01-04T20:00:00Z' }],
    },
  ]
  const held = countHeld(rows, days)
  expect(held).toEqual({ people: [4, 2, 4], shifts: new Map([['early', [4, 2, 4]]]), away: [0, 2, 0] })
  const ann: Known = { ...knownDays('ann', shiftsOfDays), away: { '2027-01-05': true } }
  const plan = { ann: { '2027-01-04': [], '2027-01-05': ['late'] } }
  expect(countPlanned(held, plan, people(ann), days, () => true)).toEqual({
    people: [3, 2, 4],
    shifts: new Map([['early', [3, 2, 4]]]),
    away: [0, 2, 0],
  })
})

test('a day shows approved leave before requested leave, and whole days before hours', () => {
  const leave = (id: string, status: 0 | 1, from?: string) => ({
    id,
    status,
    from,
    date: '2027-01-04',
    toDate: '2027-01-05',
  })
  const all = [leave('asked', 0), leave('hours', 1, '2027-01-04T20:00:00Z'), leave('whole', 1)]
  expect(leaveOn(all, '2027-01-05')).toMatchObject({ leave: { id: 'whole' }, isPart: false })
  expect(leaveOn(all.slice(0, 2), '2027-01-05')).toMatchObject({ leave: { id: 'hours' }, isPart: true })
  expect(leaveOn(all, '2027-01-06')).toBeUndefined()
})

test('a copied block survives a spreadsheet, and repeats over a larger selection', () => {
  const block = [
    [['early'], []],
    [['early', 'late'], ['night']],
  ]
  const text = textOf(block, id => id.toUpperCase())
  expect(text).toBe('EARLY\t\nEARLY + LATE\tNIGHT')
  expect(readBlock(`${text.replaceAll('\n', '\r\n')}\r\n`, name => name.toLowerCase())).toEqual({ block })
  expect(readBlock('early\tholidays', name => (shifts.has(name) ? name : undefined))).toEqual({ unknown: ['holidays'] })
  expect(pastedSize(block, 1, 5)).toEqual({ rows: 2, columns: 5 })
  expect(pastedCell(block, 3, 4)).toEqual(['early', 'late'])
})

test('shift names with a plus survive a copy, even if a spreadsheet removes the quotes', () => {
  const finderOf =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name) ? name : undefined
  const find = finderOf('A', 'B', 'A + B', 'C+', 'say "so"')
  const block = [[['A', 'B'], ['A + B'], ['C+', 'A'], ['say "so"', 'A + B']]]
  const text = textOf(block, name => name)
  expect(text).toBe('A + B\t"A + B"\t"C+" + A\tsay "so" + "A + B"')
  expect(readBlock(text, find)).toEqual({ block })
  expect(readBlock('C+\tA + B\tA+A', find)).toEqual({ block: [[['C+'], ['A', 'B'], ['A']]] })
  expect(readBlock('A + B\tA', finderOf('A + B', 'A'))).toEqual({ block: [[['A + B'], ['A']]] })
  expect(readBlock('A + D', find)).toEqual({ unknown: ['D'] })
})

test('a browser in another zone may save a plan if its zone has the same hours on all planned days', () => {
  const [zone, own, today] = ['Europe/Athens', 'Africa/Cairo', '2027-01-10']
  // Egypt changes to summer time four weeks later than Greece.
  const spring = { days: ['2027-01-11', '2027-04-02'], plan: {}, today }
  expect(meansSameHours(own, zone, spring)).toBe(false)
  expect(meansSameHours(own, zone, { ...spring, days: ['2027-01-11', '2027-05-10'] })).toBe(true)
  expect(meansSameHours(own, zone, { ...spring, today: '2027-05-01' })).toBe(true)
  expect(meansSameHours(own, zone, { days: [], plan: { ann: { '2027-04-02': ['early'] } }, today: '2027-05-01' })).toBe(
    false,
  )
  expect(meansSameHours('Europe/Bucharest', zone, spring)).toBe(true)
})

test('no change of an employee with a problem counts as saved, and no change of a task with unnamed problems', () => {
  const parts = ['one', 'two', 'three'].map(id => ({
    id,
    changes: ['ann', 'bob'].map(who => change(who, '2027-01-04', [id])),
  }))
  const done = { state: 'done', problemCount: 0, problems: [] }
  const withProblem = { state: 'done', problemCount: 1, problems: [{ about: { employee: 'bob' } }] }
  const saved = (...ended: Omit<Parameters<typeof savedOf>[1][number], 'id'>[]) =>
    savedOf(
      parts,
      ended.map((task, place) => ({ ...task, id: parts[place]?.id ?? '' })),
    ).map(({ employee, wanted }) => `${employee} ${wanted}`)
  expect(saved(done, withProblem)).toEqual(['ann one', 'bob one', 'ann two'])
  expect(saved({ ...withProblem, problemCount: 2 }, { ...done, state: 'failed' }, done)).toEqual([
    'ann three',
    'bob three',
  ])
})
