import { expect, test } from 'vitest'
import { addDays, daysBetween } from '../../shared/local-day.ts'
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

// What the schedule board plans, judges, counts, copies and sends.

const change = (employee: string, day: string, wanted: string[], held: string[] = []): Change => ({
  employee,
  day,
  wanted,
  held,
})
const known = (employee: string, days: Known['days']): Known => ({
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

test('people whose days are to be alike stand in one row, with the shifts named once', () => {
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

test('no request names more than 500 people, 366 days or 200,000 characters, and together they name every change once', () => {
  const days = daysBetween('2027-01-01', '2028-01-20')
  const changes = Array.from({ length: 520 }, (_, who) =>
    // Nobody's days are like anybody else's.
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
  const named = requests.flatMap(({ changes }) => changes)
  expect(named).toHaveLength(changes.length)
  expect(new Set(named).size).toBe(changes.length)
  const told = requests.flatMap(({ input }) =>
    input.rows.flatMap(({ employees, cells }) =>
      employees.flatMap(employee =>
        cells.flatMap((cell, index) =>
          cell ? [`${employee} ${addDays(input.from, index)} ${cell.map(place => input.shifts[place])}`] : [],
        ),
      ),
    ),
  )
  expect(told.toSorted()).toEqual(changes.map(({ employee, day, wanted }) => `${employee} ${day} ${wanted}`).toSorted())
})

test('painting a day back to what it was leaves nothing to save, and who is left alone keeps the same plan', () => {
  const held = people(known('ann', { '2027-01-04': ['late'] }))
  const bob = { '2027-01-04': ['day'] }
  const painted = withCells({ bob }, [{ employee: 'ann', day: '2027-01-04', wanted: ['day'] }], held)
  expect(painted).toEqual({ ann: { '2027-01-04': ['day'] }, bob })
  const back = withCells(painted, [{ employee: 'ann', day: '2027-01-04', wanted: ['late'] }], held)
  expect(back).toEqual({ bob })
  expect(back.bob).toBe(bob)
})

test('what is painted over a day that is on its way stays, even where it is what the server held before', () => {
  const held = people(known('ann', { '2027-01-04': [], '2027-01-05': [] }))
  const sent = withCells(
    {},
    ['2027-01-04', '2027-01-05'].map(day => ({ employee: 'ann', day, wanted: ['day'] })),
    held,
  )
  const now = withCells(sent, [{ employee: 'ann', day: '2027-01-05', wanted: [] }], held, sent)
  expect(now.ann).toEqual({ '2027-01-04': ['day'], '2027-01-05': [] })
  expect(withoutSent(now, sent)).toEqual({ ann: { '2027-01-05': [] } })
})

test('a day nobody has read counts as a change; one that has come to hold what is wanted does not', () => {
  const own = { '2027-01-04': ['day'], '2027-02-01': [] }
  expect(changesOf('ann', own, known('ann', { '2027-01-04': ['day'] })).map(({ day }) => day)).toEqual(['2027-02-01'])
})

test('a save is taken back where the days still hold what it saved, from a day on', () => {
  const saved = ['2027-01-03', '2027-01-04', '2027-01-05'].map(day => change('ann', day, ['day'], ['late']))
  const now = people(known('ann', { '2027-01-03': ['day'], '2027-01-04': ['day'], '2027-01-05': ['night'] }))
  expect(inverseOf(saved, now, '2027-01-04')).toEqual([{ employee: 'ann', day: '2027-01-04', wanted: ['late'] }])
})

test('a conflict is found over midnight with what the neighbouring day holds, and named on both days', () => {
  const judge = makeJudge({ zone: 'Europe/Athens', shifts })
  const held = people(known('ann', { '2027-01-04': [], '2027-01-05': ['dawn'] }))
  const judged = judge({ ann: { '2027-01-04': ['night'] } }, held).get('ann')
  expect(judged?.conflicts).toEqual([
    { employee: 'ann', name: 'ANN', day: '2027-01-04', shift: 'night', withDay: '2027-01-05', withShift: 'dawn' },
  ])
  expect([...(judged?.conflictsByDay.keys() ?? [])]).toEqual(['2027-01-04', '2027-01-05'])
  expect(judge({ ann: { '2027-01-04': ['late'] } }, held).get('ann')?.conflicts).toEqual([])
})

test('over a clock change duties are judged by the company’s zone: shifts that touch do not overlap', () => {
  const judge = makeJudge({ zone: 'Europe/Athens', shifts })
  const own = { '2027-03-27': ['night'], '2027-03-28': ['early'] }
  expect(judge({ ann: own }, people(known('ann', {}))).get('ann')?.conflicts).toEqual([])
})

test('what stood in conflict before is not the plan’s to answer for, and taking away is never judged', () => {
  const judge = makeJudge({ zone: 'Etc/UTC', shifts })
  const held = people(known('ann', { '2027-01-04': ['night'], '2027-01-05': ['dawn'], '2027-01-06': ['late'] }))
  expect(judge({ ann: { '2027-01-06': [] } }, held).get('ann')).toMatchObject({ conflicts: [], replacedDays: 1 })
  expect(judge({ ann: { '2027-01-07': ['late'] } }, held).get('ann')).toMatchObject({ conflicts: [], replacedDays: 0 })
})

test('whose plan is the same is not judged again', () => {
  const judge = makeJudge({ zone: 'Etc/UTC', shifts })
  const plan: Plan = { ann: { '2027-01-04': ['late'] } }
  const held = people(known('ann', {}))
  const before = judge(plan, held).get('ann')
  expect(judge({ ...plan, bob: { '2027-01-04': ['late'] } }, held).get('ann')).toBe(before)
})

test('people and shifts are counted by day, with what is planned and without who is not on the list', () => {
  const days = ['2027-01-04', '2027-01-05']
  const rows: { days: Known['days'] }[] = [
    { days: { '2027-01-04': ['early', 'late'] } },
    { days: { '2027-01-05': ['late'] } },
  ]
  const held = countHeld(rows, days)
  expect(held).toEqual({
    people: [1, 1],
    shifts: new Map([
      ['early', [1, 0]],
      ['late', [1, 1]],
    ]),
  })
  const plan = { ann: { '2027-01-04': ['night'] }, bob: { '2027-01-04': ['early'] }, cy: { '2027-01-05': ['late'] } }
  const now = people(known('ann', rows[0]?.days ?? {}), known('bob', rows[1]?.days ?? {}))
  expect(countPlanned(held, plan, now, days, employee => employee !== 'cy')).toEqual({
    people: [2, 1],
    shifts: new Map([
      ['early', [1, 0]],
      ['late', [0, 1]],
      ['night', [1, 0]],
    ]),
  })
})

test('a copied block goes through a spreadsheet and fills a larger selection again and again', () => {
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

test('names with a plus come back as they went, also without the quotes a spreadsheet takes from them', () => {
  const named =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name) ? name : undefined
  const all = named('A', 'B', 'A + B', 'C+', 'say "so"')
  const block = [[['A', 'B'], ['A + B'], ['C+', 'A'], ['say "so"', 'A + B']]]
  const text = textOf(block, name => name)
  expect(text).toBe('A + B\t"A + B"\t"C+" + A\tsay "so" + "A + B"')
  expect(readBlock(text, all)).toEqual({ block })
  expect(readBlock('C+\tA + B\tA+A', all)).toEqual({ block: [[['C+'], ['A', 'B'], ['A']]] })
  expect(readBlock('A + B\tA', named('A + B', 'A'))).toEqual({ block: [[['A + B'], ['A']]] })
  expect(readBlock('A + D', all)).toEqual({ unknown: ['D'] })
})

test('a browser of another zone may plan where its hours are the same, on all days that would be saved', () => {
  const [zone, own, today] = ['Europe/Athens', 'Africa/Cairo', '2027-01-10']
  // Egypt goes to summer time four weeks later than Greece.
  const spring = { days: ['2027-01-11', '2027-04-02'], plan: {}, today }
  expect(meansSameHours(own, zone, spring)).toBe(false)
  expect(meansSameHours(own, zone, { ...spring, days: ['2027-01-11', '2027-05-10'] })).toBe(true)
  expect(meansSameHours(own, zone, { ...spring, today: '2027-05-01' })).toBe(true)
  expect(meansSameHours(own, zone, { days: [], plan: { ann: { '2027-04-02': ['early'] } }, today: '2027-05-01' })).toBe(
    false,
  )
  expect(meansSameHours('Europe/Bucharest', zone, spring)).toBe(true)
})

test('only what is certain counts as saved: nobody who is named, and nothing of a save that refused more than it names', () => {
  const parts = ['one', 'two', 'three'].map(id => ({
    id,
    changes: ['ann', 'bob'].map(who => change(who, '2027-01-04', [id])),
  }))
  const done = { state: 'done', problemCount: 0, problems: [] }
  const named = { state: 'done', problemCount: 1, problems: [{ about: { employee: 'bob' } }] }
  const saved = (...ended: Omit<Parameters<typeof savedOf>[1][number], 'id'>[]) =>
    savedOf(
      parts,
      ended.map((task, place) => ({ ...task, id: parts[place]?.id ?? '' })),
    ).map(({ employee, wanted }) => `${employee} ${wanted}`)
  expect(saved(done, named)).toEqual(['ann one', 'bob one', 'ann two'])
  expect(saved({ ...named, problemCount: 2 }, { ...done, state: 'failed' }, done)).toEqual(['ann three', 'bob three'])
})
