import { expect, test } from 'vitest'
import { withZone } from '../../functions/department/zone.ts'
import { changeZone, type Department, zonesAfterMove, zonesOf } from '../../shared/department.ts'
import { firstDay } from '../../shared/local-day.ts'

// Departments in other zones than the company, and the days on which they change.

const [newYork, tokyo] = ['America/New_York', 'Asia/Tokyo']
const tree: Department[] = [
  { id: 'america', name: 'America', zones: [{ from: firstDay, zone: newYork }] },
  { id: 'asia', name: 'Asia', zones: [{ from: '2026-03-01', zone: tokyo }] },
  { id: 'site', name: 'Site', parent: 'america' },
  { id: 'yard', name: 'Yard', parent: 'site' },
  { id: 'home', name: 'Home' },
]
const changed = (id: string, change: Partial<Department>) =>
  tree.map(department => (department.id === id ? { ...department, ...change } : department))

test('a department has its own zone, else its parent’s, else the company’s', () => {
  const zoneOf = zonesOf(tree)
  expect(zoneOf('america', '2026-01-01')).toBe(newYork)
  expect(zoneOf('yard', '2026-01-01')).toBe(newYork)
  expect(zoneOf('home', '2026-01-01')).toBeUndefined()
  expect(zoneOf('gone', '2026-01-01')).toBeUndefined()
  expect([zoneOf('asia', '2026-02-28'), zoneOf('asia', '2026-03-01')]).toEqual([undefined, tokyo])
})

test('a change applies from its day on, and a second change from an earlier day replaces it', () => {
  const twice = changeZone([{ from: firstDay, zone: newYork }], tokyo, '2026-05-01')
  expect(twice).toEqual([
    { from: firstDay, zone: newYork },
    { from: '2026-05-01', zone: tokyo },
  ])
  expect(changeZone(twice, tokyo, '2026-06-01')).toBe(twice)
  expect(changeZone(twice, undefined, '2026-04-01')).toEqual([
    { from: firstDay, zone: newYork },
    { from: '2026-04-01' },
  ])
  expect(changeZone(twice, tokyo, '2026-04-01')).toEqual([
    { from: firstDay, zone: newYork },
    { from: '2026-04-01', zone: tokyo },
  ])
  expect(changeZone([], undefined, '2026-04-01')).toEqual([])
})

test('a department that moves keeps the zones of its former parent for earlier days, and so do the ones below it', () => {
  const zones = zonesAfterMove(tree, 'site', '2026-04-01')
  const after = zonesOf(changed('site', { parent: 'asia', zones }))
  for (const id of ['site', 'yard'])
    expect([after(id, '2026-01-01'), after(id, '2026-03-31'), after(id, '2026-04-01')]).toEqual([
      newYork,
      newYork,
      tokyo,
    ])
  const fromHome = zonesAfterMove(tree, 'home', '2026-04-01')
  const moved = zonesOf(changed('home', { parent: 'asia', zones: fromHome }))
  expect([moved('home', '2026-03-15'), moved('home', '2026-04-01')]).toEqual([undefined, tokyo])
})

test('a change without a zone keeps the department’s zone, and null or an empty text removes it', () => {
  const company = { timezone: 'UTC' }
  const change = (timezone?: string | null) => {
    const { departments, changedFrom } = withZone(company, tree, { id: 'america', timezone })
    return { zone: departments.find(({ id }) => id === 'america')?.zones?.at(-1)?.zone, isChanged: !!changedFrom }
  }
  expect(change()).toEqual({ zone: newYork, isChanged: false })
  expect(change(tokyo)).toEqual({ zone: tokyo, isChanged: true })
  for (const none of [null, '']) expect(change(none)).toEqual({ zone: undefined, isChanged: true })
})
