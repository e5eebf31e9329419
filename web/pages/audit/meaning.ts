import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import type { RowOf } from '../../read.ts'

// Names for the coded values of audited fields. A field that is not listed shows its value as it is.

const useTexts = () =>
  useTranslation([
    ...(['audit', 'shell', 'approve', 'company', 'device', 'exception', 'leave', 'report', 'role', 'shift'] as const),
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

export type Noun = RowOf<'audit/grid'>['changes'][number]['noun']
type Meaning = (tongue: Tongue, value: Value, noun: Noun) => string | undefined

const isOn: Meaning = ({ t }, value) => t(Number(value) === 1 ? 'value.on' : 'value.off')
// The first of November 2026 is a Sunday.
const dayOfWeek: Meaning = ({ weekday }, value) => weekday.format(Date.UTC(2026, 10, 1 + Number(value)))

const meanings: Readonly<Record<string, Meaning>> = {
  role: ({ t }, value) => t(`value.role.${Number(value) as 0}`, orItself(value)),
  roleId: ({ t }, value) => t(`role:systemRole.${value as 'personnelmanager'}.name`, orItself(value)),
  permissions: ({ t }, value) => t(`role:function.${Number(value) as 1}.name`, orItself(value)),
  country: ({ regions }, value) => (/^[A-Z]{2}$/.test(String(value)) ? regions.of(String(value)) : undefined),
  language: ({ t, languages }, value, noun) =>
    noun === 'device' ? t(`value.deviceLanguage.${Number(value) as 0}`, orItself(value)) : languages.of(String(value)),
  industry_id: ({ t }, value) => t(`company:industry.${Number(value) as 1}`, orItself(value)),
  dateformat_id: ({ t }, value) => t(`company:formats.dates.${Number(value) as 1}`, orItself(value)),
  timeformat_id: ({ t }, value) => t(`company:formats.times.${Number(value) as 1}`, orItself(value)),
  view: ({ t }, value) => t(`report:view.${value as 'daily'}`, orItself(value)),
  columns: ({ t }, value) => t(`report:column.${value as 'day'}`, orItself(value)),
  every: ({ t }, value) => t(`value.every.${value as 'daily'}`, orItself(value)),
  weekday: dayOfWeek,
  firstWeekday: dayOfWeek,
  noClockOut: ({ t }, value) => t(`shift:noClockOut.${Number(value) as 0}`, orItself(value)),
  color: ({ t }, value) => t(`shift:color.${value as 'teal'}`, orItself(value)),
  work_mode: ({ t }, value) => t(`company:prevention.work_mode.${Number(value) as 0}`, orItself(value)),
  relay_output: ({ t }, value) => t(`company:prevention.relay_output.${Number(value) as 0}`, orItself(value)),
  mask_detection: ({ t }, value) => t(`company:prevention.mask_detection.${Number(value) as 0}`, orItself(value)),
  temp_unit: (_, value) => (Number(value) === 1 ? '°F' : '°C'),
  mask_alarm: isOn,
  fever_alarm: isOn,
  temp_opendoor: isOn,
  temp_access: isOn,
  punchMode: ({ t }, value) => t(`value.punchMode.${Number(value) as 0}`, orItself(value)),
  sign: ({ formats }, value) => formats.number(Number(value) + 1),
  kind: ({ t }, value) => t(`value.kind.${value as 'face'}`, orItself(value)),
  state: ({ t }, value, noun) =>
    noun === 'device' ? t(`value.deviceState.${value as 'bound'}`, orItself(value)) : undefined,
  authentication: ({ t }, value) => t(`device:authentication.${value as 'claim'}.name`, orItself(value)),
  type: ({ t }, value, noun) =>
    noun === 'reportMail'
      ? String(value).toUpperCase()
      : noun === 'request'
        ? t(`approve:type.${Number(value) as 1}`, orItself(value))
        : t(`exception:type.${value as 'missingIn'}`, orItself(value)),
  outside: ({ t }, value) => t(`value.outside.${value as 'flag'}`, orItself(value)),
  secondStep: ({ t }, value) => t(`approve:type.${Number(value) as 1}`, orItself(value)),
  status: ({ t }, value) => t(`approve:status.${Number(value) as 0}`, orItself(value)),
  inout: ({ t }, value) => t(`approve:inout.${Number(value) as 0}`, orItself(value)),
  leaveType: ({ t }, value) => t(`leave:type.${Number(value) as 1}`, orItself(value)),
  timeUnit: ({ t }, value) => t(Number(value) === 1 ? 'shell:unit.hours' : 'shell:unit.minutes'),
  rounding: ({ t }, value) => t(`value.rounding.${Number(value) as 0}`, orItself(value)),
  expiresAt: ({ formats }, value) =>
    typeof value === 'number' ? formats.dayAndTime(new Date(value * 1000).toISOString()) : undefined,
}

export const meaningOf = (tongue: Tongue, noun: Noun, name: string, value: Value): string | undefined =>
  Object.hasOwn(meanings, name) ? meanings[name]?.(tongue, value, noun) : undefined
