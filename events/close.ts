import type { Context, ScheduledEvent } from 'aws-lambda'
import { countManaged } from '../functions/department/headcount.ts'
import { advanceErasure } from '../functions/erasure/store.ts'
import { publish } from '../functions/kit/bus.ts'
import { tryEach } from '../functions/kit/each.ts'
import { log } from '../functions/kit/log.ts'
import { change, saves } from '../functions/kit/table/change.ts'
import { directory, openTable, save, type Table } from '../functions/kit/table.ts'
import { companiesBehind, type Stop, timeLimit, walk } from '../functions/kit/walk.ts'
import { dropPastDrafts } from '../functions/schedule/draft.ts'
import { companyKey, mostPeopleOfPart, partsOn, zonesKey } from '../shared/company.ts'
import {
  type Employee,
  employeeKey,
  type FormerEmployee,
  formerEmployeeKey,
  hasLeft,
  isForgotten,
} from '../shared/employee.ts'
import { type Erasure, erasureKey } from '../shared/erasure.ts'
import type { DaysDue, LeaverDue, SummaryDue } from '../shared/fact.ts'
import { addDays, localDay } from '../shared/local-day.ts'
import type { Key } from '../shared/table.ts'

// Calculates a company's last days again at the end of its day: pending days settle and today begins. Also deletes data
// of former employees after the retention period.

const quarterHour = 15 * 60_000
const companiesAtOnce = 32
/** The days to calculate again: a night shift ends after its day, and a terminal may deliver some days later. */
const daysBefore = 3

/** A company whose day ends. `until` is the start of the walk through all companies. */
interface Closing {
  zone: string
  company: string
  until: string
}
/** A failed company. After a successful retry, its days close from the first open one on. */
interface Owed {
  zone: string
  company: string
  firstOpen: string
}

const pk = 'CLOSE'
const doneKey: Key<{ until: string }> = { pk, sk: '-' }
const stopKey: Key<Stop<Closing>> = { pk, sk: 'stop' }
const owedStopKey: Key<Stop<Owed>> = { pk, sk: 'stop-owed' }
const owedKey = (company: string): Key<Owed> => ({ pk, sk: `owed#${company}` })

/** The zones where a day began in the quarter hours after `from` up to `until`. */
const zonesOfNewDays = (zones: string[], from: number, until: number) =>
  zones.filter(zone => localDay(zone, from - quarterHour) !== localDay(zone, until - quarterHour))

/**
 * Doubles the index parts of a grown company, repeatedly if necessary. The new parts begin on the first day without
 * rows.
 */
const addParts = async (table: Table, today: string) => {
  const people = await countManaged({ table, departments: undefined })
  const from = addDays(today, 2)
  await change(table, companyKey(), company => {
    const { dayParts = [] } = company
    const now = partsOn(company, from)
    let parts = now
    while (people > parts * mostPeopleOfPart) parts *= 2
    return parts > now ? { ...company, dayParts: [...dayParts, { from, parts }] } : undefined
  })
}

/** Closes a company's days, from those still open at the last visit to tomorrow. */
const closeCompany = async (company: string, firstOpen: string, today: string) => {
  const table = openTable(company)
  const [from, to] = [addDays(firstOpen, -daysBefore), addDays(today, 1)]
  // Changed rows emit events. Sum the days again anyway, in case an event was lost.
  const due: (DaysDue | LeaverDue | SummaryDue)[] = [{ type: 'summary.due', company, from, to }]
  const hand = (employee: string) =>
    due.push({ type: 'days.due', company, employee, from, to, cause: { kind: 'close' } })
  const forget = (employee: string) => due.push({ type: 'leaver.due', company, employee })
  for await (const { id, endDay } of table.each<Employee>({ pk: employeeKey('').pk, only: ['id', 'endDay'] })) {
    hand(id)
    if (hasLeft({ endDay }, today)) forget(id)
  }
  const settings = await table.get(companyKey())
  // Former employees also have days to settle, up to their last day.
  for await (const former of table.each<FormerEmployee>({
    pk: formerEmployeeKey('').pk,
    only: ['id', 'endDay', 'isLeaving'],
  })) {
    if (!former.endDay || former.endDay >= from) hand(former.id)
    if (former.isLeaving || (settings && isForgotten(former, settings, today))) forget(former.id)
  }
  await publish(due)
  const follow = { job: 'close', atOnce: 1, raisesAlarm: true } as const
  // A failure of these steps causes no retry of all days, because the next day's end repeats the steps.
  await tryEach({ ...follow, nameOf: () => ({ company, step: 'parts' }) }, [today], () => addParts(table, today))
  await tryEach({ ...follow, nameOf: () => ({ company, step: 'drafts' }) }, [table], dropPastDrafts)
  // Check the erasures, because a removed terminal never reports the deletion of an erased person.
  const erasures = await table.all<Erasure>({ pk: erasureKey('').pk })
  await tryEach({ ...follow, nameOf: ({ id }) => ({ company, erasure: id }) }, erasures, ({ id }) =>
    advanceErasure(table, id),
  )
}

/** Closes the days that ended between two instants. Returns whether it visited every company. */
const closeAll = async (from: number, until: string, isTimeUp: () => boolean): Promise<boolean> => {
  const end = Date.parse(until)
  const zones = await directory().all<{ zone: string }>({ pk: zonesKey('').pk })
  const named = new Set(
    zonesOfNewDays(
      zones.map(({ zone }) => zone),
      from,
      end,
    ),
  )
  async function* items(after: Closing | undefined): AsyncGenerator<Closing> {
    // Ignore the position of another walk.
    const mine = after?.until === until ? after : undefined
    for await (const place of companiesBehind(mine, zone => named.has(zone))) yield { ...place, until }
  }
  const keep = async (failed: Closing[]) => {
    // An existing entry covers more days, so it stays.
    for (const { zone, company } of failed)
      await saves(directory().insert(owedKey(company), { zone, company, firstOpen: localDay(zone, from) }))
  }
  const { isWhole, ...sum } = await walk(
    { job: 'close', atOnce: companiesAtOnce, stopKey, items, keep, isTimeUp },
    ({ zone, company }) => closeCompany(company, localDay(zone, from), localDay(zone, end)),
  )
  if (isWhole) await save(directory().put(doneKey, { until }))
  log({ job: 'close', until, zones: zones.length, ...sum, isWhole })
  return isWhole
}

/** Retries the companies that failed in an earlier run. */
const closeOwed = async (owed: Owed[], until: number, isTimeUp: () => boolean): Promise<void> => {
  async function* items(after: Owed | undefined) {
    yield* owed.filter(({ company }) => company > (after?.company ?? ''))
  }
  await walk({ job: 'close', atOnce: companiesAtOnce, stopKey: owedStopKey, items, isTimeUp }, async one => {
    await closeCompany(one.company, one.firstOpen, localDay(one.zone, until))
    await save(directory().remove(owedKey(one.company)))
  })
}

/**
 * Runs every quarter hour and covers all time since it last finished. So a late, repeated or missing run leaves no day
 * open. Finishes an interrupted walk first, up to that walk's own end.
 */
export const handler = async (
  { time }: Pick<ScheduledEvent, 'time'>,
  context?: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> => {
  const isTimeUp = timeLimit(context)
  const struck = new Date(Math.floor(Date.parse(time) / quarterHour) * quarterHour).toISOString()
  const [owed, stop] = await Promise.all([
    directory().all<Owed>({ pk, prefix: owedKey('').sk, only: ['zone', 'company', 'firstOpen'] }),
    directory().get(stopKey),
  ])
  for (const until of stop ? [stop.until, struck] : [struck]) {
    const done = await directory().get(doneKey)
    const from = done ? Date.parse(done.until) : Date.parse(until) - quarterHour
    if (from < Date.parse(until) && !(await closeAll(from, until, isTimeUp))) return
  }
  await closeOwed(owed, Date.parse(struck), isTimeUp)
}
