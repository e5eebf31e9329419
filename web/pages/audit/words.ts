import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiKey } from '../../../shared/apikey.ts'
import type { Delegation } from '../../../shared/approve.ts'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import type { OvertimeRule, WeeklyTarget } from '../../../shared/attendance/shift.ts'
import type { Company, Prevention } from '../../../shared/company.ts'
import type { Credential, Template } from '../../../shared/credential.ts'
import type { Department } from '../../../shared/department.ts'
import type { Device } from '../../../shared/device.ts'
import type { Employee } from '../../../shared/employee.ts'
import type { RaisedException } from '../../../shared/exception.ts'
import type { Holiday } from '../../../shared/holiday.ts'
import type { Invitation } from '../../../shared/invitation.ts'
import type { LeaveRule } from '../../../shared/leave/rule.ts'
import type { LeaveBook, OwnLeave } from '../../../shared/leave.ts'
import type { BrowserPunch, Place } from '../../../shared/personal/browser-punch.ts'
import type { ReportMail } from '../../../shared/report/mail.ts'
import type { LeaveRequest, OvertimeRequest, ShiftRequest } from '../../../shared/request.ts'
import type { CustomRole } from '../../../shared/role.ts'
import type { Shift } from '../../../shared/shift.ts'
import type { Webhook } from '../../../shared/webhooks.ts'
import type { Formats } from '../../format.ts'
import { useShownName } from '../../parts/list/person-name.tsx'
import type { RowOf } from '../../read.ts'
import { meaningOf, type Noun, useTongue } from './meaning.ts'

// What was changed, in words: the names of fields and their values as people know them.

export type Entry = RowOf<'audit/grid'>
export type Change = Entry['changes'][number]

/** A line of a change: a secret, or what says nothing to people, is only told to have changed. */
export interface Line {
  key: string
  name: string
  before?: string
  after?: string
  isSecret: boolean
}

type Stored =
  | keyof ApiKey
  | keyof BrowserPunch
  | keyof Company
  | keyof Credential
  | keyof CustomRole
  | keyof Delegation
  | keyof Department
  | keyof Device
  | keyof Employee
  | keyof Holiday
  | keyof Invitation
  | keyof LeaveRequest
  | keyof LeaveBook
  | keyof NonNullable<Company['parameters']>
  | keyof OvertimeRequest
  | keyof OvertimeRule
  | keyof OwnLeave
  | keyof Place
  | keyof Prevention
  | keyof RaisedException
  | keyof ReportMail
  | keyof Shift
  | keyof ShiftRequest
  | keyof Template
  | keyof Webhook
  | keyof WeeklyTarget
/** Told by nobody: the audit leaves them out, or they say what the entry says itself. */
type Untold =
  | 'acceptedBy'
  | 'at'
  | 'attachments'
  | 'bytes'
  | 'cardDigest'
  | 'cause'
  | 'comments'
  | 'connection'
  | 'createdBy'
  | 'dayParts'
  | 'denied'
  | 'clockZone'
  | 'recordsFrom'
  | 'driftSeconds'
  | 'edition'
  | 'emptiedAt'
  | 'entries'
  | 'faces'
  | 'file'
  | 'emailSetBy'
  | 'fingerAlgorithm'
  | 'firstOnlineAt'
  | 'formerRules'
  | 'formerWorknos'
  | 'generation'
  | 'hash'
  | 'id'
  | 'ip'
  | 'lastAt'
  | 'isSilent'
  | 'lastSeenAt'
  | 'leavingAt'
  | 'lockedAt'
  | 'lockedBy'
  | 'nextAt'
  | 'passwordSetBy'
  | 'pending'
  | 'profile'
  | 'protocol'
  | 'reconciledOn'
  | 'reconcileFrom'
  | 'pageLostAt'
  | 'allAsked'
  | 'wroteAt'
  | 'records'
  | 'recovered'
  | 'refused'
  | 'counted'
  | 'repeatedHourAt'
  | 'resetAt'
  | 'listed'
  | 'quiet'
  | 'refusedDeliveries'
  | 'replacedAt'
  | 'sessionsSince'
  | 'settings'
  | 'shift'
  | 'templates'
  | 'unsent'
  | 'uploadedAt'
  | 'users'
  | 'version'
  | 'zone'
type Named = Exclude<Stored, Untold>
/** A field that is stored has a name in the texts: one that is added without does not compile below. */
type FieldText = keyof typeof import('../../../shared/locales/en/audit.json')['field']

/** The same word for another thing. */
const ofNoun: Partial<Record<Noun, Partial<Record<Stored, FieldText>>>> = {
  device: { state: 'deviceState', language: 'deviceLanguage' },
  credential: { kind: 'templateKind' },
  reportMail: { type: 'fileType' },
  request: { at: 'punchAt', type: 'requestType' },
}

/** Objects of these have no name of their own: they are their person's. */
const ofPerson: readonly Noun[] = [
  ...(['credential', 'delegation', 'exception', 'invitation', 'leave', 'request', 'schedule'] as const),
]

/** Stand for something people know by its looks, or for nothing at all. */
const opaque: readonly string[] = [
  'account',
  'logo',
  'photo',
  'sealed',
  'tokenHash',
  'pathSecretHash',
] satisfies Named[]
/** Their entries have names of their own. */
const groups: readonly string[] = ['parameters', 'prevention', 'weekly'] satisfies Named[]

const secret = '•••'
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** The store does not keep the order of names. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(name => [name, ordered(value[name])]),
  )
}
const same = (one: unknown, other: unknown) => JSON.stringify(ordered(one)) === JSON.stringify(ordered(other))

/** Longer lists are told by what came and went. */
const mostShown = 6

export const useAuditWords = () => {
  const { t } = useTranslation([...(['audit', 'shell', 'leave', 'shift'] as const)])
  const tongue = useTongue()
  const shownName = useShownName()
  return useMemo(() => {
    const { formats } = tongue
    /** Fields are told in the order in which they are named. */
    const order = Object.keys(t('field', { returnObjects: true }))

    const leaveTypeName = (id: number) => t(`leave:type.${id as 1}`, { defaultValue: String(id) })

    const fieldName = (noun: Noun, name: string): string => {
      if (/^\d{4}-\d{2}-\d{2}$/.test(name)) return formats.day(name)
      const [, year, leaveType] = /^(\d{4})#(\d+)$/.exec(name) ?? []
      if (year !== undefined) return t('value.leave.year', { year, type: leaveTypeName(Number(leaveType)) })
      const key: FieldText = ofNoun[noun]?.[name as Named] ?? (name as Named)
      return t(`field.${key}`, { defaultValue: name })
    }

    const words = (noun: Noun, name: string, value: unknown, names: Entry['names']): string => {
      if (value === undefined || value === null || value === '') return t('shell:none')
      if (typeof value === 'boolean') return t(value ? 'value.on' : 'value.off')
      if (Array.isArray(value)) {
        return value.length === 0 ? t('value.nothing') : value.map(one => words(noun, name, one, names)).join(', ')
      }
      if (isPlain(value)) return name === 'steps' ? stepWords(value, names) : objectWords(noun, value, names)
      if (typeof value !== 'string' && typeof value !== 'number') return String(value)
      const called = names[value]
      if (called !== undefined) return shownName(called)
      return (
        meaningOf(tongue, noun, name, value) ??
        (typeof value === 'number' ? formats.number(value) : textWords(value, formats))
      )
    }
    /** What somebody decided; who and when says the entry. */
    const stepWords = ({ status, onBehalfOf, reason }: Record<string, unknown>, names: Entry['names']) =>
      [
        meaningOf(tongue, 'request', 'status', Number(status)),
        onBehalfOf && t('value.onBehalfOf', { name: shownName(names[String(onBehalfOf)] ?? '–') }),
        reason,
      ]
        .filter(Boolean)
        .join(', ')
    const objectWords = (noun: Noun, value: Record<string, unknown>, names: Entry['names']): string => {
      if ('start' in value && 'end' in value) {
        const [start, end] = [formats.wallTime(String(value.start)), formats.wallTime(String(value.end))]
        const off = `${words(noun, '', value.durationMinutes, names)} ${t('shell:unit.minutes')}`
        const threshold = value.thresholdMinutes
          ? `; ${t('shift:breaks.threshold')}: ${words(noun, '', value.thresholdMinutes, names)} ${t('shell:unit.minutes')}`
          : ''
        return `${start} – ${end} (${off}${threshold})`
      }
      return Object.entries(value)
        .map(([inner, one]) => `${fieldName(noun, inner)}: ${words(noun, inner, one, names)}`)
        .join(', ')
    }

    /** What changed, line by line; what is made of parts is told part by part. */
    const linesOf = ({ noun, fields }: Change, names: Entry['names']): Line[] => {
      const lines: Line[] = []
      const placeOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
      const inOrder = Object.entries(fields).sort(
        ([one], [other]) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1),
      )
      const tell = (key: string, title: string, name: string, before: unknown, after: unknown) => {
        if (same(before, after)) return
        const isSecret = before === secret || after === secret || opaque.includes(name)
        const side = (value: unknown) => (isSecret ? secret : words(noun, name, value, names))
        lines.push({
          key,
          name: title,
          isSecret,
          ...(before !== undefined && { before: side(before) }),
          ...(after !== undefined && { after: side(after) }),
        })
      }
      for (const [name, { before, after }] of inOrder) {
        const title = fieldName(noun, name)
        if (name === 'leaveTypes') {
          const byId = (list: unknown) =>
            new Map((Array.isArray(list) ? list : []).filter(isPlain).map(type => [Number(type.id), type]))
          const [old, now] = [byId(before), byId(after)]
          const told = (type: Record<string, unknown> | undefined) =>
            type && (type.isOn ? t(type.isPaid ? 'value.paid' : 'value.unpaid') : t('value.off'))
          for (const id of new Set([...old.keys(), ...now.keys()])) {
            tell(`${name} ${id}`, `${title}: ${leaveTypeName(id)}`, name, told(old.get(id)), told(now.get(id)))
          }
        } else if (name === 'leaveRules') {
          const byName = (list: unknown) =>
            new Map(
              (Array.isArray(list) ? (list as LeaveRule[]) : []).map(rule => [
                t('value.leave.since', { type: leaveTypeName(rule.leaveType), year: String(rule.since) }),
                rule,
              ]),
            )
          const [old, now] = [byName(before), byName(after)]
          const told = (rule: LeaveRule | undefined) =>
            rule &&
            t('value.leave.rule', {
              days: formats.number(rule.days),
              carried: formats.number(rule.mostCarriedDays),
              excess: t(`value.leave.excess.${rule.excess}`),
            })
          for (const one of new Set([...old.keys(), ...now.keys()]))
            tell(`${name} ${one}`, `${title}: ${one}`, name, told(old.get(one)), told(now.get(one)))
        } else if (name === 'steps' && Array.isArray(after)) {
          // What was decided before was told then.
          const held = Array.isArray(before) ? before.length : 0
          const added = after.slice(held)
          if (added.length > 0) tell(name, title, name, undefined, added)
        } else if ((isPlain(before) || isPlain(after)) && !Array.isArray(before ?? after)) {
          // A company that never said otherwise had the rules the engine has.
          const otherwise: Record<string, unknown> = name === 'parameters' ? { ...defaultParameters } : {}
          const [old, now] = [isPlain(before) ? before : otherwise, isPlain(after) ? after : otherwise]
          const inners = [...new Set([...Object.keys(old), ...Object.keys(now)])]
          for (const inner of inners.sort((one, other) => placeOf(one) - placeOf(other))) {
            if (inner === 'version') continue
            const part = fieldName(noun, inner)
            tell(`${name} ${inner}`, groups.includes(name) ? part : `${title}: ${part}`, inner, old[inner], now[inner])
          }
        } else if (Array.isArray(before) && Array.isArray(after) && before.length + after.length > 2 * mostShown) {
          const [gone, come] = [before.filter(one => !after.includes(one)), after.filter(one => !before.includes(one))]
          tell(name, t('value.list', { name: title, count: after.length }), name, gone, come)
        } else tell(name, title, name, before, after)
      }
      return lines
    }

    /** How the object is called, as it was then. */
    const objectName = ({ noun, id, name }: Change, names: Entry['names']) => {
      if (name === secret) return t('object.erased')
      const called = ofPerson.includes(noun) ? names[id] : name || names[id]
      const shown = called === undefined ? t('object.gone') : shownName(called)
      // Which of somebody's requests it is.
      return noun === 'request' && name ? `${shown}, ${formats.day(name)}` : shown
    }
    return { linesOf, objectName }
  }, [t, tongue, shownName])
}

const textWords = (value: string, formats: Formats) => {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return formats.day(value)
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value)) return formats.dayAndTime(value)
  if (/^([01]\d|2[0-3]):[0-5]\d([+-]1)?$/.test(value)) return formats.wallTime(value)
  return value
}
