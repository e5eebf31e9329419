import type { Exception } from '../attendance/row.ts'
import type { Change } from '../change.ts'
import type { Cause, DayRow } from '../day.ts'
import type { Device } from '../device.ts'
import type { Employee } from '../employee.ts'
import { type Figures, figureNames, figuresOf } from '../figure.ts'
import { type Punch, punchName, storedAtOf } from '../punch.ts'

// What a company can have itself told of, by the four groups of the specification. A change of an item is an event or none; what
// tells it from all others follows from the item, so that a change that is told twice is one event.

export const eventsOfGroup = {
  employee: ['employee.created', 'employee.updated', 'employee.deleted'],
  record: ['record.created', 'record.updated', 'record.deleted'],
  terminal: ['terminal.registered', 'terminal.updated', 'terminal.online', 'terminal.offline', 'terminal.removed'],
  attendance: ['attendance.day_changed'],
} as const

export type EventGroup = keyof typeof eventsOfGroup
export type EventName = (typeof eventsOfGroup)[EventGroup][number]
export const eventGroups = Object.keys(eventsOfGroup) as [EventGroup, ...EventGroup[]]
/** What a test sends; no group has it. */
export const ping = 'webhook.ping'
export const toldTypes = [...Object.values(eventsOfGroup).flat(), ping] as const

export const groupOf = (event: EventName): EventGroup | undefined =>
  eventGroups.find(group => (eventsOfGroup[group] as readonly string[]).includes(event))

/** What a day comes out as. */
export interface DayOutcome extends Figures {
  kind: DayRow['kind']
  exceptions: Exception[]
}

/**
 * Something a company may have itself told; what is not known any more when it is told goes with it, as the number of who was taken
 * back from an import.
 */
export type Happened = {
  type: 'event.happened'
  company: string
  /** Tells it from all others. */
  of: string
  at: string
} & (
  | { event: (typeof eventsOfGroup)['employee'][number]; employee: string; workno?: string }
  | { event: (typeof eventsOfGroup)['record'][number]; punch: Pick<Punch, 'number' | 'localTime' | 'sn' | 'at'> }
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

const differ = <T extends object>(names: readonly (keyof T)[], one: T, other: T) =>
  names.some(name => JSON.stringify(one[name]) !== JSON.stringify(other[name]))

const employeeEvents = ({ company, at, old, new: now }: Versioned<Employee>): Happened[] => {
  const employee = now ?? old
  if (!employee || (old && now && !differ(toldOfEmployee, old, now))) return []
  const event = !old ? 'employee.created' : now ? 'employee.updated' : 'employee.deleted'
  const of = `${employee.id} ${employee.version}`
  const { id, workno } = employee
  return [{ type: 'event.happened', company, of, at, event, employee: id, ...(!now && { workno }) }]
}

/** A punch changes in whose it is; what is forgotten of it otherwise was told to nobody. */
const punchEvents = ({ company, at: writtenAt, old, new: now }: Change<Punch>): Happened[] => {
  const stored = now ?? old
  if (!stored || (old && now && storedAtOf(old) === storedAtOf(now))) return []
  const { number, localTime, sn, at } = stored
  const punch = { number, localTime, sn, at }
  const event = !now ? 'record.deleted' : old ? 'record.updated' : 'record.created'
  const of = `${punchName(punch)} ${storedAtOf(stored)}`
  return [{ type: 'event.happened', company, of, at: now ? storedAtOf(now) : writtenAt, event, punch }]
}

/** A terminal that was there, and has not been silent for so long that this was told. */
export const isThere = (device?: Device): boolean => device?.firstOnlineAt !== undefined && !device.isSilent

const deviceEvents = ({ company, at, old, new: now }: Versioned<Device>): Happened[] => {
  const device = now ?? old
  if (!device) return []
  const { serialNumber: sn, registeredAt, version } = device
  const events: (typeof eventsOfGroup)['terminal'][number][] = !now
    ? // Of a claim that no terminal ever took up nothing was told.
      device.firstOnlineAt
      ? ['terminal.removed']
      : []
    : [
        // Who waits for approval was registered before.
        ...(now.firstOnlineAt && !old?.firstOnlineAt ? (['terminal.registered'] as const) : []),
        ...(old?.firstOnlineAt && differ(toldOfDevice, old, now) ? (['terminal.updated'] as const) : []),
        ...(isThere(now) && !isThere(old) ? (['terminal.online'] as const) : []),
        ...(old && isThere(old) && !isThere(now) ? (['terminal.offline'] as const) : []),
      ]
  const of = `${sn} ${registeredAt} ${version}`
  return events.map(event => ({ type: 'event.happened', company, of, at, event, sn }))
}

const outcomeOf = (row: DayRow | undefined): DayOutcome | null =>
  row ? { ...figuresOf(row), kind: row.kind, exceptions: row.exceptions } : null

const isNothing = (outcome: DayOutcome | null) =>
  outcome === null || (outcome.exceptions.length === 0 && figureNames.every(name => outcome[name] === 0))

const dayEvents = ({ company, at: writtenAt, old, new: now }: Change<DayRow>): Happened[] => {
  const row = now ?? old
  const [before, after] = [outcomeOf(old), outcomeOf(now)]
  if (!row || JSON.stringify(before) === JSON.stringify(after) || (isNothing(before) && isNothing(after))) return []
  const { employee, day, shift, cause, calculatedAt } = row
  const of = `${employee} ${day} ${shift} ${calculatedAt} ${now ? '' : 'gone'}`
  // What a row comes out as last is told last, also where it is gone within the second.
  const at = now || writtenAt < calculatedAt ? calculatedAt : writtenAt
  return [
    {
      ...{ type: 'event.happened', company, of, at, event: 'attendance.day_changed' },
      ...{ employee, day, shift, cause: cause.kind, before, after },
    },
  ]
}

const eventsOf = { DAY: dayEvents, DEVICE: deviceEvents, EMPLOYEE: employeeEvents, PUNCH: punchEvents } as const

/** The events a change of a company's item is, by the first word of its partition key. */
export const happened = (kind: string, change: Change): Happened[] => {
  const tell: ((change: Change<never>) => Happened[]) | undefined = eventsOf[kind as keyof typeof eventsOf]
  return tell?.(change as Change<never>) ?? []
}
