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

// What a change would do is told before it is saved, and is what then comes: figure by figure, day by day.

let worked: Awaited<ReturnType<typeof openWorked>>
beforeAll(async () => {
  worked = await openWorked()
})
afterAll(() => worked.world.close())

const [fixed, other, week] = ['s', 'o', 'w'].map(letter => letter.repeat(16)) as [string, string, string]
const people = [0, 1, 2]
const [from, to] = [dayAt(-20), dayAt(12)]
const spans = people.map(n => ({ employee: idOf(n), from, to }))

/** All rows of everybody, by whose, of which day and which shift they are. */
const rowsOf = async (mine: Worked) => {
  const rows = (await Promise.all(people.map(mine.rows))).flat()
  return new Map(rows.map(row => [`${row.employee} ${row.day} ${row.shift}`, row]))
}

/** What has changed between two states of the rows, told as a preview tells it. */
const changed = (before: Map<string, DayRow>, after: Map<string, DayRow>) => {
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
    .map(({ on, hours, counts, hasBreak, ...rules }) =>
      fixedShift(id, {
        ...rules,
        onDuty: `${String(on).padStart(2, '0')}:00`,
        offDuty: `${String(on + hours).padStart(2, '0')}:00`,
        punchStart: '04:00',
        punchEnd: '23:30',
        lateOutOvertime: { counts, afterMinutes: 0 },
        breaks: hasBreak ? [{ start: '12:00', end: '13:00', durationMinutes: 30, thresholdMinutes: 0 }] : [],
      }),
    )
const arbitraryTime = fc.integer({ min: 5 * 60, max: 22 * 60 }).map(minute => {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
})
/** For each person and day, the shifts it holds and when they punched. */
const arbitraryDays = fc.array(
  fc.record({
    shifts: fc.constantFrom<string[]>([], [fixed], [fixed], [other], [week]),
    punches: fc.array(arbitraryTime, { maxLength: 4 }),
  }),
  { minLength: people.length * 33, maxLength: people.length * 33 },
)

describe('of random schedules and punches', () => {
  test('a shift’s edit, another schedule and other rules do what was told', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryDays,
        arbitraryDays,
        arbitraryShift(fixed),
        arbitraryShift(fixed),
        fc.constantFrom(undefined, dayAt(-14), dayAt(-9)),
        fc.constantFrom('shift' as const, 'schedule' as const, 'rules' as const),
        async (given, planned, before, after, lockedTo, kind) => {
          const mine = await worked.found(people.length)
          await mine.keep(before)
          await mine.keep(fixedShift(other, { onDuty: '08:00' }))
          await mine.keep(weeklyShift(week, 2400))
          const days = daysBetween(from, to)
          const shiftsOf = (plan: typeof given, n: number) =>
            Object.fromEntries(days.map((day, i) => [day, plan[n * days.length + i]?.shifts ?? []]))
          await Promise.all(
            people.map(async n => {
              await mine.schedule(idOf(n), shiftsOf(given, n))
              for (const [i, day] of days.entries())
                if (day < today) await mine.punch(n, day, ...(given[n * days.length + i]?.punches ?? []))
            }),
          )
          await mine.recalculate(spans)
          const company = await mine.table.get(companyKey())
          const stored = await mine.table.get(shiftKey(fixed))
          if (!company || !stored) throw new Error('Nothing here')
          if (lockedTo) await worked.save(mine.table.replace(companyKey(), { ...company, lockedTo }))
          const rows = await rowsOf(mine)
          const locked = { ...company, ...(lockedTo && { lockedTo }), version: company.version + (lockedTo ? 1 : 0) }
          const { version: _, ...engineOwn } = defaultParameters
          const parameters = { ...engineOwn, deductGaps: true, restDayWorkIsOvertime: false, firstWeekday: 3 }
          const book = changeRules(locked, { timezone: zone, parameters }, dayAt(-11))
          const schedule = (employee: string, day: string, held: string[]) =>
            day >= from && day <= to
              ? (shiftsOf(
                  planned,
                  people.findIndex(n => idOf(n) === employee),
                )[day] ?? [])
              : held
          // As a plan brings the shifts it uses: an employee may not have had them before.
          const shifts = Object.fromEntries(
            (await mine.table.getMany([fixed, other, week].map(shiftKey))).flatMap(shift =>
              shift ? [[shift.id, shift]] : [],
            ),
          )
          const preview = await mine.preview(
            spans,
            kind === 'shift'
              ? { shifts: { [fixed]: { ...after, version: stored.version + 1 } } }
              : kind === 'schedule'
                ? { shifts, schedule }
                : { company: company => ({ ...company, ...book }) },
          )
          expect(await rowsOf(mine)).toEqual(rows)

          if (kind === 'shift')
            await worked.save(mine.table.replace(shiftKey(fixed), { ...after, version: stored.version }))
          if (kind === 'schedule') await Promise.all(people.map(n => mine.schedule(idOf(n), shiftsOf(planned, n))))
          if (kind === 'rules') await worked.save(mine.table.replace(companyKey(), { ...locked, ...book }))
          const done = await mine.recalculate(spans)
          const now = await rowsOf(mine)
          const { employees, days: count, before: was, after: is } = preview
          expect({ employees, days: count, before: was, after: is }).toEqual(changed(rows, now))
          expect(done.rows).toBeGreaterThanOrEqual(count)
          const told = preview.list.map(({ employee, day, shift, before, after }) => ({
            ...{ before, after },
            old: rows.get(`${employee} ${day} ${shift}`),
            now: now.get(`${employee} ${day} ${shift}`),
          }))
          for (const { before, after, old, now } of told)
            expect([before, after]).toEqual([old ? toldOf(old) : null, now ? toldOf(now) : null])
          // Opened, the locked days become what they were told to.
          if (!lockedTo) return
          const opened = await mine.table.get(companyKey())
          if (!opened) throw new Error('No company')
          const { lockedTo: _lock, ...open } = opened
          await worked.save(mine.table.replace(companyKey(), open))
          await mine.recalculate(spans)
          // A week the lock had cut is judged whole again, so that days behind the lock change as well.
          const isLockedDay = ([, { day }]: [string, DayRow]) => day <= lockedTo
          const lockedOf = (rows: Map<string, DayRow>) => new Map([...rows].filter(isLockedDay))
          expect(changed(lockedOf(now), lockedOf(await rowsOf(mine))).days).toBe(preview.lockedDays)
        },
      ),
      // Each run takes seconds: the first that fails is told, not made smaller.
      { numRuns: 8, endOnFailure: true },
    )
  })
})

test('what a change does to people one does not manage is counted, and not listed', async () => {
  const mine = await worked.found(people.length)
  await mine.keep(fixedShift(fixed))
  for (const n of people) await mine.schedule(idOf(n), { [dayAt(-1)]: [fixed], [dayAt(5)]: [fixed] })
  await mine.recalculate(spans)
  const work = mine.work()
  work.asker.departments = new Set([departments[1]])
  const supposed = { shifts: { [fixed]: { ...fixedShift(fixed, { offDuty: '17:00' }), version: 2 } } }
  const preview = await mine.preview(spans, supposed, work)
  expect(preview).toMatchObject({ employees: 3, days: 3, hiddenDays: 2, unknownEmployees: 0 })
  expect(preview.list).toMatchObject([
    { employee: idOf(1), day: dayAt(-1), before: { absentMinutes: 480 }, after: { absentMinutes: 420 } },
  ])
  expect(preview.toCome).toEqual({ days: 3, dutyMinutesBefore: 1440, dutyMinutesAfter: 1260 })
})
