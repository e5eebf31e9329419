import { alarmNames } from '../../shared/alarm.ts'
import { marginDays } from '../../shared/attendance/calculate.ts'
import { type Employments, isEmployedOn } from '../../shared/attendance/employment.ts'
import { type Company, isLocked } from '../../shared/company.ts'
import { type DayRow, dayRowKey, partOf } from '../../shared/day.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
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

// Finds and repairs work that the stream or a queue has lost: punches in no row, stale rows, wrong summaries, forgotten
// tasks. The sweep repairs without the bus, because the bus may have lost the work. Without a loss the sweep writes
// nothing, so it may run twice or concurrently.

const hour = 3_600_000
/** How long a fact may be in flight or wait for a retry. */
const inFlightMilliseconds = 15 * 60_000

/** The hours between two sweeps of a company. For the cost, see `events/decisions.md`. */
const sweepHours = 6
/** Sweeps in a round. A round of one week calculates the last two months of every employee once. */
const sweepsPerRound = (7 * 24) / sweepHours
const roundDays = 62
/** The number of days that the close of each day calculates anyway. */
const closedDays = 3

const peopleOfPage = 200
const peopleAtOnce = 16
const calculatedAtOnce = 24
/** The most employees in one sweep. The next hourly run sweeps the remaining employees. */
const mostPeople = 5000

const mostTries = 3

/**
 * Publishes forgotten tasks again: tasks that no run holds and that wait for nothing else. Returns their number, and
 * whether a task is calculating days.
 */
export const sweepTasks = async (table: Table, company: string, now: number) => {
  const open = await table.all<OpenTask>({ pk: openTaskKey('').pk })
  const tasks = await table.getMany(open.map(({ by, id }) => taskKey(by, id)))
  let told = 0
  for (const [i, { tries = 0, ...pointer }] of open.entries()) {
    const task = tasks[i]
    const isHeld = task?.run !== undefined && task.run.until > now - inFlightMilliseconds
    const isNew = task !== undefined && Date.parse(task.createdAt) > now - inFlightMilliseconds
    if (!task || isOver(task)) await save(table.remove(openTaskKey(pointer.id)))
    else if (isHeld || isNew || task.step === 'wait' || tries === mostTries) continue
    else {
      // Limit the tries, because a task that always fails is already in the dead-letter queue.
      await save(table.put(openTaskKey(pointer.id), { ...pointer, tries: tries + 1 }))
      await publish([taskDue(company, task)])
      log({ job: 'sweep', company, task: task.id, kind: task.kind, tries: tries + 1 })
      told++
    }
  }
  const isCalculating = tasks.some(
    task => task && calculatingKinds.has(task.kind) && (task.run?.until ?? 0) > now - inFlightMilliseconds,
  )
  return { told, isCalculating }
}

/** The number of a company's sweep at an instant. Companies have different hours, which spreads the load. */
const sweepNumber = (company: string, at: number) =>
  Math.floor((at + partOf(company, sweepHours) * hour) / (sweepHours * hour))

/** Whether a company's sweep is due or unfinished. */
export const isLookDue = (company: string, sweep: Sweep | undefined, now: number): boolean =>
  sweep === undefined ||
  sweep.after !== undefined ||
  sweepNumber(company, now) > sweepNumber(company, Date.parse(sweep.at))

/** The parts of a round that are due, including those of skipped sweeps. */
const dueTurns = (before: number, look: number): Set<number> => {
  const count = Math.min(sweepsPerRound, Math.max(1, look - before))
  return new Set(
    Array.from({ length: count }, (_, i) => (((look - i) % sweepsPerRound) + sweepsPerRound) % sweepsPerRound),
  )
}

type Person = Pick<Employee, 'id' | 'workno' | 'formerWorknos' | keyof Employments>

/** The days of an employee's punches that arrived in a period and are in no row. Undefined without such days. */
const lostDays = async (
  table: Table,
  company: Company,
  person: Person,
  { from, to, since, until }: { from: string; to: string; since: string; until: string },
): Promise<Span | undefined> => {
  const { id, workno, formerWorknos = [] } = person
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
    // Days outside the employment have no rows, and locked days keep theirs.
    .filter(({ day }) => isEmployedOn(person, day) && !isLocked(company, day))
  if (punches.length === 0) return undefined
  const rows = await table.all<DayRow>({
    pk: dayRowKey(id, '', null, 1).pk,
    from: addDays(from, -marginDays),
    only: ['punches'],
  })
  const used = new Set(rows.flatMap(row => row.punches.map(({ key }) => key)))
  const days = punches.flatMap(({ name, day }) => (used.has(name) ? [] : [day])).sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { employee: id, from: addDays(first, -marginDays), to: addDays(last, marginDays) }
}

/** Checks each terminal's users once a week, and as long as one of these users is due. */
const sweepTerminals = async (table: Table, company: string, turns: Set<number>): Promise<void> => {
  const devices = await table.all<Device>({ pk: deviceKey('').pk, only: ['serialNumber'] })
  const owed = await atOnce(peopleAtOnce, devices, async ({ serialNumber: sn }) => {
    if (turns.has(partOf(sn, sweepsPerRound))) return true
    const { list } = await table.page({ pk: dueDeviceUserKey(sn, '').pk, size: 1 })
    return list.length > 0
  })
  await publish(
    devices.filter((_, i) => owed[i]).map(({ serialNumber: sn }) => ({ type: 'device.owed' as const, company, sn })),
  )
}

/**
 * Sweeps a company, or as many of its employees as one run may. Searches for lost punches since the last sweep and
 * recalculates all days of some employees. Summarises today and one other day. Returns the progress and the number of
 * rows repaired.
 */
export const lookOver = async (
  table: Table,
  company: Company,
  sweep: Sweep | undefined,
  now: number,
  most = mostPeople,
): Promise<{ sweep: Sweep; rows: number }> => {
  const began = sweep?.began ? Date.parse(sweep.began) : now
  const at = sweep ? Date.parse(sweep.at) : began - sweepHours * hour
  const today = localDay(company.timezone, began)
  const first = addDays(today, -roundDays)
  const received = {
    from: laterDay(first, addDays(localDay(company.timezone, at), -closedDays)),
    to: today,
    since: iso(at - inFlightMilliseconds),
    until: iso(began - inFlightMilliseconds),
  }
  const [before, look] = [sweepNumber(company.id, at), sweepNumber(company.id, began)]
  const turns = dueTurns(before, look)
  const isTurn = ({ id }: Person) => turns.has(partOf(id, sweepsPerRound))
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
