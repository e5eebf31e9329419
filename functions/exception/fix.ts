import { type Absence, absenceKey, canBeAbsent, isMissingPunch } from '../../shared/absence.ts'
import type { PathInput, PathOutput } from '../../shared/api.ts'
import { type Company, companyKey, isLocked } from '../../shared/company.ts'
import { type CalculatedRow, type DayRow, dayRowKey } from '../../shared/day.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import { exceptionKey, exceptionMinutes, type RaisedException } from '../../shared/exception.ts'
import { mostFixWrites, writesPerFix } from '../../shared/exception-limit.ts'
import { localDay } from '../../shared/local-day.ts'
import { readCompany } from '../company/store.ts'
import { employeesAtOnce, walkDays } from '../day/walk.ts'
import { type Caller, manages, managesEmployee } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { again, isContended } from '../kit/table/change.ts'
import { type Item, save, type Write } from '../kit/table.ts'
import { addition, type Change, changeOf, checkDays, checkRule, readEmployee, writeOf } from '../record/correction.ts'
import { type Proposal, proposalOf } from './proposal.ts'

// Fixes exceptions: carries out the proposal of each, or marks its shift as absent. All or none.

type Form = PathInput<'exception/fix'>
type Asked = Form['exceptions'][number]
type Fixed = PathOutput<'exception/fix'>

const rowKeyOf = ({ employee, day, shift }: Pick<DayRow, 'employee' | 'day' | 'shift'>) =>
  dayRowKey(employee, day, shift, 1)
const placeOf = ({ employee, day, shift }: Pick<DayRow, 'employee' | 'day' | 'shift'>) => `${employee} ${day} ${shift}`

/** Everything that a fix depends on. */
interface Subject {
  asked: Asked
  row: Item<DayRow>
  /** The row as calculated now. */
  now: CalculatedRow
  exception: Item<RaisedException>
  person: Item<Employee>
  absence: Item<Absence> | undefined
}

/** The result of one fix: its writes, and what undoes them. */
interface Outcome extends Fixed {
  writes: Write[]
  changes: Change[]
}

/** The rows as calculated now, where they differ from the stored ones. A row without a result no longer exists. */
const readCurrent = async (
  { table }: Caller,
  asked: Asked[],
): Promise<ReadonlyMap<string, CalculatedRow | undefined>> => {
  const days = new Map(asked.map(({ employee, day }) => [`${employee} ${day}`, { employee, from: day, to: day }]))
  const { walked, stuck } = await walkDays(table, [...days.values()], {})
  if (stuck[0]) throw stuck[0].error
  return new Map(
    walked.flatMap(({ employee, changes }) =>
      changes.flatMap(({ before, after }) => {
        const row = after ?? before
        return row ? [[placeOf({ ...row, employee: employee.id }), after] as const] : []
      }),
    ),
  )
}

/**
 * The subjects, or the code against each. A stored row lags behind a correction that another manager just made, so the
 * days are calculated again.
 */
const readSubjects = async (caller: Caller, company: Company, asked: Asked[]): Promise<(Subject | Problem)[]> => {
  const { table } = caller
  // Read the rows first, so that the exceptions are at least as new as the rows.
  const rows = await table.getMany(asked.map(rowKeyOf))
  const [exceptions, people, absences, current] = await Promise.all([
    table.getMany(asked.map(name => exceptionKey('open', name))),
    table.getMany(asked.map(({ employee }) => employeeKey(employee))),
    table.getMany(asked.map(absenceKey)),
    readCurrent(caller, asked),
  ])
  return asked.map((name, i) => {
    const [row, exception, person, absence] = [rows[i], exceptions[i], people[i], absences[i]]
    if (!row || !person || !manages(caller, row.department) || !managesEmployee(caller, person))
      return new Problem(60004)
    if (person.id === caller.employee.id) return new Problem(60088)
    if (isLocked(company, row.day)) return new Problem(60061)
    const place = placeOf(row)
    const now = current.has(place) ? current.get(place) : row
    const isStale = !now?.exceptions.includes(name.type) || exceptionMinutes(now, name.type) !== name.minutes
    if (!now || exception?.minutes !== name.minutes || isStale) return new Problem(60006)
    return { asked: name, row, now, exception, person, absence }
  })
}

const named = ({ employee, day, shift }: Asked) => ({ employee, day, shift })
const isSameName = (one: Asked, other: Asked) => exceptionKey('open', one).sk === exceptionKey('open', other).sk

/** Marks the shift as absent. Throws 10002 for a row that lacks no punch of a shift with clock times. */
const markAbsent = (caller: Caller, { asked, now, absence }: Subject, reason: string): Outcome => {
  if (!isMissingPunch(asked.type) || !canBeAbsent(now)) throw new Problem(10002)
  const { table, employee } = caller
  const made = { reason, by: employee.id, madeAt: new Date().toISOString() }
  const mark: Absence = { ...named(asked), minutes: asked.minutes, ...made }
  const key = absenceKey(mark)
  return {
    writes: [absence ? table.replace(key, { ...mark, version: absence.version }) : table.insert(key, mark)],
    changes: [],
    punches: [],
    absences: [{ ...named(asked), version: (absence?.version ?? 0) + 1 }],
  }
}

/** Throws 60006 if the proposal has another time than the one that the manager confirmed. */
const checkShown = (proposal: Proposal | undefined, { at }: Asked): void => {
  if (at === undefined) return
  const now = proposal && proposal.kind !== 'ignore' ? proposal.at : undefined
  if (now !== Date.parse(at)) throw new Problem(60006)
}

/**
 * The corrections that carry out the proposal. Throws 10002 without one, 60006 for another one than the manager saw, and
 * the errors of `record/add`.
 */
const changesOf = async (
  caller: Caller,
  company: Company,
  { asked, now, person }: Subject,
  reason: string,
): Promise<Change[]> => {
  const { employee } = asked
  const proposal = proposalOf(now, asked.type)
  checkShown(proposal, asked)
  if (!proposal || (proposal.kind !== 'ignore' && proposal.at > Date.now())) throw new Problem(10002)
  if (proposal.kind !== 'ignore') {
    const day = localDay(now.zone, proposal.at)
    await checkRule(caller, company, person, { employee, action: 'add', date: day })
    const inout = proposal.kind === 'in' ? 0 : 1
    return [addition(caller, company, employee, { at: new Date(proposal.at).toISOString(), day, inout, reason })]
  }
  return atOnce(employeesAtOnce, proposal.punches, async punch => {
    const form = { employee, action: 'ignore' as const, punch }
    await checkRule(caller, company, person, form)
    return changeOf(caller, company, person, form, reason)
  })
}

const fixAsProposed = async (caller: Caller, company: Company, subject: Subject, reason: string): Promise<Outcome> => {
  const { asked, person } = subject
  const changes = await changesOf(caller, company, subject, reason)
  await atOnce(employeesAtOnce, changes, change => checkDays(caller, company, person, change))
  return {
    changes,
    writes: changes.map(change => writeOf(caller, change, asked, change.present?.version)),
    punches: changes.map(({ punch, present }) => ({
      ...{ employee: asked.employee, punch },
      version: (present?.version ?? 0) + 1,
    })),
    absences: [],
  }
}

/** The first code of a problem, whose field belongs to another form. */
const codeOf = ({ code, fields = {} }: Problem) => Object.values(fields)[0] ?? code

/** Runs for each item, and collects the codes under `<list>.<index>`. Throws them all; 60004 comes first. */
const judgeEach = async <T, R>(list: string, items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> => {
  const fields: Fields = {}
  const results = await atOnce(employeesAtOnce, [...items.entries()], async ([i, item]) => {
    try {
      return [await run(item)]
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      fields[`${list}.${i}`] = codeOf(error)
      return []
    }
  })
  refuse(fields)
  return results.flat()
}

const refuse = (fields: Fields): void => {
  const codes = Object.values(fields)
  const [first] = codes
  if (first !== undefined) throw new Problem(codes.includes(60004) ? 60004 : first, fields)
}

const minuteOf = ({ next }: Change) =>
  next?.at !== undefined && !next.isIgnored ? Math.floor(Date.parse(next.at) / 60_000) : undefined

/** Throws 60089 for the second of two exceptions that would add a punch in the same minute. */
const checkEachOther = (fixes: { index: number; employee: string; changes: Change[] }[]): void => {
  const taken = new Set<string>()
  const fields: Fields = {}
  for (const { index, employee, changes } of fixes)
    for (const minute of changes.map(minuteOf)) {
      if (minute === undefined) continue
      if (taken.has(`${employee} ${minute}`)) fields[`exceptions.${index}`] = 60089
      taken.add(`${employee} ${minute}`)
    }
  refuse(fields)
}

/** Throws 10002 at the first exception whose writes no longer fit into one transaction. */
const checkSize = (fixes: { index: number; writes: Write[] }[]): void => {
  let sum = 0
  for (const { index, writes } of fixes) {
    sum += writesPerFix + writes.length
    if (sum > mostFixWrites) refuse({ [`exceptions.${index}`]: 10002 })
  }
}

/** Whether the save lost against a parallel one. An error with fields is final. */
const isLost = (error: unknown) => isContended(error) && !(error instanceof Problem && error.fields)

const fixAll = async (caller: Caller, { exceptions, action, reason }: Form): Promise<Fixed> => {
  const { table } = caller
  const company = await readCompany(caller)
  const subjects = await readSubjects(caller, company, exceptions)
  const fixes = await judgeEach('exceptions', subjects, async subject => {
    if (subject instanceof Problem) throw subject
    const { asked, row, exception } = subject
    const index = exceptions.indexOf(asked)
    const isRepeated = exceptions.findIndex(other => isSameName(other, asked)) < index
    if (isRepeated) return []
    const outcome = await (action === 'absent'
      ? markAbsent(caller, subject, reason)
      : fixAsProposed(caller, company, subject, reason))
    // Replacing the exception makes a parallel fix of another manager fail.
    const guards = [table.unchanged(rowKeyOf(asked), row), table.replace(exceptionKey('open', exception), exception)]
    return [{ ...outcome, index, employee: asked.employee, guards }]
  })
  const outcomes = fixes.flat()
  checkEachOther(outcomes)
  checkSize(outcomes)
  const writes = outcomes.flatMap(({ guards, writes }) => [...guards, ...writes])
  // A lock or another rule that was saved meanwhile makes this save fail.
  await save(...writes, table.unchanged(companyKey(), company))
  return {
    punches: outcomes.flatMap(({ punches }) => punches),
    absences: outcomes.flatMap(({ absences }) => absences),
  }
}

/** Whether a punch exists in the minute of an added one. */
const isTaken = (error: unknown) => error instanceof Problem && Object.values(error.fields ?? {}).includes(60089)

export const fix = (caller: Caller, form: Form): Promise<Fixed> => {
  let timesTaken = 0
  return again(async () => {
    try {
      return await fixAll(caller, form)
    } catch (error) {
      // Another manager may just have added the punch. The next attempt then finds the exception fixed.
      throw isTaken(error) && ++timesTaken === 1 ? new Problem(60006) : error
    }
  }, isLost)
}

type Taken = PathInput<'exception/restore'>

/** The write that removes a mark of absence. Throws 60004, 60088, 60061 and 60006. */
const removalOf = async (
  caller: Caller,
  company: Company,
  { version, ...name }: Taken['absences'][number],
): Promise<Write> => {
  const { table } = caller
  await readEmployee(caller, name.employee)
  const [row, absence] = await Promise.all([table.get(rowKeyOf(name)), table.get(absenceKey(name))])
  if (row && !manages(caller, row.department)) throw new Problem(60004)
  if (isLocked(company, name.day)) throw new Problem(60061)
  if (absence?.version !== version) throw new Problem(60006)
  return table.remove(absenceKey(name), version)
}

/** The write that restores a punch. Throws the errors of `record/restore`. */
const restorationOf = async (
  caller: Caller,
  company: Company,
  { employee, punch, version }: Taken['punches'][number],
): Promise<Write> => {
  const person = await readEmployee(caller, employee)
  const form = { employee, action: 'restore' as const, punch }
  await checkRule(caller, company, person, form)
  const change = await changeOf(caller, company, person, form, '')
  await checkDays(caller, company, person, change)
  return writeOf(caller, change, form, version)
}

const restoreAll = async (caller: Caller, { punches, absences }: Taken): Promise<Record<string, never>> => {
  const { table } = caller
  const company = await readCompany(caller)
  const removals = await judgeEach('absences', absences, async absence => {
    const write = await removalOf(caller, company, absence)
    return [absenceKey(absence).sk, absence.employee, write] as const
  })
  const restorations = await judgeEach('punches', punches, async punch => {
    const write = await restorationOf(caller, company, punch)
    return [punch.punch, punch.employee, write] as const
  })
  // A repeated entry counts once, because a transaction takes one write for each item.
  const writes = [removals, restorations].flatMap(list => [
    ...new Map(list.map(([name, employee, write]) => [`${employee} ${name}`, write])).values(),
  ])
  if (writes.length > mostFixWrites) throw new Problem(10002, { punches: 10002 })
  if (writes.length > 0) await save(...writes, table.unchanged(companyKey(), company))
  return {}
}

/** A second attempt names the entry that another manager changed meanwhile. */
export const restore = (caller: Caller, taken: Taken): Promise<Record<string, never>> =>
  again(() => restoreAll(caller, taken), isLost)
