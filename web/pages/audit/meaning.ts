import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { CodedKind, FieldKind } from '../../../shared/audit/field.ts'
import { leaveTypeOf } from '../../../shared/report/template-column.ts'
import { useFormats } from '../../format.ts'

// Names for the coded values of audited fields.

const useTexts = () =>
  useTranslation([
    ...([
      'audit',
      'shell',
      'approve',
      'company',
      'device',
      'exception',
      'holiday',
      'leave',
      'report',
      'report-template',
    ] as const),
    ...(['role', 'shift'] as const),
  ])

/** Texts and formats in the reader's language. */
export const useTongue = () => {
  const { t, i18n } = useTexts()
  const { language } = i18n
  const formats = useFormats()
  return useMemo(
    () => ({
      ...{ t, formats },
      regions: new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }),
      languages: new Intl.DisplayNames(language, { type: 'language', fallback: 'code' }),
      weekday: new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }),
    }),
    [t, formats, language],
  )
}
export type Tongue = ReturnType<typeof useTongue>

type Value = string | number
const orItself = (value: Value) => ({ defaultValue: String(value) })

type Meaning = (tongue: Tongue, value: Value) => string | undefined

// The first of November 2026 is a Sunday.
const weekday: Meaning = ({ weekday }, value) => weekday.format(Date.UTC(2026, 10, 1 + Number(value)))

// A role value is the id of a custom role, or the name of a system role.
const meanings: Readonly<Record<CodedKind | 'role', Meaning>> = {
  role: ({ t }, value) => t(`role:systemRole.${value as 'personnelmanager'}.name`, orItself(value)),
  systemRole: ({ t }, value) => t(`value.role.${Number(value) as 0}`, orItself(value)),
  permission: ({ t }, value) => t(`role:function.${Number(value) as 1}.name`, orItself(value)),
  country: ({ regions }, value) => (/^[A-Z]{2}$/.test(String(value)) ? regions.of(String(value)) : undefined),
  language: ({ languages }, value) => languages.of(String(value)),
  deviceLanguage: ({ t }, value) => t(`value.deviceLanguage.${Number(value) as 0}`, orItself(value)),
  industry: ({ t }, value) => t(`company:industry.${Number(value) as 1}`, orItself(value)),
  dateFormat: ({ t }, value) => t(`company:formats.dates.${Number(value) as 1}`, orItself(value)),
  timeFormat: ({ t }, value) => t(`company:formats.times.${Number(value) as 1}`, orItself(value)),
  nameFormat: ({ t }, value) => t(`company:formats.names.${Number(value) as 1}`, orItself(value)),
  reportView: ({ t }, value) => t(`report:view.${value as 'daily'}`, orItself(value)),
  reportColumn: ({ t }, value) => {
    const leave = leaveTypeOf(String(value))
    return leave
      ? t(`leave:type.${leave as '1'}`, orItself(value))
      : t(`report:column.${value as 'day'}`, orItself(value))
  },
  holidayBy: ({ t }, value) => t(value === 'clock' ? 'value.on' : 'value.off'),
  holidayPart: ({ t }, value) => t(`holiday:part.${value as 'half'}`, orItself(value)),
  interval: ({ t }, value) => t(`value.every.${value as 'daily'}`, orItself(value)),
  weekday,
  month: ({ formats }, value) => formats.monthOfYear(Number(value)),
  noClockOut: ({ t }, value) => t(`shift:noClockOut.${Number(value) as 0}`, orItself(value)),
  color: ({ t }, value) => t(`shift:color.${value as 'teal'}`, orItself(value)),
  temperatureMode: ({ t }, value) => t(`company:prevention.work_mode.${Number(value) as 0}`, orItself(value)),
  relayOutput: ({ t }, value) => t(`company:prevention.relay_output.${Number(value) as 0}`, orItself(value)),
  maskDetection: ({ t }, value) => t(`company:prevention.mask_detection.${Number(value) as 0}`, orItself(value)),
  temperatureUnit: (_, value) => (Number(value) === 1 ? '°F' : '°C'),
  onOff: ({ t }, value) => t(Number(value) === 1 ? 'value.on' : 'value.off'),
  punchMode: ({ t }, value) => t(`value.punchMode.${Number(value) as 0}`, orItself(value)),
  finger: ({ formats }, value) => formats.number(Number(value) + 1),
  templateKind: ({ t }, value) => t(`value.kind.${value as 'face'}`, orItself(value)),
  templateLayout: ({ t }, value) => t(`report-template:layout.${value as 'summary'}`, orItself(value)),
  templateUnit: ({ t }, value) => t(`report-template:unit.${value as 'clock'}`, orItself(value)),
  shiftKind: ({ t }, value) => t(`value.kind.${value as 'fixed'}`, orItself(value)),
  deviceState: ({ t }, value) => t(`value.deviceState.${value as 'bound'}`, orItself(value)),
  authentication: ({ t }, value) => t(`device:authentication.${value as 'claim'}.name`, orItself(value)),
  fileType: (_, value) => String(value).toUpperCase(),
  requestType: ({ t }, value) => t(`approve:type.${Number(value) as 1}`, orItself(value)),
  exceptionType: ({ t }, value) => t(`exception:type.${value as 'missingIn'}`, orItself(value)),
  correctionRule: ({ t }, value) => t(`value.correctionRule.${value as 'manager'}`, orItself(value)),
  correctionState: ({ t }, value) => t(`value.correctionState.${value as 'proposed'}`, orItself(value)),
  accountCut: ({ t }, value) => t(`value.accountCut.${value as 'lost'}`, orItself(value)),
  accountEntry: ({ t }, value) => t(`value.accountEntry.${value as 'opening'}`, orItself(value)),
  outside: ({ t }, value) => t(`value.outside.${value as 'flag'}`, orItself(value)),
  requestStatus: ({ t }, value) => t(`approve:status.${Number(value) as 0}`, orItself(value)),
  punchState: ({ t }, value) => t(`approve:inout.${Number(value) as 0}`, orItself(value)),
  leaveType: ({ t }, value) => t(`leave:type.${Number(value) as 1}`, orItself(value)),
  minutesAs: (_, value) => (value === 'clock' ? '7:30' : '450'),
  timeUnit: ({ t }, value) => t(Number(value) === 1 ? 'shell:unit.hours' : 'shell:unit.minutes'),
  rounding: ({ t }, value) => t(`value.rounding.${Number(value) as 0}`, orItself(value)),
  disabledBecause: ({ t }, value) => t(`value.disabledBecause.${value as 'gone'}`, orItself(value)),
  epochSeconds: ({ formats }, value) =>
    typeof value === 'number' ? formats.dayAndTime(new Date(value * 1000).toISOString()) : undefined,
}

/** The text of a coded value. Undefined if the value has no code. */
export const meaningOf = (tongue: Tongue, kind: FieldKind, value: Value): string | undefined =>
  Object.hasOwn(meanings, kind) ? meanings[kind as CodedKind | 'role'](tongue, value) : undefined
