import { hasSameHours } from '../shared/attendance/zone.ts'
import { type Employee, employeeKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { addDays, countDays, daysBetween, laterDay, localDay } from '../shared/local-day.ts'
import { fullName } from '../shared/person-name.ts'
import { mostBoardDays } from '../shared/schedule/limit.ts'
import { monthOf } from '../shared/schedule/month.ts'
import { type ScheduleEntry, type SchedulePlan, schedulePaths } from '../shared/schedule.ts'
import { shiftKey, shiftUseKey } from '../shared/shift.ts'
import { taskKey } from '../shared/task.ts'
import { readCompany } from './company/store.ts'
import { checkManaged } from './department/store.ts'
import { eachEmployee, listEmployees } from './employee/list.ts'
import { type Caller, managesEmployee } from './kit/caller.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { type Item, openCursor, sealCursor, type Table } from './kit/table.ts'
import { beginTask } from './kit/task.ts'
import { planDays } from './schedule/days.ts'
import { discardDrafts, listDrafted, mostDaysAhead, readDrafts, readFirstDay, readListed } from './schedule/draft.ts'
import { readAway, readBoardLeaves } from './schedule/leave.ts'
import { hashOf, keepPlan, peopleOf } from './schedule/plan.ts'
import { claimShifts, type Months, readMonths, releaseShifts, shiftsOn } from './schedule/store.ts'
import { addTemplate, deleteTemplate, listTemplates, updateTemplate } from './schedule/template.ts'
import { warnOfPlan } from './schedule/warning.ts'
import { daysOf } from './schedule/write.ts'
import { beginImport } from './sheet/begin.ts'

/** People per page of a search, and the most pages that one call reads. */
const [searchedPeople, searchedPages] = [50, 20]
/**
 * The people whose months one read counts, the parallel reads, and the most people. 10,000 people with two months need
 * 200 queries, five at a time. Above the maximum, the call would near its time limit, so the caller must choose a
 * department.
 */
const [summedPeople, summedAtOnce, mostSummed] = [100, 5, 20_000]

/**
 * Throws 59040 if the browser's zone has other hours than the company's on these days. Another name of the zone is
 * fine.
 */
const checkTimezone = (zone: string, caller: Caller, days: string[]) => {
  if (!hasSameHours(caller.timezone ?? zone, zone, days)) throw new Problem(59040)
}

const readEmployees = async (
  caller: Caller,
  ids: string[],
  field = (i: number) => `employees.${i}`,
): Promise<Item<Employee>[]> => {
  const employees = await caller.table.getMany(ids.map(employeeKey))
  return employees.map((employee, i) => {
    if (!employee || !managesEmployee(caller, employee)) throw new Problem(60004, { [field(i)]: 60004 })
    return employee
  })
}

const checkRange = (from: string, to: string, field: string) => {
  const count = countDays(from, to)
  if (count < 1 || count > mostBoardDays) throw new Problem(10002, { [field]: 10002 })
}

/** Assigns a shift to days of employees. `combine` returns the new shifts of a day. */
const assign = async (
  { employees: ids, days, shift }: { employees: string[]; days: string[]; shift: string },
  caller: Caller,
  combine: (shifts: string[]) => string[],
) => {
  const { table } = caller
  const { timezone: zone } = await readCompany(caller)
  checkTimezone(zone, caller, days)
  const [first = '', last = ''] = [days.toSorted()[0], days.toSorted().at(-1)]
  if (countDays(first, last) > mostBoardDays) throw new Problem(10002, { days: 10002 })
  const refused = days.findIndex(day => day < localDay(zone, Date.now()))
  if (refused >= 0) throw new Problem(60019, { [`days.${refused}`]: 60019 })
  const employees = await readEmployees(caller, [...new Set(ids)])
  const claim = newId()
  await claimShifts(table, claim, [shift], { shift: 60004 })
  try {
    return await planDays({ table, zone, employees, days, plan: combine })
  } finally {
    await releaseShifts(table, claim, [shift])
  }
}

/** The employees who have a shift in the months of these days. Includes all who have it on one of the days. */
const readUsers = async (table: Table, shift: string, days: string[]): Promise<Set<string>> => {
  const { pk } = shiftUseKey(shift, '', '')
  const months = [...new Set(days.map(monthOf))]
  const uses = await Promise.all(
    months.map(month => table.all<{ employee: string }>({ pk, prefix: `${month}#`, only: ['employee'] })),
  )
  return new Set(uses.flat().map(({ employee }) => employee))
}

interface BoardFilters {
  from: string
  to: string
  department?: string | undefined
  search?: string | undefined
  shift?: string | undefined
}

/** The drafts on these days, which a filter by shift also finds. */
const draftedIn = (months: Months | undefined, days: ReadonlySet<string>): [day: string, shifts: string[]][] =>
  [...(months?.values() ?? [])].flatMap(({ draft }) => Object.entries(draft)).filter(([day]) => days.has(day))

/** The shifts on these days. A day without shifts has no entry. */
const heldOn = (months: Months | undefined, days: string[]): [day: string, shifts: string[]][] =>
  days.flatMap(day => {
    const shifts = months ? shiftsOn(months, day) : []
    return shifts.length > 0 ? [[day, shifts] satisfies [string, string[]]] : []
  })

interface BoardPage {
  name: string
  size: number
  page?: string | undefined
  /** The employees who can have the filtered shift; undefined means all. */
  among: ReadonlySet<string> | undefined
}

/**
 * Throws 10002 for an invalid range. Returns the employees who can have the filtered shift; undefined without that
 * filter.
 */
const openBoard = async ({ table }: Caller, { from, to, shift }: BoardFilters) => {
  checkRange(from, to, 'filters.to')
  return shift === undefined ? undefined : readUsers(table, shift, daysBetween(from, to))
}

/**
 * One page of people with the shifts of their days. With a shift filter, only people who have that shift on one of the
 * days.
 */
const readBoard = async (
  caller: Caller,
  { from, to, department, search, shift }: BoardFilters,
  { name, size, page, among }: BoardPage,
) => {
  const days = daysBetween(from, to)
  const { list, count, next } = await listEmployees(caller, {
    name: `${name} ${from} ${to} ${shift ?? ''}`,
    filters: { department, search },
    sort: { by: 'name', descending: false },
    size,
    page,
    among,
  })
  const byEmployee = await readMonths(
    caller.table,
    list.map(({ id }) => id),
    days,
  )
  const shown = new Set(days)
  const rows = list
    .map(employee => {
      const months = byEmployee.get(employee.id)
      return { employee, days: heldOn(months, days), draft: draftedIn(months, shown) }
    })
    .filter(
      ({ days, draft }) => shift === undefined || [...days, ...draft].some(([, shifts]) => shifts.includes(shift)),
    )
  return { rows, ...(count !== undefined && { count: rows.length }), ...(next && { next }) }
}

const hour = 3_600_000

/** Whether the caller has previewed exactly this plan within the last hour. */
const isPreviewed = async ({ table, employee }: Caller, hash: string, preview: string | undefined) => {
  const task = preview === undefined ? undefined : await table.get(taskKey(employee.id, preview))
  if (task?.kind !== 'schedule/preview' || task.state !== 'done' || !task.finishedAt) return false
  return (task.input as { plan: string }).plan === hash && Date.now() - Date.parse(task.finishedAt) <= hour
}

/** The people of a plan. Throws 60004 at the first whom the caller does not manage. */
const readPlanned = (caller: Caller, plan: SchedulePlan): Promise<Item<Employee>[]> => {
  const places = plan.rows.flatMap(({ employees }, row) =>
    employees.map((id, place) => ({ id, field: `plan.rows.${row}.employees.${place}` })),
  )
  return readEmployees(
    caller,
    places.map(({ id }) => id),
    i => places[i]?.field ?? 'plan.rows',
  )
}

/** Checks a plan before the conflict check. Throws 59040, 60061 or 60004. */
const checkPlan = async (caller: Caller, plan: SchedulePlan): Promise<{ days: string[]; today: string }> => {
  const { table } = caller
  const { timezone: zone, lockedTo = '' } = await readCompany(caller)
  const days = daysOf(peopleOf(plan))
  checkTimezone(zone, caller, days)
  const last = days.at(-1)
  if (last !== undefined && last <= lockedTo) throw new Problem(60061, { 'plan.from': 60061 })
  const shifts = await table.getMany(plan.shifts.map(shiftKey))
  const deleted = shifts.findIndex(shift => !shift || shift.leavingAt)
  if (deleted >= 0) throw new Problem(60004, { [`plan.shifts.${deleted}`]: 60004 })
  await readPlanned(caller, plan)
  return { days, today: localDay(zone, Date.now()) }
}

export const handler = lambda(schedulePaths, {
  'schedule/grid': async ({ filters, size, page }, caller) => {
    const among = await openBoard(caller, filters)
    const [{ rows, ...rest }, leavesOf] = await Promise.all([
      readBoard(caller, filters, { name: 'schedule', size, page, among }),
      readBoardLeaves(caller, filters),
    ])
    // The draft of a past or locked day cannot be published, so it no longer counts.
    const first = rows.some(({ draft }) => draft.length > 0) ? await readFirstDay(caller.table) : ''
    return {
      ...rest,
      list: rows.map(({ employee: { id, first_name, last_name, workno, department }, days, draft }) => {
        const drafted = draft.filter(([day]) => day >= first)
        return {
          ...{ employee: id, first_name, last_name, workno, department },
          days: Object.fromEntries(days),
          ...(drafted.length > 0 && { draft: Object.fromEntries(drafted) }),
          leaves: leavesOf(id),
        }
      }),
    }
  },

  'schedule/search': async ({ filters, size, page }, caller) => {
    const { table } = caller
    const { shift } = filters
    const binding = `${table.prefix}schedule search ${JSON.stringify(filters)}`
    // The position from which to continue: a page of people and an entry within it. `end` replaces an entry that no
    // longer exists.
    const start: { people?: string; after?: string; end?: number } =
      page === undefined ? {} : await openCursor(page, binding)
    let { people, after, end = 0 } = start
    const among = await openBoard(caller, filters)
    const list: (Omit<ScheduleEntry, 'shiftName'> & { key: string })[] = []
    let next: string | undefined
    for (let pages = 1; next === undefined; pages++) {
      const wanted = { name: 'schedule search', size: searchedPeople, page: people, among }
      const part = await readBoard(caller, filters, wanted)
      const entries = part.rows.flatMap(({ employee, days }) =>
        days.flatMap(([day, shiftIds]) =>
          shiftIds
            .filter(id => shift === undefined || id === shift)
            .map(id => ({
              ...{ key: `${employee.id} ${day} ${id}`, employee: employee.id, name: fullName(employee) },
              ...{ workno: employee.workno, day, shift: id },
            })),
        ),
      )
      const first = after === undefined ? 0 : entries.findIndex(({ key }) => key === after) + 1 || end
      const batch = entries.slice(first, first + size - list.length)
      list.push(...batch)
      if (first + batch.length < entries.length)
        next = await sealCursor({ people, after: batch.at(-1)?.key ?? after, end: first + batch.length }, binding)
      else if (!part.next) break
      else if (list.length === size || pages === searchedPages) next = await sealCursor({ people: part.next }, binding)
      ;[people, after, end] = [part.next, undefined, 0]
    }
    const shifts = await table.getMany(list.map(({ shift }) => shiftKey(shift)))
    return {
      list: list.map(({ key: _, ...entry }, i) => ({ ...entry, shiftName: shifts[i]?.name ?? '' })),
      ...(page === undefined && !next && { count: list.length }),
      ...(next && { next }),
    }
  },

  'schedule/summary': async ({ from, to, department, search }, caller) => {
    checkRange(from, to, 'to')
    await checkManaged(caller, department)
    const days = daysBetween(from, to)
    const counts = new Map<string, Map<string, number>>(days.map(day => [day, new Map()]))
    const awayCounts = new Map(days.map(day => [day, 0]))
    let employees = 0
    const isAway = await readAway(caller, { from, to })
    const add = async (people: string[]) => {
      for (const employee of people)
        for (const day of days) if (isAway(employee, day)) awayCounts.set(day, (awayCounts.get(day) ?? 0) + 1)
      for (const [employee, months] of await readMonths(caller.table, people, days))
        for (const [day, shifts] of heldOn(months, days)) {
          if (isAway(employee, day)) continue
          const ofDay = counts.get(day)
          for (const shift of shifts) ofDay?.set(shift, (ofDay.get(shift) ?? 0) + 1)
        }
    }
    let portions: string[][] = [[]]
    const sort = { by: 'name' as const, descending: false }
    for await (const { id } of eachEmployee(caller, { filters: { department, search }, sort })) {
      if (++employees > mostSummed) throw new Problem(60002, { department: 60002 })
      if (portions.at(-1)?.push(id) !== summedPeople) continue
      if (portions.length === summedAtOnce) {
        await Promise.all(portions.map(add))
        portions = []
      }
      portions.push([])
    }
    await Promise.all(portions.map(add))
    return {
      employees,
      list: [...counts].flatMap(([day, ofDay]) => [...ofDay].map(([shift, employees]) => ({ day, shift, employees }))),
      away: [...awayCounts].flatMap(([day, employees]) => (employees > 0 ? [{ day, employees }] : [])),
    }
  },

  'schedule/plan': async ({ plan, preview }, caller) => {
    const { days, today } = await checkPlan(caller, plan)
    const hash = hashOf(plan)
    const isPast = days[0] !== undefined && days[0] < today
    if (isPast && !(await isPreviewed(caller, hash, preview)))
      throw new Problem(60019, { [preview === undefined ? 'plan.from' : 'preview']: 60019 })
    await keepPlan(caller, plan)
    return beginTask(caller, 'schedule/plan', { plan: hash })
  },

  'schedule/preview': async ({ plan }, caller) => {
    await checkPlan(caller, plan)
    await keepPlan(caller, plan)
    return beginTask(caller, 'schedule/preview', { plan: hashOf(plan) })
  },

  'schedule/check': async ({ plan }, caller) => {
    const { lockedTo } = await readCompany(caller)
    return warnOfPlan(caller, peopleOf(plan, lockedTo), await readPlanned(caller, plan))
  },

  'schedule/draft/update': async ({ plan }, caller) => {
    const { days, today } = await checkPlan(caller, plan)
    if (!(await readCompany(caller)).draftsSchedule) throw new Problem(60073)
    if (days[0] !== undefined && days[0] < today) throw new Problem(60019, { 'plan.from': 60019 })
    if ((days.at(-1) ?? '') > addDays(today, mostDaysAhead)) throw new Problem(10002, { 'plan.from': 10002 })
    await keepPlan(caller, plan)
    return beginTask(caller, 'schedule/draft/update', { plan: hashOf(plan) })
  },

  'schedule/draft/grid': async ({ filters, size, page }, caller) => {
    const { table } = caller
    const { department, from = '', to = '' } = filters
    if (to !== '' && to < from) throw new Problem(10002, { 'filters.to': 10002 })
    const range = await readListed(table, filters)
    const drafted = await listDrafted(caller, filters, range)
    const name = `schedule draft ${department ?? ''} ${from} ${to}`
    const { list, ...paging } = await table.slice(drafted, { name, size, page })
    const marks = list.flatMap(({ marks }) => marks)
    const drafts = await readDrafts(table, marks, range)
    const days = [...drafts.values()].flatMap(days => days.map(({ day }) => day)).sort()
    const [first, last] = [days[0], days.at(-1)]
    const isAway = first && last ? await readAway(caller, { from: first, to: last }) : () => false
    return {
      list: list.map(({ employee: { id, first_name, last_name, workno, department } }) => ({
        ...{ employee: id, first_name, last_name, workno, department },
        days: (drafts.get(id) ?? []).map(drafted => ({
          ...drafted,
          isAway: drafted.after.length > 0 && isAway(id, drafted.day),
        })),
      })),
      count: drafted.length,
      ...paging,
    }
  },

  'schedule/draft/summary': async (filters, caller) => {
    await checkManaged(caller, filters.department)
    const { from = '', to } = filters
    if (to !== undefined && to < from) throw new Problem(10002, { to: 10002 })
    const [{ draftsSchedule = false }, range] = await Promise.all([
      readCompany(caller),
      readListed(caller.table, filters),
    ])
    const drafted = await listDrafted(caller, filters, range)
    return {
      draftsSchedule,
      employees: drafted.length,
      days: drafted.reduce((sum, { days }) => sum + days, 0),
    }
  },

  'schedule/draft/delete': async ({ employees: ids, ...range }, caller) => {
    const employees = await readEmployees(caller, [...new Set(ids)])
    return discardDrafts(caller.table, employees, range)
  },

  'schedule/publish': async ({ employees: ids, from, to }, caller) => {
    const { timezone: zone, lockedTo = '' } = await readCompany(caller)
    const employees = [...new Set(ids)]
    await readEmployees(caller, employees)
    const today = localDay(zone, Date.now())
    checkTimezone(zone, caller, [laterDay(from ?? '', today)])
    if (to !== undefined && to <= lockedTo) throw new Problem(60061, { to: 60061 })
    return beginTask(caller, 'schedule/publish', {
      employees,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    })
  },

  'schedule/export': async (input, caller) => {
    const { from, to } = input.filters
    checkRange(from, to, 'filters.to')
    return beginTask(caller, 'schedule/export', input)
  },

  'schedule/import': async (input, caller) => {
    const { timezone: zone } = await readCompany(caller)
    checkTimezone(zone, caller, [localDay(zone, Date.now())])
    return beginImport(caller, 'schedule/import', input)
  },

  'schedule/add': (input, caller) =>
    assign(input, caller, shifts => (shifts.includes(input.shift) ? shifts : [...shifts, input.shift])),

  'schedule/update': (input, caller) => assign(input, caller, () => [input.shift]),

  'schedule/clear': async ({ employees: ids, from, to }, caller) => {
    const { table } = caller
    const { timezone: zone } = await readCompany(caller)
    checkRange(from, to, 'to')
    const days = daysBetween(laterDay(from, localDay(zone, Date.now())), to)
    checkTimezone(zone, caller, days)
    const employees = await readEmployees(caller, [...new Set(ids)])
    return planDays({ table, zone, employees, days, plan: () => [] })
  },

  'schedule/delete': async ({ employee, day, shift }, caller) => {
    const { table } = caller
    const { timezone: zone } = await readCompany(caller)
    checkTimezone(zone, caller, [day])
    if (day < localDay(zone, Date.now())) throw new Problem(60019, { day: 60019 })
    const employees = await readEmployees(caller, [employee], () => 'employee')
    const plan = (shifts: string[]) => {
      // Before the save, which would drop the draft of the day.
      if (!shifts.includes(shift)) throw new Problem(60004, { shift: 60004 })
      return shifts.filter(other => other !== shift)
    }
    await planDays({ table, zone, employees, days: [day], plan })
    return {}
  },

  'schedule/template/grid': listTemplates,

  'schedule/template/add': async (form, caller) => ({ id: await addTemplate(caller, form) }),

  'schedule/template/update': async (form, caller) => {
    await updateTemplate(caller, form)
    return {}
  },

  'schedule/template/delete': async ({ id }, caller) => {
    await deleteTemplate(caller, id)
    return {}
  },
})
