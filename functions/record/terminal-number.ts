import { companyKey, isLocked } from '../../shared/company.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { worknoKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Punch, punchKey, punchName } from '../../shared/punch.ts'
import { correctionKey } from '../../shared/record/correction.ts'
import {
  type AssignedNumber,
  assignedNumberPk,
  type FormerNumbering,
  formerNumberingKey,
  formerNumberPk,
} from '../../shared/record/orphan.ts'
import type { LogRecord } from '../../shared/terminal/ai-face.ts'
import { type NumberParts, namesOf, numberOn, partsOfNumber, storedNumber } from '../../shared/terminal/number-owner.ts'
import { atOnce } from '../kit/each.ts'
import { again } from '../kit/table/change.ts'
import { type Item, save, type Table, type Write } from '../kit/table.ts'
import { moveOvertaken, positionNow } from './order.ts'
import { punchesPk } from './orphan.ts'

// The numbers of a terminal. A punch is stored under the name of its number, and the name decides whose punch it is. A
// change of the terminal's list moves stored punches to other names.

export interface NumberEntry extends AssignedNumber {
  number: string
  from: string | undefined
  version: number
}

const entryOf = (assigned: Item<AssignedNumber>): NumberEntry => {
  const { number, from } = partsOfNumber(assigned.workno)
  return { ...assigned, number, from }
}

/** The write that keeps the numbering of a deleted terminal. */
export const keepNumbering = (
  table: Table,
  { serialNumber, isOwnNumbering, hasOwnNumbers }: Pick<Device, 'serialNumber' | 'isOwnNumbering' | 'hasOwnNumbers'>,
): Write[] => {
  if (!hasOwnNumbers) return []
  const former: FormerNumbering = { serialNumber, ...(isOwnNumbering !== undefined && { isOwnNumbering }) }
  return [table.put(formerNumberingKey(serialNumber), former)]
}

/**
 * The numbering of a terminal that the company deleted and adds again. Its list and its punches are still there, and it
 * sends the punches again. The list alone also counts, because earlier deletions kept nothing else.
 */
export const readNumbering = async (
  table: Table,
  serialNumber: string,
): Promise<Pick<Device, 'isOwnNumbering' | 'hasOwnNumbers'>> => {
  const [former, entries] = await Promise.all([
    table.get(formerNumberingKey(serialNumber)),
    readEntries(table, serialNumber),
  ])
  if (!former && entries.length === 0) return {}
  return {
    hasOwnNumbers: true,
    ...(former?.isOwnNumbering !== undefined && { isOwnNumbering: former.isOwnNumbering }),
  }
}

/** The list of a terminal. */
export const readEntries = async (table: Table, serialNumber: string): Promise<NumberEntry[]> =>
  (await table.all<AssignedNumber>({ pk: assignedNumberPk(serialNumber) })).map(entryOf)

/** The entries of one number, without those of longer numbers that begin with it. */
export const readEntriesOf = async (table: Table, serialNumber: string, number: string): Promise<NumberEntry[]> => {
  const name = storedNumber({ number, serialNumber })
  return (await table.all<AssignedNumber>({ pk: assignedNumberPk(serialNumber), from: name, to: `${name}~` }))
    .map(entryOf)
    .filter(entry => entry.number === number)
}

/** The removed entries of a terminal, or of one of its numbers. */
const readFormer = async (table: Table, serialNumber: string, number?: string): Promise<NumberParts[]> =>
  (await table.all<{ workno: string }>({ pk: formerNumberPk(serialNumber) }))
    .map(({ workno }) => partsOfNumber(workno))
    .filter(former => number === undefined || former.number === number)

/**
 * The stored number of each record. Undefined for a record that is already stored under another name of its number: on
 * a locked day it stays there when the list changes. Terminals without numbers of their own cost one read.
 */
export const placeNumbers = async (
  table: Table,
  serialNumber: string,
  records: readonly LogRecord[],
): Promise<((record: LogRecord & { kind: 'punch' }) => string | undefined) | undefined> => {
  const device = await table.get(deviceKey(serialNumber))
  if (!device?.hasOwnNumbers) return undefined
  const [entries, former] = await Promise.all([readEntries(table, serialNumber), readFormer(table, serialNumber)])
  const byNumber = Map.groupBy(entries, ({ number }) => number)
  const allByNumber = Map.groupBy([...entries, ...former], ({ number }) => number)
  const placeOf = ({ number, localTime }: Pick<Punch, 'number' | 'localTime'>) =>
    numberOn(device, number, localTime.slice(0, 10), byNumber.get(number) ?? [])
  const others = records.flatMap(record =>
    record.kind === 'punch'
      ? namesOf(serialNumber, record.number, allByNumber.get(record.number) ?? []).flatMap(name =>
          name === placeOf(record) ? [] : [{ record, key: punchKey({ ...record, number: name, sn: serialNumber }) }],
        )
      : [],
  )
  const stored = await table.getMany(others.map(({ key }) => key))
  const known = new Set<LogRecord>(others.flatMap(({ record }, i) => (stored[i] ? [record] : [])))
  return record => (known.has(record) ? undefined : placeOf(record))
}

/** A change of the list: its number, and the days from its first day to the day before `to`. */
export interface NumberChange {
  serialNumber: string
  number: string
  from?: string | undefined
}

/** A punch whose name differs from the name that the list now gives it. */
interface Misplaced {
  punch: Item<Punch>
  name: string
  /** Why it stays: its day is locked, or a manager has corrected it. */
  stays?: 'locked' | 'corrected'
}

export interface Placement {
  /** All punches of the number in the changed days. */
  punches: Item<Punch>[]
  misplaced: Misplaced[]
  /** The holder of each name, if any. */
  holders: Map<string, string>
  names: string[]
}

/** Compares the stored punches of a number with a list, in the days of the change. */
export const findMisplaced = async (
  table: Table,
  device: Pick<Device, 'serialNumber' | 'isOwnNumbering'>,
  { serialNumber, number, from }: NumberChange,
  entries: readonly { from?: string | undefined }[],
): Promise<Placement> => {
  // Removed entries are no longer in the list, but punches may still have their names.
  const former = await readFormer(table, serialNumber, number)
  const names = namesOf(serialNumber, number, [...entries, { from }, ...former])
  const to = entries
    .flatMap(entry => (entry.from !== undefined && entry.from > (from ?? '') ? [entry.from] : []))
    .sort()[0]
  const company = await table.get(companyKey())
  if (!company) throw new Problem(60004)
  const [lists, stored] = await Promise.all([
    atOnce(4, names, name => table.all<Punch>({ pk: punchesPk(name), ...(from && { from }), ...(to && { to }) })),
    table.getMany(names.map(worknoKey)),
  ])
  const holders = new Map(names.flatMap((name, i) => (stored[i] ? [[name, stored[i].employee] as const] : [])))
  const punches = lists.flat().filter(({ sn }) => sn === serialNumber)
  const misplaced = punches.flatMap((punch): Misplaced[] => {
    const day = punch.localTime.slice(0, 10)
    const name = numberOn(device, number, day, entries)
    return name === punch.number ? [] : [{ punch, name, ...(isLocked(company, day) && { stays: 'locked' as const }) }]
  })
  const corrections = await table.getMany(
    misplaced.map(({ punch }) =>
      correctionKey({ employee: holders.get(punch.number) ?? '-', punch: punchName(punch) }),
    ),
  )
  return {
    ...{ punches, holders, names },
    misplaced: misplaced.map((one, i) => ({ ...one, ...(corrections[i] && !one.stays && { stays: 'corrected' }) })),
  }
}

const movesAtOnce = 8

/**
 * Moves punches to their names, and announces them again with their new person. Idempotent: a repetition finds the
 * remaining punches.
 */
export const movePunches = async (table: Table, misplaced: readonly Misplaced[], by: string): Promise<void> => {
  const due = misplaced.filter(({ stays }) => !stays)
  if (due.length === 0) return
  const now = Date.now()
  const place = await positionNow(table, now)
  const moved = await atOnce(movesAtOnce, due, ({ punch, name }) =>
    again(async () => {
      const { position: _, version: _v, ...rest } = punch
      const next: Punch = { ...rest, ...place, number: name, given: { by, at: new Date(now).toISOString() } }
      // The terminal may have sent the record again meanwhile, which stored it under its new name.
      const [current, existing] = await Promise.all([table.get(punchKey(punch)), table.get(punchKey(next))])
      if (current) await save(table.remove(punchKey(punch)), ...(existing ? [] : [table.insert(punchKey(next), next)]))
      return next
    }),
  )
  await moveOvertaken(table, moved)
}
