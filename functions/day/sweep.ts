import { alarmNames } from '../../shared/alarm.ts'
import { marginDays } from '../../shared/attendance/calculate.ts'
import { type Company, isLocked } from '../../shared/company.ts'
import { type DayRow, dayRowKey, partOf } from '../../shared/day.ts'
import { type Device, deviceKey } from '../../shared/device.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { addDays, iso, laterDay, localDay } from '../../shared/local-day.ts'
import { type Punch, punchKey, punchName } from '../../shared/punch.ts'
import type { Sweep } from '../../shared/sweep.ts'
import { calculatingKinds, isOver, type OpenTask, openTaskKey, taskDue, taskKey } from '../../shared/task.ts'
import { dueDeviceUserKey } from '../../shared/terminal/user.ts'
import { publish } from '../kit/bus.ts'
import { atOnce } from '../kit/each.ts'
import { faultOf, log } from '../kit/log.ts'
import { save, type Table } from '../kit/table.ts'
import { calculateDays } from './calculate.ts'
import { sumDay } from './summary-write.ts'
import type { Span } from './walk.ts'

// What the stream or a queue has lost is found by looking: punches that stand in no row, days that come out otherwise than their
// rows say, sums that are not those of their rows, tasks that nobody does. What is found is done here and at once: it was the way
// by the bus that lost it. Where nothing was lost nothing is written, so it may be looked at twice, and by two at once.

const hour = 3_600_000
/** A fact may still be on its way, or be tried again. */
const onItsWayMilliseconds = 15 * 60_000

/** How often a company is looked over. `events/decisions.md` says what that costs. */
const lookHours = 6
/** In a week everybody's days of the last two months are calculated once, so many people in each look. */
const looksOfRound = (7 * 24) / lookHours
const roundDays = 62
/** These are calculated at the end of each day anyway. */
const closedDays = 3

const peopleOfPage = 200
const peopleAtOnce = 16
const calculatedAtOnce = 24
/** Whoever comes behind them in a company is looked at an hour later. */
const mostPeople = 5000

const mostTries = 3

/** Tasks that wait for nobody, and that nobody does, are told again; whether one calculates days just now. */
export const sweepTasks = async (table: Table, company: string, now: number) => {
  const open = await table.all<OpenTask>({ pk: openTaskKey('').pk })
  const tasks = await table.getMany(open.map(({ by, id }) => taskKey(by, id)))
  let told = 0
  for (const [i, { tries = 0, ...one }] of open.entries()) {
    const task = tasks[i]
    const isHeld = task?.run !== undefined && task.run.until > now - onItsWayMilliseconds
    const isNew = task !== undefined && Date.parse(task.createdAt) > now - onItsWayMilliseconds
    if (!task || isOver(task)) await save(table.remove(openTaskKey(one.id)))
    else if (isHeld || isNew || task.step === 'wait' || tries === mostTries) continue
    else {
      // What fails however often it is told lies among the dead letters already.
      await save(table.put(openTaskKey(one.id), { ...one, tries: tries + 1 }))
      await publish([taskDue(company, task)])
      log({ job: 'sweep', company, task: task.id, kind: task.kind, tries: tries + 1 })
      told++
    }
  }
  const isCalculating = tasks.some(
    task => task && calculatingKinds.has(task.kind) && (task.run?.until ?? 0) > now - onItsWayMilliseconds,
  )
  return { told, isCalculating }
}

/** Which look of a company a moment belongs to; companies are looked over one hour and another. */
const lookOf = (company: string, at: number) =>
  Math.floor((at + partOf(company, lookHours) * hour) / (lookHours * hour))

/** Whether a company is to be looked over, or further. */
export const isLookDue = (company: string, sweep: Sweep | undefined, now: number): boolean =>
  sweep === undefined || sweep.after !== undefined || lookOf(company, now) > lookOf(company, Date.parse(sweep.at))

/** Of what is looked at once in a round: whose turn it is, with those of the looks that were left out. */
const turnsOf = (before: number, look: number): Set<number> => {
  const count = Math.min(looksOfRound, Math.max(1, look - before))
  return new Set(Array.from({ length: count }, (_, i) => (((look - i) % looksOfRound) + looksOfRound) % looksOfRound))
}

type Person = Pick<Employee, 'id' | 'workno' | 'formerWorknos' | 'hireDay' | 'endDay'>

/** The days of what was received of somebody in some time and stands in no row; none where all is known. */
const lostDays = async (
  table: Table,
  company: Company,
  { id, workno, formerWorknos = [], hireDay = '', endDay = '9999' }: Person,
  { from, to, since, until }: { from: string; to: string; since: string; until: string },
): Promise<Span | undefined> => {
  const lists = await Promise.all(
    [workno, ...formerWorknos].map(number =>
      table.all<Punch>({
        ...{ pk: punchKey({ number, localTime: '', sn: '' }).pk, from, to: `${to}T99` },
        only: ['number', 'localTime', 'sn', 'receivedAt'],
      }),
    ),
  )
  const punches = lists
    .flat()
    .filter(({ receivedAt }) => receivedAt >= since && receivedAt < until)
    .map(punch => ({ name: punchName(punch), day: punch.localTime.slice(0, 10) }))
    // On days that have no rows, or keep theirs, nobody looks for it.
    .filter(({ day }) => day >= hireDay && day <= endDay && !isLocked(company, day))
  if (punches.length === 0) return undefined
  const rows = await table.all<DayRow>({
    pk: dayRowKey(id, '', null, 1).pk,
    from: addDays(from, -marginDays),
    only: ['punches'],
  })
  const known = new Set(rows.flatMap(row => row.punches.map(({ key }) => key)))
  const days = punches.flatMap(({ name, day }) => (known.has(name) ? [] : [day])).sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { employee: id, from: addDays(first, -marginDays), to: addDays(last, marginDays) }
}

/** Each terminal's people are looked at once a week, and as long as somebody waits to be. */
const sweepTerminals = async (table: Table, company: string, turns: Set<number>): Promise<void> => {
  const devices = await table.all<Device>({ pk: deviceKey('').pk, only: ['serialNumber'] })
  const owed = await atOnce(peopleAtOnce, devices, async ({ serialNumber: sn }) => {
    if (turns.has(partOf(sn, looksOfRound))) return true
    const { list } = await table.page({ pk: dueDeviceUserKey(sn, '').pk, size: 1 })
    return list.length > 0
  })
  await publish(
    devices.filter((_, i) => owed[i]).map(({ serialNumber: sn }) => ({ type: 'device.owed' as const, company, sn })),
  )
}

/**
 * Looks over a company, or as many of its people as one run may: for punches since the last look that stand in no row, at all days
 * of some, and at the sums of today and of one day more. Answers how far it came, and how many rows were not as they should be.
 */
export const lookOver = async (
  table: Table,
  company: Company,
  sweep: Sweep | undefined,
  now: number,
  most = mostPeople,
): Promise<{ sweep: Sweep; rows: number }> => {
  const began = sweep?.began ? Date.parse(sweep.began) : now
  const at = sweep ? Date.parse(sweep.at) : began - lookHours * hour
  const today = localDay(company.timezone, began)
  const first = addDays(today, -roundDays)
  const received = {
    from: laterDay(first, addDays(localDay(company.timezone, at), -closedDays)),
    to: today,
    since: iso(at - onItsWayMilliseconds),
    until: iso(began - onItsWayMilliseconds),
  }
  const [before, look] = [lookOf(company.id, at), lookOf(company.id, began)]
  const turns = turnsOf(before, look)
  const isTurn = ({ id }: Person) => turns.has(partOf(id, looksOfRound))
  const round = {
    from: company.lockedTo === undefined ? first : laterDay(first, addDays(company.lockedTo, 1)),
    to: addDays(today, -closedDays),
  }

  let [after, rows, seen] = [sweep?.after, 0, 0]
  do {
    const page = await table.part<Employee>({
      ...{ pk: employeeKey('').pk, after, size: Math.min(peopleOfPage, most - seen) },
    })
    const people = page.rows.map(({ item }) => item)
    const lost = await atOnce(peopleAtOnce, people, person => lostDays(table, company, person, received))
    const spans = [
      ...lost.flatMap(span => span ?? []),
      ...(round.from <= round.to ? people.filter(isTurn).map(({ id }) => ({ employee: id, ...round })) : []),
    ]
    for (let i = 0; i < spans.length; i += calculatedAtOnce) {
      const done = await calculateDays(table, spans.slice(i, i + calculatedAtOnce), { kind: 'sweep' })
      rows += done.rows
      for (const { span, error } of done.stuck)
        log({ job: 'sweep', alarm: alarmNames.failed, company: company.id, ...span, fault: faultOf(error) })
    }
    seen += page.rows.length
    after = page.reached
  } while (after !== undefined && seen < most)
  if (after !== undefined) return { sweep: { at: iso(at), began: iso(began), after }, rows }
  await sweepTerminals(table, company.id, turns)
  await sumDay(table, company, today)
  await sumDay(table, company, addDays(today, -1 - (look % roundDays)))
  return { sweep: { at: iso(began) }, rows }
}
