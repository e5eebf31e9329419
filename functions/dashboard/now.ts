import type { PathInput, PathOutput } from '../../shared/api.ts'
import { photoKey } from '../../shared/employee.ts'
import { iso } from '../../shared/local-day.ts'
import { browserSn, type Punch, punchKey } from '../../shared/punch.ts'
import { compareIn, isIn, type Who, type WhoList } from '../../shared/who.ts'
import { readCompany } from '../company/store.ts'
import { readShiftsById, tellPunches } from '../day/explanation.ts'
import { findEmployees } from '../employee/store.ts'
import { type Caller, departmentsBelow } from '../kit/caller.ts'
import { openFiles } from '../kit/files.ts'
import type { Table } from '../kit/table.ts'
import { readWho } from './who.ts'

// One list of the people now, with the counts of all lists.

type Now = PathOutput<'dashboard/now'>

/** The places of browser punches, by the keys that rows use. */
const readPlaces = async (table: Table, keys: string[]): Promise<Map<string, string>> => {
  const named = keys.flatMap(key => {
    const [number = '', localTime = '', sn = ''] = key.split('#')
    return sn === browserSn ? [{ key, number, localTime, sn }] : []
  })
  const punches: (Punch | undefined)[] = await table.getMany(named.map(punchKey))
  return new Map(named.flatMap(({ key }, i) => (punches[i]?.place ? [[key, punches[i].place] as const] : [])))
}

const instant = (at: number | null | undefined) => (typeof at === 'number' ? iso(at) : undefined)

/** Adds names, photos, shifts and terminals to people. */
export const showNow = async (caller: Caller, list: Who[], today: string, timezone: string): Promise<Now['list']> => {
  const { table, company, permissions } = caller
  const [people, shifts, punches, places] = await Promise.all([
    findEmployees(
      table,
      list.map(({ employee }) => employee),
    ),
    readShiftsById(
      table,
      list.map(({ row }) => row?.shift ?? null),
    ),
    tellPunches(
      table,
      list.map(({ punch, since }) => ({ punches: punch && since ? [{ at: since, key: punch, use: 'in' }] : [] })),
    ),
    readPlaces(
      table,
      list.flatMap(({ punch }) => punch ?? []),
    ),
  ])
  const byId = new Map(people.map(person => [person.id, person]))
  const maySeeType = permissions.has(8) || permissions.has(10)
  return Promise.all(
    list.map(async ({ row, punch, since, breakSince, leaveType, ...who }, i) => {
      const person = byId.get(who.employee)
      const shift = shifts.get(row?.shift ?? null)
      const { device, deviceName } = punches[i]?.[0] ?? {}
      return {
        ...who,
        ...{ first_name: person?.first_name ?? '–', last_name: person?.last_name ?? '', workno: person?.workno ?? '' },
        ...(person?.photo && { photo: await openFiles(company).address(photoKey(person.id), person.photo) }),
        ...{ day: row?.day ?? today, timezone: row?.zone ?? timezone, since: instant(since) },
        ...{ device, deviceName, place: punch && places.get(punch), breakSince: instant(breakSince) },
        ...(maySeeType && { leaveType }),
        ...{ shift: shift?.name, shiftColor: shift?.color },
        ...{ dutyFrom: instant(row?.dutyFrom), dutyTo: instant(row?.dutyTo) },
      }
    }),
  )
}

export const listNow = async (
  { filters: { list, department }, size, page }: PathInput<'dashboard/now'>,
  caller: Caller,
): Promise<Now> => {
  const company = await readCompany(caller)
  const within = department === undefined ? undefined : await departmentsBelow(caller.table, [department])
  const { today, people } = await readWho(caller, company, within)
  const wanted = people.filter(who => isIn(who, list)).sort(compareIn(list))
  const { list: shown, next } = await caller.table.slice(
    wanted.map(who => ({ ...who, id: who.employee })),
    { name: `dashboard now ${list} ${department ?? ''}`, size, page },
  )
  const count = (name: WhoList) => people.filter(who => isIn(who, name)).length
  return {
    counts: {
      ...{ in: count('in'), late: count('late'), missing: count('missing') },
      ...{ leave: count('leave'), finished: count('finished') },
    },
    absent: people.filter(({ isAbsent }) => isAbsent).length,
    list: await showNow(
      caller,
      shown.map(({ id: _, ...who }) => who),
      today,
      company.timezone,
    ),
    count: wanted.length,
    ...(next && { next }),
  }
}
