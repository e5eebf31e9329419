import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { defaultParameters } from '../../../shared/attendance/input.ts'
import { type Field, type FieldLabel, fieldOf, readDeclared } from '../../../shared/audit/field.ts'
import type { LeaveRule } from '../../../shared/leave/rule.ts'
import { unchosenRules } from '../../../shared/rule.ts'
import { useShownName } from '../../parts/list/person-name.tsx'
import type { RowOf } from '../../read.ts'
import { meaningOf, type Tongue, useTongue } from './meaning.ts'

// Describes a change in words: the names of its fields and their values.

export type Entry = RowOf<'audit/grid'>
export type Change = Entry['changes'][number]
export type Noun = Change['noun']
type Names = Entry['names']
/** Undefined for an undeclared field. The page shows its raw name and value. */
type Declared = (Field & { label: FieldLabel }) | undefined

/** A changed field. For a secret or a picture, the page shows only that it changed. */
export interface Line {
  key: string
  name: string
  before?: string
  after?: string
  isSecret: boolean
}

/** Objects of these nouns have no names. The page shows the name of their employee. */
const ofPerson: readonly Noun[] = [
  ...([
    'absence',
    'correction',
    'credential',
    'dayNote',
    'delegation',
    'exception',
    'invitation',
    'leave',
    'request',
    'schedule',
  ] as const),
]

const secret = '•••'
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** Sorts the names, because the table does not keep their order. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(name => [name, ordered(value[name])]),
  )
}
const isSame = (first: unknown, second: unknown) => JSON.stringify(ordered(first)) === JSON.stringify(ordered(second))

/** For longer lists, the page shows only the added and the removed entries. */
const mostShown = 6

const partOf = (field: Declared, name: string): Declared => {
  const part = readDeclared(name, field?.parts ?? {})
  return part === 'untold' ? undefined : part
}

const useTranslated = () => useTranslation([...(['audit', 'shell', 'leave', 'shift'] as const)])
type T = ReturnType<typeof useTranslated>['t']
interface Reader {
  t: T
  tongue: Tongue
  shownName(name: string): string
}

const leaveTypeName = ({ t }: Reader, id: number) => t(`leave:type.${id as 1}`, { defaultValue: String(id) })

/** The title of a named entry: its day, its year and leave type, or the label of its field. */
const titleOf = (reader: Reader, name: string, field: Declared): string => {
  const { t, tongue } = reader
  if (/^\d{4}-\d{2}-\d{2}$/.test(name)) return tongue.formats.day(name)
  const [, year, leaveType] = /^(\d{4})#(\d+)$/.exec(name) ?? []
  if (year !== undefined) return t('value.leave.year', { year, type: leaveTypeName(reader, Number(leaveType)) })
  return field ? t(`field.${field.label}`, { defaultValue: name }) : name
}

const textWords = ({ formats }: Tongue, value: string): string => {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return formats.day(value)
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value)) return formats.dayAndTime(value)
  if (/^([01]\d|2[0-3]):[0-5]\d([+-]1)?$/.test(value)) return formats.wallTime(value)
  return value
}

const wordsOf = (reader: Reader, field: Declared, value: unknown, names: Names): string => {
  const { t, tongue } = reader
  if (value === undefined || value === null || value === '') return t('shell:none')
  if (typeof value === 'boolean') return t(value ? 'value.on' : 'value.off')
  if (Array.isArray(value)) {
    if (value.length === 0) return t('value.nothing')
    return value.map(item => wordsOf(reader, field, item, names)).join(', ')
  }
  if (isPlain(value)) {
    if (field?.label === 'steps') return stepWords(reader, value, names)
    if ('start' in value && 'end' in value) return breakWords(reader, value)
    return Object.entries(value)
      .map(([name, item]) => {
        const part = partOf(field, name)
        return `${titleOf(reader, name, part)}: ${wordsOf(reader, part, item, names)}`
      })
      .join(', ')
  }
  if (typeof value !== 'string' && typeof value !== 'number') return String(value)
  const referredName = names[value]
  if (referredName !== undefined) return reader.shownName(referredName)
  return (
    meaningOf(tongue, field?.kind ?? 'plain', value) ??
    (typeof value === 'number' ? tongue.formats.number(value) : textWords(tongue, value))
  )
}

/** A decision step. The entry itself shows the approver and the time. */
const stepWords = ({ t, tongue, shownName }: Reader, step: Record<string, unknown>, names: Names): string => {
  const { status, onBehalfOf, reason } = step
  return [
    meaningOf(tongue, 'requestStatus', Number(status)),
    onBehalfOf && t('value.onBehalfOf', { name: shownName(names[String(onBehalfOf)] ?? '–') }),
    reason,
  ]
    .filter(Boolean)
    .join(', ')
}

const breakWords = (reader: Reader, { start, end, ...minutes }: Record<string, unknown>): string => {
  const { t, tongue } = reader
  const inMinutes = (value: unknown) => `${wordsOf(reader, undefined, value, {})} ${t('shell:unit.minutes')}`
  const threshold = minutes.thresholdMinutes
    ? `; ${t('shift:breaks.threshold')}: ${inMinutes(minutes.thresholdMinutes)}`
    : ''
  const [from, to] = [tongue.formats.wallTime(String(start)), tongue.formats.wallTime(String(end))]
  return `${from} – ${to} (${inMinutes(minutes.durationMinutes)}${threshold})`
}

/** A part of a changed field, with a title of its own. */
interface Part {
  key: string
  title: string
  field: Declared
  before: unknown
  after: unknown
}

const leaveTypeParts = (reader: Reader, part: Part): Part[] => {
  const { t } = reader
  const byId = (list: unknown) =>
    new Map((Array.isArray(list) ? list : []).filter(isPlain).map(type => [Number(type.id), type]))
  const [previous, current] = [byId(part.before), byId(part.after)]
  const describe = (type: Record<string, unknown> | undefined) =>
    type &&
    (type.isOn
      ? [t(type.isPaid ? 'value.paid' : 'value.unpaid'), ...(type.fromAccount ? [t('value.fromAccount')] : [])].join(
          ', ',
        )
      : t('value.off'))
  return [...new Set([...previous.keys(), ...current.keys()])].map(id => ({
    ...part,
    key: `${part.key} ${id}`,
    title: `${part.title}: ${leaveTypeName(reader, id)}`,
    before: describe(previous.get(id)),
    after: describe(current.get(id)),
  }))
}

const leaveRuleParts = (reader: Reader, part: Part): Part[] => {
  const { t, tongue } = reader
  const byName = (list: unknown) =>
    new Map(
      (Array.isArray(list) ? (list as LeaveRule[]) : []).map(rule => [
        t('value.leave.since', { type: leaveTypeName(reader, rule.leaveType), year: String(rule.since) }),
        rule,
      ]),
    )
  const [previous, current] = [byName(part.before), byName(part.after)]
  const describe = (rule: LeaveRule | undefined) =>
    rule &&
    [
      t('value.leave.rule', {
        days: tongue.formats.number(rule.days),
        carried: tongue.formats.number(rule.mostCarriedDays),
        excess: t(`value.leave.excess.${rule.excess}`),
      }),
      rule.carriedUntil !== undefined &&
        t('value.leave.until', {
          day: Number(rule.carriedUntil.slice(3)),
          month: tongue.formats.monthOfYear(Number(rule.carriedUntil.slice(0, 2))),
        }),
      rule.proRatesLeavers && t('value.leave.leavers'),
    ]
      .filter(Boolean)
      .join('; ')
  return [...new Set([...previous.keys(), ...current.keys()])].map(name => ({
    ...part,
    key: `${part.key} ${name}`,
    title: `${part.title}: ${name}`,
    before: describe(previous.get(name)),
    after: describe(current.get(name)),
  }))
}

/** Only the new steps, because earlier entries show the earlier steps. */
const stepParts = (part: Part, after: unknown[]): Part[] => {
  const added = after.slice(Array.isArray(part.before) ? part.before.length : 0)
  return added.length > 0 ? [{ ...part, before: undefined, after: added }] : []
}

/** The fields of an object. A parameter that the company never set has the engine's default. */
const objectParts = (
  reader: Reader,
  { key, title, field, ...sides }: Part,
  placeOf: (part: Part) => number,
): Part[] => {
  const defaults: Record<string, unknown> =
    field?.label === 'parameters' ? { ...defaultParameters, ...unchosenRules } : {}
  const [before, after] = [sides.before, sides.after].map(side => ({ ...defaults, ...(isPlain(side) ? side : {}) }))
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .filter(name => readDeclared(name, field?.parts ?? {}) !== 'untold')
    .map(name => {
      const inner = partOf(field, name)
      const innerTitle = titleOf(reader, name, inner)
      return {
        key: `${key} ${name}`,
        title: field?.isGroup ? innerTitle : `${title}: ${innerTitle}`,
        ...{ field: inner, before: before?.[name], after: after?.[name] },
      }
    })
    .sort((first, second) => placeOf(first) - placeOf(second))
}

const partsOf = (reader: Reader, part: Part, placeOf: (part: Part) => number): Part[] => {
  const { before, after, field } = part
  if (field?.label === 'leaveTypes') return leaveTypeParts(reader, part)
  if (field?.label === 'leaveRules') return leaveRuleParts(reader, part)
  if (field?.label === 'steps' && Array.isArray(after)) return stepParts(part, after)
  if ((isPlain(before) || isPlain(after)) && !Array.isArray(before ?? after)) return objectParts(reader, part, placeOf)
  if (Array.isArray(before) && Array.isArray(after) && before.length + after.length > 2 * mostShown)
    return [
      {
        ...part,
        title: reader.t('value.list', { name: part.title, count: after.length }),
        before: before.filter(item => !after.includes(item)),
        after: after.filter(item => !before.includes(item)),
      },
    ]
  return [part]
}

const lineOf = (reader: Reader, { key, title, field, before, after }: Part, names: Names): Line => {
  const isSecret = before === secret || after === secret || field?.shows !== undefined
  const side = (value: unknown) => (isSecret ? secret : wordsOf(reader, field, value, names))
  return {
    ...{ key, name: title, isSecret },
    ...(before !== undefined && { before: side(before) }),
    ...(after !== undefined && { after: side(after) }),
  }
}

export const useAuditWords = () => {
  const { t } = useTranslated()
  const tongue = useTongue()
  const shownName = useShownName()
  return useMemo(() => {
    const reader = { t, tongue, shownName }
    /** Fields follow the order of their texts in the locale file. */
    const order = Object.keys(t('field', { returnObjects: true }))
    const placeOf = ({ field }: Part) =>
      field && order.includes(field.label) ? order.indexOf(field.label) : order.length

    /** One line for each changed field, or for each part of a composed field. */
    const linesOf = ({ noun, fields }: Change, names: Names): Line[] =>
      Object.entries(fields)
        .map(([name, { before, after }]) => {
          const field = fieldOf(noun, name)
          return { key: name, title: titleOf(reader, name, field), field, before, after }
        })
        .sort((first, second) => placeOf(first) - placeOf(second) || (first.key < second.key ? -1 : 1))
        .flatMap(part => partsOf(reader, part, placeOf))
        .filter(({ before, after }) => !isSame(before, after))
        .map(part => lineOf(reader, part, names))

    /** The name of the object at the time of the change. */
    const objectName = ({ noun, id, name }: Change, names: Names) => {
      if (name === secret) return t('object.erased')
      const storedName = ofPerson.includes(noun) ? names[id] : name || names[id]
      const shown = storedName === undefined ? t('object.gone') : shownName(storedName)
      // The day distinguishes the requests of an employee.
      return noun === 'request' && name ? `${shown}, ${tongue.formats.day(name)}` : shown
    }
    return { linesOf, objectName }
  }, [t, tongue, shownName])
}
