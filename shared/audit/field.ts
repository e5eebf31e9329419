import type { ApiKey } from '../apikey.ts'
import type { Delegation } from '../approve.ts'
import type { AuditedNoun } from '../change.ts'
import type { Company } from '../company.ts'
import type { Credential, Template } from '../credential.ts'
import type { Department } from '../department.ts'
import type { Device } from '../device.ts'
import type { Employee } from '../employee.ts'
import type { RaisedException } from '../exception.ts'
import type { Holiday } from '../holiday.ts'
import type { Invitation } from '../invitation.ts'
import type { LeaveBook, OwnLeave } from '../leave.ts'
import type { ReportMail } from '../report/mail.ts'
import type { Request } from '../request.ts'
import type { CustomRole } from '../role.ts'
import type { ScheduleMonth } from '../schedule.ts'
import type { Shift } from '../shift.ts'
import type { Webhook } from '../webhooks.ts'

// Each field of each audited noun, declared once: its label, its kind, and whether the audit shows it. The server derives from
// this table what it leaves out, what it masks and which ids it names; the audit page derives the words. A field that is added
// to a noun does not compile before it stands here.

/** Fields whose values are ids of these. */
export const referenceKinds = ['department', 'employee', 'role', 'shift'] as const
export type ReferenceKind = (typeof referenceKinds)[number]

/** Fields whose values are codes, each with its own words (`web/pages/audit/meaning.ts`). */
export type CodedKind =
  | 'authentication'
  | 'color'
  | 'country'
  | 'dateFormat'
  | 'deviceLanguage'
  | 'deviceState'
  | 'disabledBecause'
  | 'epochSeconds'
  | 'exceptionType'
  | 'fileType'
  | 'finger'
  | 'industry'
  | 'interval'
  | 'language'
  | 'leaveType'
  | 'maskDetection'
  | 'noClockOut'
  | 'onOff'
  | 'outside'
  | 'permission'
  | 'punchMode'
  | 'punchState'
  | 'relayOutput'
  | 'reportColumn'
  | 'reportView'
  | 'requestStatus'
  | 'requestType'
  | 'rounding'
  | 'shiftKind'
  | 'systemRole'
  | 'temperatureMode'
  | 'temperatureUnit'
  | 'templateKind'
  | 'timeFormat'
  | 'timeUnit'
  | 'weekday'

/** `plain`: a text, number, day, instant, time of day, or yes and no; they are told apart by their form. */
export type FieldKind = 'plain' | CodedKind | ReferenceKind

export type FieldLabel = keyof typeof import('../locales/en/audit.json')['field']

export interface Field {
  /** Its name in the texts; the field's own name where none is given. */
  label?: FieldLabel
  kind?: FieldKind
  /** `masked`: the server replaces the value by dots before it is stored. `picture`: the page does, for an id says nothing. */
  shows?: 'masked' | 'picture'
  /** The fields of an object, or of each object in a list. */
  parts?: Fields
  /** Its parts have labels that need no title before them. */
  isGroup?: true
  /** A list by name: the audit shows each entry as if it were a field, and this says how. */
  isByName?: true
}
/** A field is declared by its kind where its own name is its label. The audit never holds an `untold` one. */
export type Declared = 'untold' | FieldKind | Field

export type Fields = Readonly<Record<string, Declared>>

type NameOf<T> = T extends unknown ? keyof T & string : never
type Inner<T> = NonNullable<T> extends readonly (infer Each)[] ? Each : NonNullable<T>
type ValueOf<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never
/** An object needs all its parts declared, a name that is no label needs one. */
type DeclaredOf<T, Name> =
  | 'untold'
  | (Name extends FieldLabel
      ? FieldKind | (Field & { parts?: FieldsOf<Inner<ValueOf<T, Name>>> })
      : Field & { label: FieldLabel; parts?: FieldsOf<Inner<ValueOf<T, Name>>> })
type FieldsOf<T> = { readonly [Name in NameOf<T>]: DeclaredOf<T, Name> } & { readonly [noted: string]: Declared }

const overtimeRule = { counts: 'plain', afterMinutes: 'plain' } as const

const company = {
  ...{ id: 'untold', name: 'plain', company_num: 'plain', timezone: 'plain', createdAt: 'plain' },
  ...{ address: 'plain', country: 'country', state: 'plain', city: 'plain', industry_id: 'industry', size_id: 'plain' },
  ...{ dateformat_id: 'dateFormat', timeformat_id: 'timeFormat' },
  ...{ timeUnit: 'timeUnit', rounding: 'rounding', minimumUnit: 'plain' },
  logo: { shows: 'picture' },
  ...{ storesTemplates: 'plain', retentionMonths: 'plain', lockedTo: 'plain', lockedBy: 'untold', lockedAt: 'untold' },
  ...{ formerRules: 'untold', dayParts: 'untold', secondStep: 'requestType' },
  comm_pwd: { shows: 'masked' },
  parameters: {
    isGroup: true,
    parts: {
      ...{ version: 'untold', bounceSeconds: 'plain', deductGaps: 'plain', trustDeviceState: 'plain' },
      ...{ splitTime: 'plain', restDayWorkIsOvertime: 'plain', holidayWorkIsOvertime: 'plain' },
      ...{ minimumOvertimeMinutes: 'plain', maximumOvertimeMinutes: 'plain', fullDutyFirst: 'plain' },
      firstWeekday: 'weekday',
    },
  },
  // The page tells these two type by type.
  ...{ leaveTypes: 'plain', leaveRules: 'plain' },
  browserPunch: {
    parts: {
      ...{ isOn: 'plain', departments: 'department', isPlaceAsked: 'plain', outside: 'outside' },
      places: { parts: { name: 'plain', latitude: 'plain', longitude: 'plain', radiusMetres: 'plain' } },
    },
  },
  prevention: {
    isGroup: true,
    parts: {
      ...{ mask_detection: 'maskDetection', mask_alarm: 'onOff', work_mode: 'temperatureMode' },
      ...{ relay_output: 'relayOutput', temp_unit: 'temperatureUnit', fever_threshold: 'plain' },
      ...{ fever_alarm: 'onOff', temp_opendoor: 'onOff', temp_access: 'onOff' },
    },
  },
} as const satisfies FieldsOf<Company>

const employee = {
  ...{ id: 'untold', first_name: 'plain', last_name: 'plain', workno: 'plain', formerWorknos: 'untold' },
  ...{ department: 'department', departments: 'department', position: 'plain', tel: 'plain' },
  ...{ email: 'plain', emailSetBy: 'untold', hireDay: 'plain', endDay: 'plain', language: 'language' },
  ...{ role: 'systemRole', roleId: 'role', isOwner: 'plain', isWaiting: 'plain' },
  account: { shows: 'masked' },
  ...{ passwordSetAt: 'plain', passwordSetBy: 'untold', sessionsSince: 'untold', erasedAt: 'plain' },
  photo: { shows: 'picture' },
  // Noted without being stored here: whose punches came under a number nobody had, and a terminal removed with the person on it.
  ...{ assignedWorkno: 'plain', goneTerminal: 'plain' },
} as const satisfies FieldsOf<Employee>

const credential = {
  ...{ employee: 'untold', punchMode: 'punchMode', cardDigest: 'untold' },
  ...{ card: { shows: 'masked' }, password: { shows: 'masked' }, sealed: { shows: 'masked' } },
  kind: { label: 'templateKind', kind: 'templateKind' },
  ...{ sign: 'finger', algorithm: 'plain', file: 'untold', bytes: 'untold' },
  ...{ registeredAt: 'plain', serialNumber: 'plain' },
} as const satisfies FieldsOf<Credential & Template>

/** Of a terminal the audit shows what people decide. */
const device = {
  ...{ serialNumber: 'plain', name: 'plain', department: 'department', timezone: 'plain', voice: 'plain' },
  language: { label: 'deviceLanguage', kind: 'deviceLanguage' },
  authentication: 'authentication',
  pathSecretHash: { shows: 'masked' },
  ...{ registeredAt: 'plain', claimedAt: 'plain', state: { label: 'deviceState', kind: 'deviceState' } },
  ...{ cpusn: 'plain', mac: 'plain', model: 'plain', firmware: 'plain' },
  ...{ edition: 'untold', recordsFrom: 'untold', firstOnlineAt: 'untold', lastSeenAt: 'untold', uploadedAt: 'untold' },
  ...{ reconcileFrom: 'untold', pageLostAt: 'untold', allAsked: 'untold', isSilent: 'untold', connection: 'untold' },
  ...{
    generation: 'untold',
    users: 'untold',
    templates: 'untold',
    faces: 'untold',
    records: 'untold',
    unsent: 'untold',
  },
  ...{ counted: 'untold', wroteAt: 'untold', repeatedHourAt: 'untold', protocol: 'untold', profile: 'untold' },
  ...{ fingerAlgorithm: 'untold', ip: 'untold', driftSeconds: 'untold', clockZone: 'untold', settings: 'untold' },
  ...{ reconciledOn: 'untold', recovered: 'untold', pending: 'untold', emptiedAt: 'untold', resetAt: 'untold' },
  ...{ listed: 'untold', quiet: 'untold', replacedAt: 'untold', refused: 'untold', denied: 'untold' },
  refusedDeliveries: 'untold',
  ...{ reset: 'plain', isForced: 'plain' },
} as const satisfies FieldsOf<Device>

const shift = {
  ...{ id: 'untold', name: 'plain', color: 'color', notes: 'plain', leavingAt: 'untold', kind: 'shiftKind' },
  ...{ onDuty: 'plain', offDuty: 'plain', punchStart: 'plain', punchEnd: 'plain' },
  ...{ allowedLateMinutes: 'plain', allowedEarlyMinutes: 'plain', noClockOut: 'noClockOut', raisesException: 'plain' },
  ...{ earlyInOvertime: { parts: overtimeRule }, lateOutOvertime: { parts: overtimeRule } },
  // The page tells a break in one sentence.
  breaks: 'plain',
  weekly: {
    isGroup: true,
    parts: { targetMinutes: 'plain', breakMinutes: 'plain', breakThresholdMinutes: 'plain', overtimeCounts: 'plain' },
  },
} as const satisfies FieldsOf<Shift>

const request = {
  ...{ id: 'untold', employee: 'untold', day: 'plain', toDay: 'plain', zone: 'untold', notes: 'plain' },
  ...{ attachments: 'untold', comments: 'untold', createdAt: 'untold', steps: 'employee' },
  status: 'requestStatus',
  type: { label: 'requestType', kind: 'requestType' },
  ...{ at: { label: 'punchAt' }, inout: 'punchState' },
  ...{ leaveType: 'leaveType', from: 'plain', to: 'plain' },
  total: { parts: { days: 'plain', minutes: 'plain', isEstimated: 'plain' } },
} as const satisfies FieldsOf<Request>

const ownLeave = { days: 'plain', adjustedDays: 'plain', reason: 'plain' } as const satisfies FieldsOf<OwnLeave>
const leave: FieldsOf<Omit<LeaveBook, 'entries'>> = {
  employee: 'untold',
  entries: { label: 'days', parts: ownLeave, isByName: true },
}

/** By noun, its fields. */
export const auditedFields: Readonly<Record<AuditedNoun, Fields>> = {
  apiKey: {
    ...{ id: 'untold', name: 'plain', permissions: 'permission', canWrite: 'plain', departments: 'department' },
    ...{ start: 'plain', hash: 'untold', createdBy: 'untold', createdAt: 'untold', endsAt: 'plain' },
  } satisfies FieldsOf<ApiKey>,
  company,
  credential,
  delegation: {
    ...{ employee: 'untold', delegate: 'employee', from: 'plain', to: 'plain', expiresAt: 'untold' },
  } satisfies FieldsOf<Delegation>,
  department: {
    ...{ id: 'untold', name: 'plain', location: 'plain', tel: 'plain', address: 'plain', country: 'country' },
    ...{ state: 'plain', city: 'plain', parent: 'department', isDefault: 'plain', leavingAt: 'untold' },
  } satisfies FieldsOf<Department>,
  device,
  employee,
  exception: {
    ...{ employee: 'untold', day: 'plain', shift: 'untold', type: 'exceptionType', state: 'untold' },
    ...{ minutes: 'plain', department: 'untold', at: 'untold', acceptedBy: 'untold', note: 'plain', cause: 'untold' },
    expiresAt: 'epochSeconds',
  } satisfies FieldsOf<RaisedException>,
  holiday: {
    ...{ id: 'untold', name: 'plain', from: 'plain', to: 'plain', departments: 'department' },
  } satisfies FieldsOf<Holiday>,
  invitation: {
    ...{ tokenHash: { shows: 'masked' }, employee: 'employee', email: 'plain', joins: 'plain', by: 'employee' },
    ...{ createdAt: 'plain', expiresAt: 'epochSeconds' },
  } satisfies FieldsOf<Invitation>,
  leave,
  reportMail: {
    ...{ id: 'untold', name: 'plain', by: 'employee', view: 'reportView', columns: 'reportColumn' },
    type: { label: 'fileType', kind: 'fileType' },
    ...{ department: 'department', employees: 'employee', every: 'interval', weekday: 'weekday' },
    ...{ monthday: 'plain', time: 'plain', nextAt: 'untold', lastAt: 'untold' },
  } satisfies FieldsOf<ReportMail>,
  request,
  role: {
    ...{ id: 'untold', name: 'plain', notes: 'plain', permissions: 'permission', departments: 'department' },
    ...{ createdAt: 'plain', leavingAt: 'untold' },
  } satisfies FieldsOf<CustomRole>,
  schedule: {
    ...{ employee: 'untold', month: 'untold', task: 'untold' },
    days: { kind: 'shift', isByName: true },
  } satisfies FieldsOf<ScheduleMonth>,
  shift,
  webhook: {
    ...{ id: 'untold', url: 'plain', events: 'plain', isOn: 'plain' },
    ...{ secret: { shows: 'masked' }, former: { shows: 'masked' } },
    disabled: { parts: { at: { label: 'since' }, because: { label: 'reason', kind: 'disabledBecause' } } },
  } satisfies FieldsOf<Webhook>,
}

/** A declaration in full; undefined where nobody declared the field. */
export const readDeclared = (name: string, fields: Fields): (Field & { label: FieldLabel }) | 'untold' | undefined => {
  const { [name]: declared } = fields
  if (declared === undefined || declared === 'untold') return declared
  return { label: name as FieldLabel, ...(typeof declared === 'string' ? { kind: declared } : declared) }
}

/** The name of the field whose entries the audit shows as fields. */
export const nameOfEntries = (fields: Fields): string | undefined =>
  Object.keys(fields).find(name => {
    const declared = fields[name]
    return typeof declared === 'object' && declared.isByName
  })

/** How the audit shows a field, or an entry of the list by name, of a noun. */
export const fieldOf = (noun: AuditedNoun, name: string): (Field & { label: FieldLabel }) | undefined => {
  const { [noun]: fields } = auditedFields
  const field = readDeclared(name in fields ? name : (nameOfEntries(fields) ?? name), fields)
  return field === 'untold' ? undefined : field
}
