import type { Exception } from '../attendance/row.ts'
import type { Change } from '../change.ts'
import type { Cause, DayRow } from '../day.ts'
import type { Device } from '../device.ts'
import type { Employee } from '../employee.ts'
import { type Figures, figureNames, figuresOf } from '../figure.ts'
import { kindsOfRow } from '../hours/row.ts'
import { type Punch, punchName, storedAtOf } from '../punch.ts'
import type { Correction } from '../record/correction.ts'
import { countedAt, countedVersion } from '../record/version.ts'

// The events that webhooks report, in the four groups of the specification. A change of an item causes one event or
// none. The event's identity derives from the item, so that a repeated delivery of a change is one event.

export const eventsOfGroup = {
  employee: ['employee.created', 'employee.updated', 'employee.deleted'],
  record: [
    ...(['record.created', 'record.updated', 'record.deleted'] as const),
    ...(['record.correction_added', 'record.correction_updated'] as const),
    ...(['record.correction_ignored', 'record.correction_restored'] as const),
  ],
  terminal: ['terminal.registered', 'terminal.updated', 'terminal.online', 'terminal.offline', 'terminal.removed'],
  attendance: ['attendance.day_changed'],
} as const

export type EventGroup = keyof typeof eventsOfGroup
export type EventName = (typeof eventsOfGroup)[EventGroup][number]
export const eventGroups = Object.keys(eventsOfGroup) as [EventGroup, ...EventGroup[]]
/** The event of a test, which belongs to no group. */
export const ping = 'webhook.ping'
export const toldTypes = [...Object.values(eventsOfGroup).flat(), ping] as const

export const groupOf = (event: EventName): EventGroup | undefined =>
  eventGroups.find(group => (eventsOfGroup[group] as readonly string[]).includes(event))

export type CorrectionEvent = Extract<EventName, `record.correction_${string}`>
type RecordEvent = Exclude<(typeof eventsOfGroup)['record'][number], CorrectionEvent>

/** The effect of a correction. An instant is null while the punch does not count. */
export interface CorrectedPunch {
  punch: string
  recordedAt?: string
  before: string | null
  after: string | null
  inout?: 0 | 1
  reason: string
  by: string
  /** No correction remains of the punch: it was reverted, or retention removed it. */
  isGone?: true
}

/** The result of a day's calculation. */
export interface DayOutcome extends Figures {
  kind: DayRow['kind']
  exceptions: Exception[]
  /** Minutes by hour kind; absent without an hour set. */
  kinds?: Record<string, number>
}

/**
 * An event that webhooks may report. The event holds data that may no longer exist when the server sends it, such as
 * the employee ID of an undone import.
 */
export type Happened = {
  type: 'event.happened'
  company: string
  /** The identity of the event. */
  of: string
  at: string
} & (
  | { event: (typeof eventsOfGroup)['employee'][number]; employee: string; workno?: string }
  | { event: RecordEvent; punch: Pick<Punch, 'number' | 'localTime' | 'sn' | 'at'> }
  | { event: CorrectionEvent; employee: string; correction: CorrectedPunch }
  | { event: (typeof eventsOfGroup)['terminal'][number]; sn: string }
  | {
      event: 'attendance.day_changed'
      employee: string
      day: string
      shift: string | null
      cause: Cause['kind']
      before: DayOutcome | null
      after: DayOutcome | null
    }
)

type Versioned<T> = Change<T & { version?: number }>

const toldOfEmployee = [
  ...(['workno', 'first_name', 'last_name', 'department', 'departments', 'position', 'email', 'tel'] as const),
  ...(['hireDay', 'endDay'] as const),
]
const toldOfDevice = ['name', 'department', 'timezone', 'model', 'firmware'] as const

const differ = <T extends object>(names: readonly (keyof T)[], a: T, b: T) =>
  names.some(name => JSON.stringify(a[name]) !== JSON.stringify(b[name]))

const employeeEvents = ({ company, at, old, new: next }: Versioned<Employee>): Happened[] => {
  const employee = next ?? old
  if (!employee || (old && next && !differ(toldOfEmployee, old, next))) return []
  const event = !old ? 'employee.created' : next ? 'employee.updated' : 'employee.deleted'
  const of = `${employee.id} ${employee.version}`
  const { id, workno } = employee
  return [{ type: 'event.happened', company, of, at, event, employee: id, ...(!next && { workno }) }]
}

/**
 * A punch event reports another holder of the punch. Webhooks never contain the attributes that the server deletes
 * later.
 */
const punchEvents = ({ company, at: writtenAt, old, new: next }: Change<Punch>): Happened[] => {
  const stored = next ?? old
  if (!stored || (old && next && storedAtOf(old) === storedAtOf(next))) return []
  const { number, localTime, sn, at } = stored
  const punch = { number, localTime, sn, at }
  const event = !next ? 'record.deleted' : old ? 'record.updated' : 'record.created'
  const of = `${punchName(punch)} ${storedAtOf(stored)}`
  return [{ type: 'event.happened', company, of, at: next ? storedAtOf(next) : writtenAt, event, punch }]
}

const correctionEvent = (old: Correction | undefined, next: Correction | undefined): CorrectionEvent => {
  const version = next && countedVersion(next)
  if (!version) return 'record.correction_restored'
  if (version.isIgnored) return 'record.correction_ignored'
  const former = old && countedVersion(old)
  if (former?.isIgnored || countedAt(next) === next.recordedAt) return 'record.correction_restored'
  return former || next.recordedAt ? 'record.correction_updated' : 'record.correction_added'
}

/**
 * A correction that changes a counted punch: made, agreed to, reverted, or objected to. A waiting proposal changes
 * nothing.
 */
const correctionEvents = ({ company, at, old, new: next }: Versioned<Correction>): Happened[] => {
  const correction = next ?? old
  if (!correction) return []
  const { employee, punch, recordedAt, inout, reason, by, madeAt, version } = correction
  const before = (old ? countedAt(old) : recordedAt) ?? null
  const after = (next ? countedAt(next) : recordedAt) ?? null
  if (before === after) return []
  const objection = next?.state === 'objected' ? next.objection : undefined
  return [
    {
      ...{ type: 'event.happened', company, at, of: `${employee} ${punch} ${madeAt} ${version}${next ? '' : ' gone'}` },
      ...{ event: correctionEvent(old, next), employee },
      correction: {
        ...{ punch, before, after },
        ...(recordedAt !== undefined && { recordedAt }),
        ...(inout !== undefined && { inout }),
        ...(!next && { isGone: true as const }),
        ...(objection ? { reason: objection.reason, by: employee } : { reason, by }),
      },
    },
  ]
}

/** A terminal that has been online and has not been reported as silent. */
export const isThere = (device?: Device): boolean => device?.firstOnlineAt !== undefined && !device.isSilent

const deviceEvents = ({ company, at, old, new: next }: Versioned<Device>): Happened[] => {
  const device = next ?? old
  if (!device) return []
  const { serialNumber: sn, registeredAt, version } = device
  const events: (typeof eventsOfGroup)['terminal'][number][] = !next
    ? // Webhooks never report a claim that no terminal has taken.
      device.firstOnlineAt
      ? ['terminal.removed']
      : []
    : [
        // The event of a terminal that waits for approval came earlier, at its first connection.
        ...(next.firstOnlineAt && !old?.firstOnlineAt ? (['terminal.registered'] as const) : []),
        ...(old?.firstOnlineAt && differ(toldOfDevice, old, next) ? (['terminal.updated'] as const) : []),
        ...(isThere(next) && !isThere(old) ? (['terminal.online'] as const) : []),
        ...(old && isThere(old) && !isThere(next) ? (['terminal.offline'] as const) : []),
      ]
  const of = `${sn} ${registeredAt} ${version}`
  return events.map(event => ({ type: 'event.happened', company, of, at, event, sn }))
}

const kindsIn = (row: DayRow) => {
  const kinds = kindsOfRow(row)
  return kinds && { kinds }
}

const outcomeOf = (row: DayRow | undefined): DayOutcome | null =>
  row ? { ...figuresOf(row), kind: row.kind, exceptions: row.exceptions, ...kindsIn(row) } : null

const isNothing = (outcome: DayOutcome | null) =>
  outcome === null || (outcome.exceptions.length === 0 && figureNames.every(name => outcome[name] === 0))

const dayEvents = ({ company, at: writtenAt, old, new: next }: Change<DayRow>): Happened[] => {
  const row = next ?? old
  const [before, after] = [outcomeOf(old), outcomeOf(next)]
  if (!row || JSON.stringify(before) === JSON.stringify(after) || (isNothing(before) && isNothing(after))) return []
  const { employee, day, shift, cause, calculatedAt } = row
  const of = `${employee} ${day} ${shift} ${calculatedAt} ${next ? '' : 'gone'}`
  // The last result of a row must come last, even if the row disappears within the same second.
  const at = next || writtenAt < calculatedAt ? calculatedAt : writtenAt
  return [
    {
      ...{ type: 'event.happened', company, of, at, event: 'attendance.day_changed' },
      ...{ employee, day, shift, cause: cause.kind, before, after },
    },
  ]
}

const eventsOf = {
  CORRECTION: correctionEvents,
  DAY: dayEvents,
  DEVICE: deviceEvents,
  EMPLOYEE: employeeEvents,
  PUNCH: punchEvents,
} as const

/** The events of a change of a company's item, by the first word of its partition key. */
export const happened = (kind: string, change: Change): Happened[] => {
  const toEvents: ((change: Change<never>) => Happened[]) | undefined = eventsOf[kind as keyof typeof eventsOf]
  return toEvents?.(change as Change<never>) ?? []
}
