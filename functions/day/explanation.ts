import { type Absence, absenceKey, isMarkedAbsent } from '../../shared/absence.ts'
import { type Company, isLocked } from '../../shared/company.ts'
import type { Cause, DayRow } from '../../shared/day.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Explanation, ToldDay, ToldPunch } from '../../shared/explanation.ts'
import { type Figures, figuresOf, noFigures } from '../../shared/figure.ts'
import { kindsOfRow } from '../../shared/hours/row.ts'
import { addDays } from '../../shared/local-day.ts'
import { printedFigures, printedKinds, reportParamsOf } from '../../shared/measure.ts'
import { managerSn, requestSn } from '../../shared/punch.ts'
import {
  type Correction,
  correctionPk,
  dayOfPunch,
  isAddedPunch,
  mostMovedDays,
} from '../../shared/record/correction.ts'
import { countedAt } from '../../shared/record/version.ts'
import { requestOfPunch } from '../../shared/request.ts'
import { zoneOn } from '../../shared/rule.ts'
import { type Shift, shiftKey } from '../../shared/shift.ts'
import { readNamesFor } from '../employee/store.ts'
import { explainKinds } from '../hours/explain.ts'
import type { Caller } from '../kit/caller.ts'
import type { Item, Table } from '../kit/table.ts'

// Day rows for display, with the names of their shifts and terminals, and the rules behind their figures.

const instant = (at: number) => new Date(at).toISOString()
const instantOrNone = (at: number | null) => (at === null ? undefined : instant(at))

/** The shifts with these ids. Deleted shifts are missing. */
export const readShiftsById = async (
  table: Table,
  ids: Iterable<string | null>,
): Promise<ReadonlyMap<string | null, Shift>> => {
  const shiftIds = [...new Set(ids)].filter(id => id !== null)
  const shifts = await table.getMany(shiftIds.map(shiftKey))
  return new Map(shifts.flatMap(shift => (shift ? [[shift.id, shift] as const] : [])))
}

const tellDay = (company: Company, shift: Shift | undefined, row: DayRow, figures: ToldFigures): ToldDay => ({
  day: row.day,
  timezone: row.zone,
  shift: shift?.name ?? (row.shift === null ? undefined : ''),
  shiftColor: shift?.color,
  kind: row.kind,
  state: row.state,
  isLocked: isLocked(company, row.day),
  dutyFrom: instantOrNone(row.dutyFrom),
  dutyTo: instantOrNone(row.dutyTo),
  firstIn: instantOrNone(row.firstIn),
  lastOut: instantOrNone(row.lastOut),
  ...figures,
  breakMinutes: row.breakMinutes,
  exceptions: row.exceptions,
  week: row.week,
})

type ToldFigures = Figures & Pick<ToldDay, 'kinds'>
type FiguresOf = (row: DayRow) => ToldFigures

const withKinds = (figures: Figures, kinds: ToldDay['kinds']): ToldFigures => ({ ...figures, ...(kinds && { kinds }) })
const storedOf: FiguresOf = row => withKinds(figuresOf(row), kindsOfRow(row))

/** The figures of a row as the company prints them, equal to those in its reports. */
export const printedOf = (company: Company): FiguresOf => {
  const params = reportParamsOf(company)
  return row => withKinds(printedFigures(figuresOf(row), params), printedKinds(row, params))
}

/** The rows for display. `figures` gives the figures of each row. */
export const tellDays = async (
  table: Table,
  company: Company,
  rows: DayRow[],
  figures: FiguresOf = printedOf(company),
): Promise<ToldDay[]> => {
  const shifts = await readShiftsById(
    table,
    rows.map(({ shift }) => shift),
  )
  return rows.map(row => tellDay(company, shifts.get(row.shift), row, figures(row)))
}

/**
 * The serial number of a used punch. The key contains number, local time and serial number, or names a request or a
 * manager's punch.
 */
const deviceOf = (key: string) => {
  if (requestOfPunch(key) !== undefined) return requestSn
  return isAddedPunch(key) ? managerSn : (key.split('#')[2] ?? '')
}

/** The punches of each row, in order. */
export const tellPunches = async (table: Table, rows: Pick<DayRow, 'punches'>[]): Promise<ToldPunch[][]> => {
  const serialNumbers = [...new Set(rows.flatMap(({ punches }) => punches.map(({ key }) => deviceOf(key))))]
  const devices = await table.getMany(serialNumbers.map(deviceKey))
  const names = new Map(serialNumbers.map((serialNumber, i) => [serialNumber, devices[i]?.name]))
  return rows.map(({ punches }) =>
    punches.map(({ at, use, key }) => {
      const device = deviceOf(key)
      return { id: key, at: instant(at), use, device, deviceName: names.get(device), request: requestOfPunch(key) }
    }),
  )
}

/** The causes of calculations, with the author's name if the caller may see that person. */
const readCauses = async (caller: Caller, rows: DayRow[]): Promise<(cause: Cause) => Explanation['cause']> => {
  const causes = rows.flatMap(({ cause, history = [] }) => [cause, ...history.map(former => former.cause)])
  const names = await readNamesFor(
    caller,
    causes.flatMap(({ by }) => by ?? []),
  )
  return ({ kind, by }) => ({ kind, by: names.get(by ?? '') })
}

interface Corrected extends Pick<ToldPunch, 'id' | 'at' | 'device' | 'deviceName' | 'correction'> {
  counts: boolean
}

const tellCorrection = (correction: Item<Correction>, name: string): ToldPunch['correction'] => {
  const { reason, madeAt, recordedAt, at, inout, isIgnored = false, state = 'counts', version } = correction
  const { objectBy, agreedAt, objection } = correction
  return { reason, by: name, madeAt, recordedAt, at, inout, isIgnored, state, objectBy, agreedAt, objection, version }
}

/** The corrections around an employee's rows, by punch key. */
const readCorrections = async (caller: Caller, rows: DayRow[]): Promise<Map<string, Corrected>> => {
  const [first] = rows
  if (!first) return new Map()
  const days = rows.map(({ day }) => day).sort()
  const corrections = await caller.table.all<Correction>({
    pk: correctionPk(first.employee),
    from: addDays(days[0] ?? '', -mostMovedDays),
    to: `${addDays(days.at(-1) ?? '', 1 + mostMovedDays)}~`,
  })
  const [names, devices] = await Promise.all([
    readNamesFor(
      caller,
      corrections.map(({ by }) => by),
    ),
    caller.table.getMany(corrections.map(({ punch }) => deviceKey(deviceOf(punch)))),
  ])
  return new Map(
    corrections.map((correction, i) => [
      correction.punch,
      {
        ...{ id: correction.punch, at: correction.at ?? correction.recordedAt ?? correction.madeAt },
        ...{ device: deviceOf(correction.punch), deviceName: devices[i]?.name },
        correction: tellCorrection(correction, names.get(correction.by) ?? ''),
        counts: countedAt(correction) !== undefined,
      },
    ]),
  )
}

/** The marks of absence of the rows, in their order. */
const readAbsences = async (caller: Caller, rows: DayRow[]): Promise<Explanation['absence'][]> => {
  const absences: (Item<Absence> | undefined)[] = await caller.table.getMany(rows.map(absenceKey))
  const names = await readNamesFor(
    caller,
    absences.flatMap(absence => absence?.by ?? []),
  )
  return absences.map((absence, i) => {
    const row = rows[i]
    if (!absence || !row) return undefined
    const { reason, by, madeAt, minutes, shift, version } = absence
    return { reason, by: names.get(by) ?? '', madeAt, minutes, counts: isMarkedAbsent(row), shift, version }
  })
}

const belongsTo = (row: DayRow, { id, at }: Corrected) =>
  dayOfPunch(id) === row.day ||
  (row.dutyFrom !== null && Date.parse(at) > row.dutyFrom && Date.parse(at) <= row.closesAt)

/**
 * The corrected punches that do not count, by row, each once. Omits punches that a row still uses until its
 * recalculation.
 */
const ignoredPunches = (corrections: Map<string, Corrected>, rows: DayRow[]): Explanation['ignored'][] => {
  const counted = new Set(rows.flatMap(({ punches }) => punches.map(({ key }) => key)))
  const ignored = [...corrections.values()].filter(({ id, counts }) => !counts && !counted.has(id))
  return rows.map(row =>
    ignored
      .filter(punch => rows.find(other => belongsTo(other, punch)) === row)
      .map(({ counts: _, ...punch }) => punch),
  )
}

/** An empty row for a day without rows, to show its corrected punches that do not count. */
const emptyRow = (company: Company, day: string, { employee, by, madeAt }: Correction): DayRow => ({
  ...{ day, shift: null, shiftVersion: null, zone: zoneOn(company, day), kind: 'rest', state: 'final' },
  ...{ closesAt: Date.parse(`${day}T23:59:00Z`), dutyFrom: null, dutyTo: null, firstIn: null, lastOut: null },
  ...{ ...noFigures(), breakMinutes: 0, longBreakMinutes: 0, leaveTypes: {}, exceptions: [], punches: [], reasons: [] },
  ...{ inputHash: '', engineVersion: 0, parametersVersion: 0, employee, department: '', calculatedAt: madeAt },
  cause: { kind: 'correction', by },
})

/**
 * The rows of an employee's day. Without rows, returns an empty row if the day has a corrected punch that does not
 * count.
 */
export const rowsToExplain = async (
  table: Table,
  company: Company,
  { employee, day }: { employee: string; day: string },
  rows: DayRow[],
): Promise<DayRow[]> => {
  if (rows.length > 0) return rows
  const range = { pk: correctionPk(employee), from: day, to: `${day}~` }
  const idle = (await table.all<Correction>(range)).find(correction => countedAt(correction) === undefined)
  return idle ? [emptyRow(company, day, idle)] : []
}

/** The rows of one employee, with everything that explains their figures. */
export const explainDays = async (caller: Caller, company: Company, rows: DayRow[]): Promise<Explanation[]> => {
  const [days, punches, tellCause, corrections, absences, hours] = await Promise.all([
    tellDays(caller.table, company, rows, storedOf),
    tellPunches(caller.table, rows),
    readCauses(caller, rows),
    readCorrections(caller, rows),
    readAbsences(caller, rows),
    explainKinds(caller.table, rows),
  ])
  const params = reportParamsOf(company)
  const ignored = ignoredPunches(corrections, rows)
  return rows.flatMap((row, i) => {
    const [day, ownPunches = []] = [days[i], punches[i]]
    if (!day) return []
    return {
      ...day,
      closesAt: instant(row.closesAt),
      longBreakMinutes: row.longBreakMinutes,
      checkMinutes: row.checkMinutes,
      printed: printedFigures(figuresOf(row), params),
      punches: ownPunches.map(punch => ({ ...punch, correction: corrections.get(punch.id)?.correction })),
      ignored: ignored[i] ?? [],
      hours: hours[i],
      absence: absences[i],
      // Durations without a clock position start at 0.
      reasons: row.reasons.map(([rule, from, to]) => ({
        rule,
        minutes: to - from,
        ...(from !== 0 && { from: instant(from * 60_000), to: instant(to * 60_000) }),
      })),
      shiftVersion: row.shiftVersion ?? undefined,
      parametersVersion: row.parametersVersion,
      engineVersion: row.engineVersion,
      calculatedAt: row.calculatedAt,
      cause: tellCause(row.cause),
      history: (row.history ?? [])
        .map(({ at, cause, kind, figures, exceptions, kinds }) => ({
          ...{ at, cause: tellCause(cause), kind, exceptions, kinds },
          // Earlier versions stored fewer figures.
          figures: { ...noFigures(), ...figures },
        }))
        .reverse(),
    }
  })
}
