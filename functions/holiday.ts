import type { Company } from '../shared/company.ts'
import { departmentKey } from '../shared/department.ts'
import { Problem } from '../shared/errors.ts'
import {
  type Freed,
  freedDays,
  freesTheSame,
  type Holiday,
  holidayKey,
  mostHolidayDays,
  mostHolidays,
  partText,
} from '../shared/holiday/day.ts'
import { holidayPaths } from '../shared/holiday.ts'
import { addDays, countDays, localDay } from '../shared/local-day.ts'
import { searchQuery, searchText } from '../shared/search.ts'
import { readCompany } from './company/store.ts'
import { holidayCountries, publicHolidays } from './holiday/public.ts'
import { addHoliday, changeHoliday, readHolidays, removeHoliday } from './holiday/store.ts'
import { type Caller, manages } from './kit/caller.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { again } from './kit/table/change.ts'
import { type Item, save, type Table } from './kit/table.ts'
import { beginTask, owe, type TouchedKind } from './kit/task.ts'
import { inOrder } from './kit/words.ts'

const mostDays = 366

/** Throws 10002 for wrong days, and for a part of several days, of no time, or of the whole day. */
const checkDays = ({ from, to, part }: Pick<Holiday, 'from' | 'to' | 'part'>, at = '') => {
  const count = countDays(from, to)
  if (count < 1 || count > mostHolidayDays) throw new Problem(10002, { [`${at}to`]: 10002 })
  if (part === undefined) return
  if (count > 1) throw new Problem(10002, { [`${at}part`]: 10002 })
  if (part === 'half') return
  const isTime = (part.from ?? '00:00') < (part.to ?? '24:00')
  if (!isTime) throw new Problem(10002, { [`${at}part.to`]: 10002 })
  if (part.to === undefined && (part.from ?? '00:00') === '00:00')
    throw new Problem(10002, { [`${at}part.from`]: 10002 })
}

/** Throws 60004 for a new department that does not exist. A holiday may keep a deleted department. */
const checkDepartments = async (table: Table, departments: string[] = [], kept: string[] = [], at = '') => {
  const stored = await table.getMany(departments.map(departmentKey))
  const gone = departments.findIndex((id, i) => !kept.includes(id) && (!stored[i] || stored[i].leavingAt))
  if (gone >= 0) throw new Problem(60004, { [`${at}departments.${gone}`]: 60004 })
}

const once = <F extends Pick<Freed, 'departments'>>({ departments, ...form }: F) => ({
  ...form,
  ...(departments && { departments: [...new Set(departments)] }),
})

/** Throws 60002 if there would be more holidays than a calculation reads. */
const checkRoom = async (table: Table, count: number) => {
  if ((await table.count({ pk: holidayKey('').pk })) + count > mostHolidays) throw new Problem(60002)
}

const read = async (table: Table, id: string): Promise<Item<Holiday>> => {
  const holiday = await table.get(holidayKey(id))
  if (!holiday) throw new Problem(60004, { id: 60004 })
  return holiday
}

/** Whether other holidays already free these days for all the departments, or for the company. */
const isFree = (holidays: Freed[], { from, to, part }: Freed, departments: string[] | undefined) =>
  holidays.some(
    holiday =>
      holiday.from <= from &&
      holiday.to >= to &&
      (holiday.part === undefined || partText(holiday.part) === partText(part)) &&
      (!holiday.departments || departments?.every(id => holiday.departments?.includes(id))),
  )

/** Throws 60004 at the field of an unknown country or state. */
const readPublic = async (of: { country: string; state?: string | undefined; year: number }, { language }: Caller) => {
  const holidays = await publicHolidays(of, language)
  if (!holidays) throw new Problem(60004, of.state === undefined ? { country: 60004 } : { state: 60004 })
  return holidays
}

/** Throws 60061 at these fields if a manager has locked all touched days. Allows a change that touches no day. */
const checkLock = ({ lockedTo }: Pick<Company, 'lockedTo'>, touched: Freed[], fields: string[]) => {
  if (lockedTo === undefined || touched.length === 0 || touched.some(({ to }) => to > lockedTo)) return
  throw new Problem(60061, Object.fromEntries(fields.map(field => [field, 60061])))
}

/** Both versions if they differ in days or departments. A new name alone changes no day. */
const ifOtherwise = (before: Freed, after: Freed): Freed[] => (freesTheSame(before, after) ? [] : [before, after])

/**
 * The task that recalculates the touched days; none if all of them are future days without rows. Throws 60061 at these
 * fields if all of them are locked.
 */
const oweDays = async (caller: Caller, kind: TouchedKind, touched: Freed[], fields: string[]) => {
  const company = await readCompany(caller)
  checkLock(company, touched, fields)
  const tomorrow = addDays(localDay(company.timezone, Date.now()), 1)
  const isCalculated = touched.some(({ from }) => from <= tomorrow)
  return owe(caller, kind, isCalculated ? { touched: freedDays(touched) } : undefined)
}

/** Whether another user added the same holiday meanwhile. */
const isThereNow = (error: unknown) => error instanceof Problem && error.code === 60062

export const handler = lambda(holidayPaths, {
  'holiday/grid': async ({ filters, sort, size, page }, { table }) => {
    const search = searchQuery(filters.search ?? '')
    const year = filters.year === undefined ? undefined : String(filters.year)
    const touches = ({ from, to }: Holiday) =>
      year === undefined || (from.slice(0, 4) <= year && to.slice(0, 4) >= year)
    const holidays = (await readHolidays(table))
      .filter(holiday => searchText(holiday.name).includes(search) && touches(holiday))
      .sort((a, b) => inOrder(a[sort.by], b[sort.by]) || inOrder(a.id, b.id))
    if (sort.descending) holidays.reverse()
    const name = `holiday ${JSON.stringify([search, year, sort])}`
    const { list, next } = await table.slice(holidays, { name, size, page })
    return { count: holidays.length, list, ...(next && { next }) }
  },

  'holiday/all': async ({ from, to }, caller) => {
    const count = countDays(from, to)
    if (count < 1 || count > mostDays) throw new Problem(10002, { to: 10002 })
    const holidays = await readHolidays(caller.table, { from, to })
    return {
      list: holidays
        .toSorted((a, b) => inOrder(a.from, b.from))
        .flatMap(({ departments, ...holiday }) => {
          const own = departments?.filter(department => manages(caller, department))
          return own?.length === 0 ? [] : [{ ...holiday, ...(own && { departments: own }) }]
        }),
    }
  },

  'holiday/add': async (input, caller) => {
    const { table } = caller
    const form = once(input)
    checkDays(form)
    await checkDepartments(table, form.departments)
    await checkRoom(table, 1)
    const id = newId()
    const { writes, ...owed } = await oweDays(caller, 'holiday/add', [form], ['from', 'to'])
    await save(...addHoliday(table, { id, ...form }), ...writes)
    return { id, ...owed }
  },

  'holiday/update': async (input, caller) => {
    const { table } = caller
    const form = once(input)
    checkDays(form)
    const before = await read(table, form.id)
    await checkDepartments(table, form.departments, before.departments)
    const { writes, ...owed } = await oweDays(caller, 'holiday/update', ifOtherwise(before, form), ['from', 'to'])
    await save(...changeHoliday(table, before, form), ...writes)
    return owed
  },

  'holiday/delete': async ({ id }, caller) => {
    const { table } = caller
    const holiday = await read(table, id)
    const { writes, ...owed } = await oweDays(caller, 'holiday/delete', [holiday], ['id'])
    await save(...removeHoliday(table, holiday), ...writes)
    return owed
  },

  'holiday/preview': async (input, caller) => {
    const { table } = caller
    const { id, holidays } = input
    const before = id === undefined ? undefined : await read(table, id)
    for (const [i, holiday] of holidays.entries()) {
      checkDays(holiday, `holidays.${i}.`)
      await checkDepartments(table, holiday.departments, before?.departments, `holidays.${i}.`)
    }
    const [only] = holidays
    const isChange = before && only && holidays.length === 1
    const touched = isChange ? ifOtherwise(before, only) : [...(before ? [before] : []), ...holidays]
    const fields = holidays.flatMap((_, i) => [`holidays.${i}.from`, `holidays.${i}.to`])
    checkLock(await readCompany(caller), touched, fields.length > 0 ? fields : ['id'])
    return beginTask(caller, 'holiday/preview', input)
  },

  'holiday/country': async (_, { language }) => ({ list: await holidayCountries(language) }),

  'holiday/public': async ({ departments, ...of }, caller) => {
    await checkDepartments(caller.table, departments)
    const [publicHolidays, stored] = await Promise.all([readPublic(of, caller), readHolidays(caller.table)])
    return {
      list: publicHolidays.map(holiday => ({ ...holiday, isKnown: isFree(stored, holiday, departments) })),
    }
  },

  'holiday/import': async (input, caller) => {
    const { table } = caller
    const { days, departments, ...of } = once(input)
    const publicHolidays = await readPublic(of, caller)
    const begins = new Set(publicHolidays.map(({ from }) => from))
    const missing = days.findIndex(day => !begins.has(day))
    if (missing >= 0) throw new Problem(60004, { [`days.${missing}`]: 60004 })
    await checkDepartments(table, departments)
    const wanted = publicHolidays.filter(({ from }) => days.includes(from))
    return again(async () => {
      const stored = await readHolidays(table)
      const added = wanted
        .filter(holiday => !isFree(stored, holiday, departments))
        .map(holiday => ({ id: newId(), ...holiday, ...(departments && { departments }) }))
      await checkRoom(table, added.length)
      if (added.length === 0) return { added: 0 }
      const { writes, ...owed } = await oweDays(caller, 'holiday/import', added, ['days'])
      await save(...added.flatMap(holiday => addHoliday(table, holiday)), ...writes)
      return { added: added.length, ...owed }
    }, isThereNow)
  },
})
