import type { Absence } from '../absence.ts'
import type { ApiKey } from '../apikey.ts'
import type { Delegation } from '../approve.ts'
import type { AuditedNoun } from '../change.ts'
import type { Company } from '../company.ts'
import type { Credential, Template } from '../credential.ts'
import type { Department } from '../department.ts'
import type { Device } from '../device.ts'
import type { Employee } from '../employee.ts'
import type { RaisedException } from '../exception.ts'
import type { Holiday } from '../holiday/day.ts'
import type { HourSetNote } from '../hours.ts'
import type { Invitation } from '../invitation.ts'
import type { LeaveBook, OwnLeave } from '../leave.ts'
import type { Correction } from '../record/correction.ts'
import type { DayNote } from '../record/day-note.ts'
import type { ClosedPeriod } from '../report/close.ts'
import type { ReportMail } from '../report/mail.ts'
import type { ReportTemplate } from '../report/template.ts'
import type { Request } from '../request.ts'
import type { CustomRole } from '../role.ts'
import type { ScheduleMonth } from '../schedule/month.ts'
import type { ScheduleTemplate } from '../schedule/template.ts'
import type { Shift } from '../shift.ts'
import type { TimeAccountEntry } from '../time-account.ts'
import type { Webhook } from '../webhooks.ts'

// Declares each field of each audited noun once: its label, its kind, and whether the audit shows it. The server
// derives from this table which fields to omit, which to mask and which ids to name. The audit page derives the texts.
// A new field of a noun does not compile without a declaration here.

/** The kinds of objects that fields refer to by id. */
export const referenceKinds = ['department', 'employee', 'role', 'shift'] as const
export type ReferenceKind = (typeof referenceKinds)[number]

/** Fields with coded values. Each kind has its own texts (`web/pages/audit/meaning.ts`). */
export type CodedKind =
  | 'accountCut'
  | 'accountEntry'
  | 'authentication'
  | 'color'
  | 'correctionRule'
  | 'correctionState'
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
  | 'holidayBy'
  | 'holidayPart'
  | 'interval'
  | 'language'
  | 'leaveType'
  | 'maskDetection'
  | 'minutesAs'
  | 'month'
  | 'nameFormat'
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
  | 'templateLayout'
  | 'templateUnit'
  | 'timeFormat'
  | 'timeUnit'
  | 'weekday'

/**
 * `plain`: a text, number, day, instant, time of day, or yes and no. The page recognises the type by the value's form.
 */
export type FieldKind = 'plain' | CodedKind | ReferenceKind

export type FieldLabel = keyof typeof import('../locales/en/audit.json')['field']

export interface Field {
  /** The field's name in the texts; defaults to the field's own name. */
  label?: FieldLabel
  kind?: FieldKind
  /**
   * `masked`: the server stores dots in place of the value. `picture`: the page shows dots, because an id has no
   * meaning for readers.
   */
  shows?: 'masked' | 'picture'
  /** The fields of an object, or of each object in a list. */
  parts?: Fields
  /** The page shows the parts without a title, because their labels explain them. */
  isGroup?: true
  /** A list by name. The audit shows each entry like a field, as declared here. */
  isByName?: true
}
/** If the label is the field's name, a declaration can be only the kind. The audit never stores an `untold` field. */
export type Declared = 'untold' | FieldKind | Field

export type Fields = Readonly<Record<string, Declared>>

type NameOf<T> = T extends unknown ? keyof T & string : never
/** The object inside a value. Some values are a word or an object. */
type Inner<T> = Exclude<NonNullable<T> extends readonly (infer Each)[] ? Each : NonNullable<T>, string>
type ValueOf<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never
/** An object must declare all its parts. A field whose name is no label must declare a label. */
type DeclaredOf<T, Name> =
  | 'untold'
  | (Name extends FieldLabel
      ? FieldKind | (Field & { parts?: FieldsOf<Inner<ValueOf<T, Name>>> })
      : Field & { label: FieldLabel; parts?: FieldsOf<Inner<ValueOf<T, Name>>> })
type FieldsOf<T> = { readonly [Name in NameOf<T>]: DeclaredOf<T, Name> } & { readonly [noted: string]: Declared }

/**
 * Declares several fields of one kind. Brevity matters, because every bundle that opens the table contains these
 * declarations.
 */
const each =
  <Kind extends 'plain' | 'untold'>(kind: Kind) =>
  <Name extends string>(...names: Name[]) =>
    Object.fromEntries(names.map(name => [name, kind])) as Record<Name, Kind>
const plain = each('plain')
const untold = each('untold')

const overtimeRule = { counts: 'plain', afterMinutes: 'plain' } as const

const company = {
  ...plain('name', 'company_num', 'timezone', 'createdAt', 'address', 'state', 'city', 'size_id', 'minimumUnit'),
  ...untold('id'),
  ...{
    country: 'country',
    industry_id: 'industry',
    dateformat_id: 'dateFormat',
    timeformat_id: 'timeFormat',
    nameformat_id: 'nameFormat',
    timeUnit: 'timeUnit',
    minutesAs: 'minutesAs',
    rounding: 'rounding',
  },
  logo: { shows: 'picture' },
  payPeriod: { parts: { every: 'interval', from: 'plain' } },
  ...plain('storesTemplates', 'retentionMonths', 'lockedTo', 'objectionDays', 'correctionReachDays', 'draftsSchedule'),
  // Only the audit has `sampleData`: whether sample data was loaded or removed.
  ...plain('areStepsHidden', 'sampleData', 'showsColleaguesAway'),
  ...untold('lockedBy', 'lockedAt', 'formerRules', 'dayParts', 'hasHours', 'hasZones', 'notesRowChanges'),
  ...{ secondStep: 'requestType', correctionRule: 'correctionRule' },
  comm_pwd: { shows: 'masked' },
  parameters: {
    isGroup: true,
    parts: {
      ...plain(
        'bounceSeconds',
        'deductGaps',
        'pairsWithoutShift',
        'trustDeviceState',
        'splitTime',
        'restDayWorkIsOvertime',
        'holidayWorkIsOvertime',
        'minimumOvertimeMinutes',
        'maximumOvertimeMinutes',
        'fullDutyFirst',
      ),
      ...untold('version'),
      ...{ firstWeekday: 'weekday', holidayBy: 'holidayBy' },
    },
  },
  // The page shows these two fields per leave type.
  ...plain('leaveTypes', 'leaveRules'),
  leaveYearMonth: 'month',
  timeAccount: {
    parts: {
      most: { label: 'accountMost', kind: 'plain' },
      least: { label: 'accountLeast', kind: 'plain' },
      cut: { label: 'accountCut', kind: 'accountCut' },
    },
  },
  browserPunch: {
    parts: {
      ...plain('isOn', 'isPlaceAsked'),
      ...{ departments: 'department', outside: 'outside' },
      places: { parts: { name: 'plain', latitude: 'plain', longitude: 'plain', radiusMetres: 'plain' } },
    },
  },
  prevention: {
    isGroup: true,
    parts: {
      ...plain('fever_threshold'),
      ...{
        mask_detection: 'maskDetection',
        mask_alarm: 'onOff',
        work_mode: 'temperatureMode',
        relay_output: 'relayOutput',
        temp_unit: 'temperatureUnit',
        fever_alarm: 'onOff',
        temp_opendoor: 'onOff',
        temp_access: 'onOff',
      },
    },
  },
} as const satisfies FieldsOf<Company>

const employee = {
  ...plain(
    'first_name',
    'last_name',
    'workno',
    'position',
    'tel',
    'email',
    'hireDay',
    'endDay',
    'isOwner',
    'isWaiting',
  ),
  ...untold('id', 'isFamilyFirst', 'reading', 'formerWorknos', 'earlierEmployments', 'emailSetBy'),
  ...{ department: 'department', departments: 'department', language: 'language', role: 'systemRole', roleId: 'role' },
  account: { shows: 'masked' },
  ...plain('passwordSetAt', 'erasedAt'),
  ...untold('passwordSetBy', 'sessionsSince'),
  photo: { shows: 'picture' },
  // Fields that only the audit has: an assigned number with earlier punches, and a removed terminal with the employee.
  ...plain('assignedWorkno', 'goneTerminal'),
} as const satisfies FieldsOf<Employee>

const credential = {
  ...untold('employee', 'cardDigest'),
  ...{ punchMode: 'punchMode' },
  ...{ card: { shows: 'masked' }, password: { shows: 'masked' }, sealed: { shows: 'masked' } },
  kind: { label: 'templateKind', kind: 'templateKind' },
  ...plain('algorithm', 'registeredAt', 'serialNumber'),
  ...untold('file', 'bytes'),
  ...{ sign: 'finger' },
} as const satisfies FieldsOf<Credential & Template>

/** The audit shows only people's decisions about a terminal. */
const device = {
  ...plain('serialNumber', 'name', 'timezone', 'voice'),
  ...{ department: 'department' },
  language: { label: 'deviceLanguage', kind: 'deviceLanguage' },
  authentication: 'authentication',
  pathSecretHash: { shows: 'masked' },
  ...{ registeredAt: 'plain', claimedAt: 'plain', state: { label: 'deviceState', kind: 'deviceState' } },
  ...plain('cpusn', 'mac', 'model', 'firmware'),
  isOwnNumbering: 'plain',
  ...untold(
    'hasOwnNumbers',
    'heldPeople',
    'edition',
    'recordsFrom',
    'firstOnlineAt',
    'lastSeenAt',
    'uploadedAt',
    'reconcileFrom',
    'pageLostAt',
    'allAsked',
    'isSilent',
    'connection',
  ),
  ...{
    generation: 'untold',
    users: 'untold',
    templates: 'untold',
    faces: 'untold',
    records: 'untold',
    unsent: 'untold',
  },
  ...untold(
    'counted',
    'wroteAt',
    'repeatedHourAt',
    'protocol',
    'profile',
    'fingerAlgorithm',
    'ip',
    'driftSeconds',
    'clockZone',
    'settings',
    'reconciledOn',
    'recovered',
    'pending',
    'emptiedAt',
    'resetAt',
    'listed',
    'quiet',
    'replacedAt',
    'refused',
    'denied',
  ),
  refusedDeliveries: 'untold',
  ...plain('reset', 'isForced'),
} as const satisfies FieldsOf<Device>

const shift = {
  ...plain(
    'name',
    'notes',
    'onDuty',
    'offDuty',
    'punchStart',
    'punchEnd',
    'allowedLateMinutes',
    'allowedEarlyMinutes',
    'raisesException',
  ),
  ...untold('id', 'leavingAt', 'addedAt'),
  ...{ color: 'color', kind: 'shiftKind', noClockOut: 'noClockOut' },
  ...{ earlyInOvertime: { parts: overtimeRule }, lateOutOvertime: { parts: overtimeRule } },
  // The page shows a break in one sentence.
  breaks: 'plain',
  weekly: {
    isGroup: true,
    parts: { targetMinutes: 'plain', breakMinutes: 'plain', breakThresholdMinutes: 'plain', overtimeCounts: 'plain' },
  },
} as const satisfies FieldsOf<Shift>

const request = {
  ...plain('day', 'toDay', 'notes'),
  ...untold('id', 'employee', 'zone', 'attachments', 'comments', 'createdAt'),
  ...{ steps: 'employee', enteredBy: 'employee' },
  status: 'requestStatus',
  type: { label: 'requestType', kind: 'requestType' },
  ...{ at: { label: 'punchAt' }, inout: 'punchState' },
  ...plain('from', 'to'),
  ...{ leaveType: 'leaveType' },
  total: { parts: { days: 'plain', minutes: 'plain', isEstimated: 'plain' } },
} as const satisfies FieldsOf<Request>

const ownLeave = { days: 'plain', adjustedDays: 'plain', reason: 'plain' } as const satisfies FieldsOf<OwnLeave>
const leave: FieldsOf<Omit<LeaveBook, 'entries'>> = {
  employee: 'untold',
  entries: { label: 'days', parts: ownLeave, isByName: true },
}

/** The fields by noun. */
export const auditedFields: Readonly<Record<AuditedNoun, Fields>> = {
  absence: {
    ...plain('day', 'minutes', 'reason', 'madeAt'),
    ...untold('employee', 'shift'),
    by: 'employee',
  } satisfies FieldsOf<Absence>,
  apiKey: {
    ...plain('name', 'canWrite', 'start', 'endsAt'),
    ...untold('id', 'hash', 'createdBy', 'createdAt'),
    ...{ permissions: 'permission', departments: 'department' },
  } satisfies FieldsOf<ApiKey>,
  company,
  credential,
  delegation: {
    ...plain('from', 'to'),
    ...untold('employee', 'expiresAt'),
    ...{ delegate: 'employee' },
  } satisfies FieldsOf<Delegation>,
  department: {
    ...plain('name', 'location', 'tel', 'address', 'state', 'city', 'isDefault'),
    ...untold('id', 'leavingAt'),
    ...{ country: 'country', parent: 'department' },
    zones: {
      label: 'timezone',
      parts: { from: 'plain', zone: { label: 'timezone' }, isCompany: 'untold' },
    },
  } satisfies FieldsOf<Department>,
  device,
  employee,
  correction: {
    ...untold('punch'),
    ...{ employee: 'employee', recordedAt: 'plain', at: { label: 'punchAt' }, inout: 'punchState' },
    ...plain('isIgnored', 'reason', 'madeAt'),
    ...{ by: 'employee', state: { label: 'correctionState', kind: 'correctionState' } },
    ...plain('objectBy', 'agreedAt'),
    objection: { parts: { at: { label: 'objectedAt' }, reason: 'plain' } },
    former: 'untold',
  } satisfies FieldsOf<Correction>,
  dayNote: { ...plain('day', 'note'), ...untold('employee', 'at') } satisfies FieldsOf<DayNote>,
  exception: {
    ...plain('day', 'minutes', 'note'),
    ...untold('employee', 'shift', 'state', 'department', 'at', 'acceptedBy', 'cause'),
    ...{ type: 'exceptionType' },
    expiresAt: 'epochSeconds',
  } satisfies FieldsOf<RaisedException>,
  holiday: {
    ...plain('name', 'from', 'to'),
    ...untold('id'),
    ...{ departments: 'department' },
    part: { label: 'part', kind: 'holidayPart', parts: { from: 'plain', to: 'plain' } },
  } satisfies FieldsOf<Holiday>,
  hourSet: {
    ...plain('name', 'from'),
    ...untold('id', 'setVersion', 'isCompanySet'),
    ...{ departments: 'department' },
  } satisfies FieldsOf<HourSetNote>,
  invitation: {
    ...{ tokenHash: { shows: 'masked' }, employee: 'employee', email: 'plain', joins: 'plain', by: 'employee' },
    ...plain('createdAt'),
    ...{ expiresAt: 'epochSeconds' },
  } satisfies FieldsOf<Invitation>,
  leave,
  period: {
    ...plain('from', 'to', 'openExceptions', 'openMinutes'),
    ...{ type: { label: 'fileType', kind: 'fileType' } },
    ...untold('by', 'at', 'columns', 'template', 'reopenedAt'),
  } satisfies FieldsOf<ClosedPeriod>,
  reportMail: {
    ...plain('name'),
    ...untold('id'),
    ...{ by: 'employee', view: 'reportView', columns: 'reportColumn' },
    type: { label: 'fileType', kind: 'fileType' },
    ...plain('monthday', 'time'),
    ...untold('nextAt', 'lastAt'),
    ...{ department: 'department', employees: 'employee', every: 'interval', weekday: 'weekday' },
  } satisfies FieldsOf<ReportMail>,
  reportTemplate: {
    ...plain('name', 'decimalSign', 'separator', 'hasHeadings'),
    ...untold('id'),
    ...{ layout: 'templateLayout', type: { label: 'fileType', kind: 'fileType' } },
    ...{ unit: { label: 'figureUnit', kind: 'templateUnit' }, dateFormat: { label: 'dateformat_id' } },
    columns: { parts: { column: 'reportColumn', heading: 'plain', text: { label: 'fixedText' } } },
    measures: { parts: { measure: 'reportColumn', code: 'plain' } },
  } satisfies FieldsOf<ReportTemplate>,
  request,
  role: {
    ...plain('name', 'notes', 'createdAt'),
    ...untold('id', 'leavingAt'),
    ...{ permissions: 'permission', departments: 'department' },
  } satisfies FieldsOf<CustomRole>,
  schedule: {
    ...untold('employee', 'month', 'changedAt', 'task'),
    days: { kind: 'shift', isByName: true },
    draft: { kind: 'shift', isByName: true },
  } satisfies FieldsOf<ScheduleMonth>,
  scheduleTemplate: {
    ...plain('name'),
    ...untold('id'),
    firstWeekday: 'weekday',
    days: { parts: { shifts: 'shift' } },
  } satisfies FieldsOf<ScheduleTemplate>,
  shift,
  timeAccount: {
    ...plain('day', 'minutes', 'reason'),
    ...untold('id', 'employee', 'opening', 'by', 'at'),
    kind: 'accountEntry',
    counters: { label: 'countered', shows: 'picture' },
  } satisfies FieldsOf<TimeAccountEntry>,
  webhook: {
    ...plain('url', 'events', 'isOn'),
    ...untold('id'),
    ...{ secret: { shows: 'masked' }, former: { shows: 'masked' } },
    disabled: { parts: { at: { label: 'since' }, because: { label: 'reason', kind: 'disabledBecause' } } },
  } satisfies FieldsOf<Webhook>,
}

/** A complete declaration; undefined for an undeclared field. */
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

/** The declaration of a noun's field, or of an entry in its list by name. */
export const fieldOf = (noun: AuditedNoun, name: string): (Field & { label: FieldLabel }) | undefined => {
  const { [noun]: fields } = auditedFields
  const field = readDeclared(name in fields ? name : (nameOfEntries(fields) ?? name), fields)
  return field === 'untold' ? undefined : field
}
