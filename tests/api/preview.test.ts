import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { companyKey } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { addFigures, type Figures, figuresOf, noFigures } from '../../shared/figure.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { saysTheSame, toldOf } from '../../shared/preview.ts'
import { changeRules } from '../../shared/rule.ts'
import { shiftKey } from '../../shared/shift.ts'
import { isShort } from '../kit/tier.ts'
import {
  dayAt,
  departments,
  fixedShift,
  idOf,
  openWorked,
  today,
  type Worked,
  weeklyShift,
  zone,
} from '../kit/worked.ts'

// A preview shows the effect of a change before the save. The saved change must match the preview in every figure of
// every day.

let worked: Awaited<ReturnType<typeof openWorked>>
beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())

const [fixed, other, week] = ['s', 'o', 'w'].map(letter => letter.repeat(16)) as [string, string, string]
const people = [0, 1, 2]
const [from, to] = [dayAt(-20), dayAt(12)]
const spans = people.map(n => ({ employee: idOf(n), from, to }))

/** The rows of all employees, by employee, day and shift. */
const rowsOf = async (company: Worked) => {
  const rows = (await Promise.all(people.map(company.rows))).flat()
  return new Map(rows.map(row => [`${row.employee} ${row.day} ${row.shift}`, row]))
}

/** The difference between two states of the rows, in the form of a preview. */
const summariseChanges = (before: Map<string, DayRow>, after: Map<string, DayRow>) => {
  const pairs = [...new Set([...before.keys(), ...after.keys()])].map(key => ({
    old: before.get(key),
    now: after.get(key),
  }))
  const differing = pairs.filter(({ old, now }) => !old || !now || !saysTheSame(old, now))
  const sum = (rows: (DayRow | undefined)[]) =>
    rows.reduce<Figures>((total, row) => (row ? addFigures(total, figuresOf(row)) : total), noFigures())
  const ofDay = ({ old, now }: (typeof pairs)[number]) => `${(now ?? old)?.employee} ${(now ?? old)?.day}`
  return {
    employees: new Set(differing.map(({ old, now }) => (now ?? old)?.employee)).size,
    days: new Set(differing.map(ofDay)).size,
    before: sum(differing.map(({ old }) => old)),
    after: sum(differing.map(({ now }) => now)),
  }
}

const arbitraryShift = (id: string) =>
  fc
    .record({
      on: fc.integer({ min: 6, max: 11 }),
      hours: fc.integer({ min: 5, max: 10 }),
      allowedLateMinutes: fc.constantFrom(0, 5, 30),
      noClockOut: fc.constantFrom(0 as const, 1 as const, 2 as const),
      counts: fc.boolean(),
      hasBreak: fc.boolean(),
    })
    .map(({ on: start, hours, counts, hasBreak, ...rules }) =>
      fixedShift(id, {
        ...rules,
        onDuty: `${String(start).padStart(2, '0')}:00`,
        offDuty: `${String(start + hours).padStart(2, '0')}:00`,
        punchStart: '04:00',
        punchEnd: '23:30',
        lateOutOvertime: { counts, afterMinutes: 0 },
        breaks: hasBreak ? [{ start: '12:00', end: '13:00', durationMinutes: 30, thresholdMinutes: 0 }] : [],
      }),
    )
const arbitraryTime = fc.integer({ min: 5 * 60, max: 22 * 60 }).map(minute => {
  const pad = (number: number) => String(number).padStart(2, '0')
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`
})
/** The shifts and punches of each person and day. */
const arbitraryDays = fc.array(
  fc.record({
    shifts: fc.constantFrom<string[]>([], [fixed], [fixed], [other], [week]),
    punches: fc.array(arbitraryTime, { maxLength: 4 }),
  }),
  { minLength: people.length * 33, maxLength: people.length * 33 },
)

describe('with random schedules and punches', () => {
  test('a preview matches the saved change of a shift, a schedule or the rules', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryDays,
        arbitraryDays,
        arbitraryShift(fixed),
        arbitraryShift(fixed),
        fc.constantFrom(undefined, dayAt(-14), dayAt(-9)),
        fc.constantFrom('shift' as const, 'schedule' as const, 'rules' as const),
        async (initial, planned, before, after, lockedTo, kind) => {
          const company = await worked.found(people.length)
          await company.keep(before)
          await company.keep(fixedShift(other, { onDuty: '08:00' }))
          await company.keep(weeklyShift(week, 2400))
          const days = daysBetween(from, to)
          const shiftsOf = (plan: typeof initial, n: number) =>
            Object.fromEntries(days.map((day, i) => [day, plan[n * days.length + i]?.shifts ?? []]))
          await Promise.all(
            people.map(async n => {
              await company.schedule(idOf(n), shiftsOf(initial, n))
              for (const [i, day] of days.entries())
                if (day < today) await company.punch(n, day, ...(initial[n * days.length + i]?.punches ?? []))
            }),
          )
          await company.recalculate(spans)
          const settings = await company.table.get(companyKey())
          const stored = await company.table.get(shiftKey(fixed))
          if (!settings || !stored) throw new Error('Nothing here')
          if (lockedTo) await worked.save(company.table.replace(companyKey(), { ...settings, lockedTo }))
          const rows = await rowsOf(company)
          const locked = { ...settings, ...(lockedTo && { lockedTo }), version: settings.version + (lockedTo ? 1 : 0) }
          const { version: _, ...engineDefaults } = defaultParameters
          const parameters = { ...engineDefaults, deductGaps: true, restDayWorkIsOvertime: false, firstWeekday: 3 }
          const ruleChanges = changeRules(locked, { timezone: zone, parameters }, dayAt(-11))
          const schedule = (employee: string, day: string, scheduled: string[]) =>
            day >= from && day <= to
              ? (shiftsOf(
                  planned,
                  people.findIndex(n => idOf(n) === employee),
                )[day] ?? [])
              : scheduled
          // The preview receives its shifts, as from a plan, because an employee may never have had these shifts.
          const shifts = Object.fromEntries(
            (await company.table.getMany([fixed, other, week].map(shiftKey))).flatMap(shift =>
              shift ? [[shift.id, shift]] : [],
            ),
          )
          const preview = await company.preview(
            spans,
            kind === 'shift'
              ? { shifts: { [fixed]: { ...after, version: stored.version + 1 } } }
              : kind === 'schedule'
                ? { shifts, schedule }
                : { company: settings => ({ ...settings, ...ruleChanges }) },
          )
          expect(await rowsOf(company)).toEqual(rows)

          if (kind === 'shift')
            await worked.save(company.table.replace(shiftKey(fixed), { ...after, version: stored.version }))
          if (kind === 'schedule') await Promise.all(people.map(n => company.schedule(idOf(n), shiftsOf(planned, n))))
          if (kind === 'rules') await worked.save(company.table.replace(companyKey(), { ...locked, ...ruleChanges }))
          const result = await company.recalculate(spans)
          const current = await rowsOf(company)
          const { employees, days: count, before: expectedBefore, after: expectedAfter } = preview
          expect({ employees, days: count, before: expectedBefore, after: expectedAfter }).toEqual(
            summariseChanges(rows, current),
          )
          expect(result.rows).toBeGreaterThanOrEqual(count)
          const entries = preview.list.map(({ employee, day, shift, before, after }) => ({
            ...{ before, after },
            old: rows.get(`${employee} ${day} ${shift}`),
            now: current.get(`${employee} ${day} ${shift}`),
          }))
          for (const { before, after, old, now } of entries)
            expect([before, after]).toEqual([old ? toldOf(old) : null, now ? toldOf(now) : null])
          // After the unlock, as many locked days change as the preview counted.
          if (!lockedTo) return
          const lockedSettings = await company.table.get(companyKey())
          if (!lockedSettings) throw new Error('No company')
          const { lockedTo: _lock, ...unlocked } = lockedSettings
          await worked.save(company.table.replace(companyKey(), unlocked))
          await company.recalculate(spans)
          // The lock may cut a week in two. After the unlock the whole week is calculated, so its locked days change
          // too.
          const isLockedDay = ([, { day }]: [string, DayRow]) => day <= lockedTo
          const lockedOf = (rows: Map<string, DayRow>) => new Map([...rows].filter(isLockedDay))
          expect(summariseChanges(lockedOf(current), lockedOf(await rowsOf(company))).days).toBe(preview.lockedDays)
        },
      ),
      // Each run takes seconds, so a failure is reported without shrinking.
      { numRuns: isShort ? 4 : 8, endOnFailure: true },
    )
  })
})

test('a preview counts, but does not list, changes of employees outside the manager’s departments', async () => {
  const company = await worked.found(people.length)
  await company.keep(fixedShift(fixed))
  for (const n of people) await company.schedule(idOf(n), { [dayAt(-1)]: [fixed], [dayAt(5)]: [fixed] })
  await company.recalculate(spans)
  const work = company.work()
  work.asker.departments = new Set([departments[1]])
  const change = { shifts: { [fixed]: { ...fixedShift(fixed, { offDuty: '17:00' }), version: 2 } } }
  const preview = await company.preview(spans, change, work)
  expect(preview).toMatchObject({ employees: 3, days: 3, hiddenDays: 2, unknownEmployees: 0 })
  expect(preview.list).toMatchObject([
    { employee: idOf(1), day: dayAt(-1), before: { absentMinutes: 480 }, after: { absentMinutes: 420 } },
  ])
  expect(preview.toCome).toEqual({ days: 3, dutyMinutesBefore: 1440, dutyMinutesAfter: 1260 })
})
