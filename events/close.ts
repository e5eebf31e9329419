import type { ScheduledEvent } from 'aws-lambda'
import { atOnce } from '../functions/kit/at-once.ts'
import { publish } from '../functions/kit/bus.ts'
import { change } from '../functions/kit/change.ts'
import { advanceErasure } from '../functions/kit/erasure.ts'
import { countManaged } from '../functions/kit/headcount.ts'
import { log } from '../functions/kit/log.ts'
import { directory, openTable, save, type Table } from '../functions/kit/table.ts'
import { companyKey, mostPeopleOfPart, partsOn, zoneKey, zonesKey } from '../shared/company.ts'
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

// As each company's day ends, its people's last days are computed again: what was pending settles, and today begins. And it is
// looked at who has left, for what may be kept of them no longer.

const quarterHour = 15 * 60_000
/** One after the other, a run would be over before 10,000 companies of one zone are through. */
const companiesAtOnce = 32
/** A night shift closes, and a terminal may deliver, some days after the day it belongs to. */
const daysBefore = 3

const doneKey: Key<{ until: string }> = { pk: 'CLOSE', sk: '-' }

/** The zones in which a day began within the quarter hours after `from` up to `until`. */
const zonesOfNewDays = (zones: string[], from: number, until: number) =>
  zones.filter(zone => localDay(zone, from - quarterHour) !== localDay(zone, until - quarterHour))

/** Where people have become many, days that can have no rows yet are kept in twice as many parts, or as often twice as it takes. */
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

/** From the days that were still open when somebody last looked, to tomorrow. */
const closeCompany = async (company: string, firstOpen: string, today: string) => {
  const table = openTable(company)
  const [from, to] = [addDays(firstOpen, -daysBefore), addDays(today, 1)]
  // Whoever's rows change tells it; days are summed up anew all the same, should anything have been lost.
  const due: (DaysDue | LeaverDue | SummaryDue)[] = [{ type: 'summary.due', company, from, to }]
  const hand = (employee: string) =>
    due.push({ type: 'days.due', company, employee, from, to, cause: { kind: 'close' } })
  const forget = (employee: string) => due.push({ type: 'leaver.due', company, employee })
  for await (const { id, endDay } of table.each<Employee>({ pk: employeeKey('').pk, only: ['id', 'endDay'] })) {
    hand(id)
    if (hasLeft({ endDay }, today)) forget(id)
  }
  const settings = await table.get(companyKey())
  // Who has left has days to settle too, up to the last.
  for await (const former of table.each<FormerEmployee>({
    pk: formerEmployeeKey('').pk,
    only: ['id', 'endDay', 'isLeaving'],
  })) {
    if (!former.endDay || former.endDay >= from) hand(former.id)
    if (former.isLeaving || (settings && isForgotten(former, settings, today))) forget(former.id)
  }
  await publish(due)
  await addParts(table, today)
  // A terminal that was given up tells nobody that it has forgotten whom it was to forget.
  for (const { id } of await table.all<Erasure>({ pk: erasureKey('').pk })) await advanceErasure(table, id)
}

/**
 * Runs every quarter hour and looks at all time since it last finished, so that a run that came late, twice or not at all
 * leaves no day unsettled.
 */
export const handler = async ({ time }: Pick<ScheduledEvent, 'time'>): Promise<void> => {
  const until = Math.floor(Date.parse(time) / quarterHour) * quarterHour
  const done = await directory().get(doneKey)
  const from = done ? Date.parse(done.until) : until - quarterHour
  if (from >= until) return
  const zones = await directory().all<{ zone: string }>({ pk: zonesKey('').pk })
  let companies = 0
  const named = zones.map(({ zone }) => zone)
  for (const zone of zonesOfNewDays(named, from, until)) {
    const all = await directory().all<{ company: string }>({ pk: zoneKey(zone, '').pk })
    await atOnce(companiesAtOnce, all, ({ company }) =>
      closeCompany(company, localDay(zone, from), localDay(zone, until)),
    )
    companies += all.length
  }
  await save(directory().put(doneKey, { until: new Date(until).toISOString() }))
  log({ job: 'close', until: new Date(until).toISOString(), zones: zones.length, companies })
}
