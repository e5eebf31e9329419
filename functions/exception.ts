import { canBeAbsent, isMissingPunch } from '../shared/absence.ts'
import type { PathOutput } from '../shared/api.ts'
import { companyKey, isLocked } from '../shared/company.ts'
import { type DayRow, dayRowKey } from '../shared/day.ts'
import { type Employee, employeeKey, nameToSort } from '../shared/employee.ts'
import { type Fields, Problem } from '../shared/errors.ts'
import {
  type ExceptionName,
  type ExceptionState,
  exceptionKey,
  exceptionPaths,
  exceptionPk,
  exceptionStates,
  type RaisedException,
} from '../shared/exception.ts'
import { mostCounted } from '../shared/exception-limit.ts'
import { addDays, localDay } from '../shared/local-day.ts'
import { fullName } from '../shared/person-name.ts'
import { holdsNow, readHolders } from './approve/holder.ts'
import { readCompany } from './company/store.ts'
import { checkRange, readNames } from './day/rows.ts'
import { proposalOf } from './exception/proposal.ts'
import { type Caller, departmentsBelow, manages, type Rights } from './kit/caller.ts'
import { lambda } from './kit/lambda.ts'
import { again, wasSlower } from './kit/table/change.ts'
import { readList } from './kit/table/list.ts'
import { type Item, save, type Where, type Write } from './kit/table.ts'

const rowKeyOf = ({ employee, day, shift }: ExceptionName) => dayRowKey(employee, day, shift, 1)
const instant = (at: number | null | undefined) => (at ? new Date(at).toISOString() : undefined)

type Shown = PathOutput<'exception/grid'>['list'][number]

/** The fixes of an open row. None for a row that `exception/fix` would refuse. */
const fixesOf = (row: DayRow | undefined, { state, type }: RaisedException, isRefused: boolean) => {
  if (!row || state !== 'open' || isRefused) return { canBeAbsent: false }
  const proposal = proposalOf(row, type)
  return {
    canBeAbsent: isMissingPunch(type) && canBeAbsent(row),
    ...(proposal && {
      proposal:
        proposal.kind === 'ignore'
          ? { kind: proposal.kind, punches: proposal.punches.length }
          : { kind: proposal.kind, at: new Date(proposal.at).toISOString() },
    }),
  }
}

/** Adds the person, the shift and the punches of the day, which a manager needs for a decision. */
const show = async (caller: Caller, list: Item<RaisedException>[]): Promise<Shown[]> => {
  const { table } = caller
  const accepters = list.flatMap(({ acceptedBy }) => (acceptedBy ? [{ employee: acceptedBy, shift: null }] : []))
  const [company, rows, names] = await Promise.all([
    readCompany(caller),
    table.getMany(list.map(rowKeyOf)),
    readNames(table, [...list, ...accepters]),
  ])
  return list.map(({ acceptedBy, expiresAt: _, version: _v, ...exception }, i) => {
    const row = rows[i]
    const shift = names.shift(exception.shift)
    const { first_name, last_name, workno } = names.employee(exception.employee)
    return {
      ...exception,
      ...{ first_name, last_name, workno },
      timezone: row?.zone ?? 'UTC',
      isLocked: isLocked(company, exception.day),
      ...fixesOf(row, exception, isLocked(company, exception.day) || !names.isPresent(exception.employee)),
      shiftName: shift?.name,
      shiftColor: shift?.color,
      dutyFrom: instant(row?.dutyFrom),
      dutyTo: instant(row?.dutyTo),
      firstIn: instant(row?.firstIn),
      lastOut: instant(row?.lastOut),
      by: acceptedBy === undefined ? undefined : fullName(names.employee(acceptedBy)),
    }
  })
}

type Asked = ExceptionName & { minutes: number }

/**
 * Moves exceptions from one state to another, all or none. Rejects an exception that left the state or now has other
 * minutes (60006), and one of a locked day (60061). The save requires unchanged rows, so that the manager decides about
 * the shown day.
 */
const move = (
  caller: Caller,
  asked: Asked[],
  from: ExceptionState,
  writes: (exception: Item<RaisedException>) => Write[],
): Promise<void> =>
  again(
    async () => {
      const { table } = caller
      const company = await readCompany(caller)
      const distinct = [...new Map(asked.map(shown => [exceptionKey(from, shown).sk, shown])).values()]
      // Read the rows first, so that the exceptions are at least as new as the rows.
      const rows = await table.getMany(distinct.map(rowKeyOf))
      const exceptions = await table.getMany(distinct.map(name => exceptionKey(from, name)))
      const fields: Fields = {}
      const moves = distinct.flatMap((name, i) => {
        const [exception, row] = [exceptions[i], rows[i]]
        const isMine = row && manages(caller, row.department)
        const isClosed = isLocked(company, name.day)
        if (isMine && !isClosed && exception?.minutes === name.minutes)
          return [table.unchanged(rowKeyOf(name), row), ...writes(exception)]
        fields[`exceptions.${asked.indexOf(name)}`] = !isMine ? 60004 : isClosed ? 60061 : 60006
        return []
      })
      const codes = Object.values(fields)
      const first = ([60004, 60061] as const).find(code => codes.includes(code)) ?? 60006
      if (codes.length > 0) throw new Problem(first, fields)
      // A lock that was saved meanwhile makes this save fail.
      await save(...moves, table.unchanged(companyKey(), company))
    },
    // An error with fields is final. Without fields, retry: a recalculated row may look the same.
    error => wasSlower(error) && error.fields === undefined,
  )

const seesExceptions = 8

/** The departments of a manager. A person who manages no exceptions has none. */
const readManaged = async (caller: Caller, id: string): Promise<Pick<Rights, 'departments'>> => {
  const { table } = caller
  const [{ timezone }, manager] = await Promise.all([readCompany(caller), table.get(employeeKey(id))])
  const rights = manager && (await holdsNow(table, seesExceptions, manager, localDay(timezone, Date.now())))
  return rights ?? { departments: new Set() }
}

/** Imports on demand, because fixes import the whole calculation. */
const loadFix = () => import('./exception/fix.ts')

export const handler = lambda(exceptionPaths, {
  'exception/grid': async ({ filters, size, page }, caller) => {
    const { from, to, department, employee, type, state, manager } = filters
    checkRange(from, to)
    const { table } = caller
    const below = department === undefined ? undefined : await departmentsBelow(table, [department])
    const managed = manager === undefined ? undefined : await readManaged(caller, manager)
    const where: Where[] = []
    if (employee) where.push(['employee', '=', employee])
    if (type) where.push(['type', '=', type])
    const { list, ...rest } = await readList<RaisedException>(table, {
      ranges: (state ? [state] : exceptionStates).map(inState => ({
        pk: exceptionPk(inState),
        ...{ from, to: `${to}#~`, reverse: true },
        where,
      })),
      name: `exception ${JSON.stringify(filters)}`,
      size,
      page,
      keep: ({ department }) =>
        manages(caller, department) &&
        (below?.has(department) ?? true) &&
        (managed === undefined || manages(managed, department)),
    })
    return { list: await show(caller, list), ...rest }
  },

  'exception/count': async (_, caller) => {
    const { lockedTo } = await readCompany(caller)
    const { list } = await readList<RaisedException>(caller.table, {
      // Nobody can fix a locked day.
      ranges: [{ pk: exceptionPk('open'), ...(lockedTo !== undefined && { from: addDays(lockedTo, 1) }) }],
      ...{ name: 'exception count', size: mostCounted },
      keep: exception => manages(caller, exception.department),
    })
    return { count: list.length }
  },

  'exception/manager/all': async (_, caller) => {
    const { timezone } = await readCompany(caller)
    const holders = await readHolders(caller.table, seesExceptions, localDay(timezone, Date.now()))
    const compare = new Intl.Collator(caller.language, { numeric: true }).compare
    const managers: Employee[] = holders.flatMap(({ employee, rights: { departments } }) =>
      [...(departments ?? [])].some(department => manages(caller, department)) ? [employee] : [],
    )
    return {
      list: managers
        .sort((a, b) => compare(nameToSort(a), nameToSort(b)))
        .map(({ id, first_name, last_name, workno }) => ({ employee: id, first_name, last_name, workno })),
    }
  },

  'exception/fix': async (input, caller) => (await loadFix()).fix(caller, input),
  'exception/restore': async (input, caller) => (await loadFix()).restore(caller, input),

  'exception/accept': async ({ exceptions, note }, caller) => {
    const { table, employee } = caller
    await move(caller, exceptions, 'open', ({ version, ...open }) => [
      table.remove(exceptionKey('open', open), version),
      table.insert(exceptionKey('accepted', open), {
        ...open,
        ...{ state: 'accepted', acceptedBy: employee.id, ...(note && { note }) },
        at: new Date().toISOString(),
      }),
    ])
    return {}
  },

  'exception/reopen': async ({ exceptions }, caller) => {
    const { table } = caller
    await move(caller, exceptions, 'accepted', ({ version, acceptedBy: _, note: __, ...accepted }) => [
      table.remove(exceptionKey('accepted', accepted), version),
      table.insert(exceptionKey('open', accepted), { ...accepted, state: 'open', at: new Date().toISOString() }),
    ])
    return {}
  },
})
