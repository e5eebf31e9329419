import type { ScheduledEvent } from 'aws-lambda'
import { publish } from '../functions/kit/bus.ts'
import { log } from '../functions/kit/log.ts'
import { directory, openTable, save } from '../functions/kit/table.ts'
import { zoneKey, zonesKey } from '../shared/company.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../shared/employee.ts'
import type { DaysDue } from '../shared/fact.ts'
import { addDays, localDay } from '../shared/local-day.ts'
import type { Key } from '../shared/table.ts'

// As each company's day ends, its people's last days are computed again: what was pending settles, and today begins.

const quarterHour = 15 * 60_000
/** A night shift closes, and a terminal may deliver, some days after the day it belongs to. */
const daysBefore = 3

const doneKey: Key<{ until: string }> = { pk: 'CLOSE', sk: '-' }

/** The zones in which a day began within the quarter hours after `from` up to `until`. */
const zonesOfNewDays = (zones: string[], from: number, until: number) =>
  zones.filter(zone => localDay(zone, from - quarterHour) !== localDay(zone, until - quarterHour))

/** From the days that were still open when somebody last looked, to tomorrow. */
const closeCompany = async (company: string, firstOpen: string, today: string) => {
  const table = openTable(company)
  const [from, to] = [addDays(firstOpen, -daysBefore), addDays(today, 1)]
  const due: DaysDue[] = []
  const hand = (employee: string) => due.push({ type: 'days.due', company, employee, from, to })
  for await (const { id } of table.each<Employee>({ pk: employeeKey('').pk, only: ['id'] })) hand(id)
  // Who has left has days to settle too, up to the last.
  for await (const { id, endDay } of table.each<Employee>({ pk: formerEmployeeKey('').pk, only: ['id', 'endDay'] }))
    if (!endDay || endDay >= from) hand(id)
  await publish(due)
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
  for (const zone of zonesOfNewDays(
    zones.map(({ zone }) => zone),
    from,
    until,
  ))
    for await (const { company } of directory().each<{ company: string }>({ pk: zoneKey(zone, '').pk })) {
      await closeCompany(company, localDay(zone, from), localDay(zone, until))
      companies++
    }
  await save(directory().put(doneKey, { until: new Date(until).toISOString() }))
  log({ job: 'close', until: new Date(until).toISOString(), zones: zones.length, companies })
}
