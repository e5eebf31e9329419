import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { exceptionTypes } from '../../../shared/attendance/row.ts'
import { markOf } from '../../../shared/date-format.ts'
import { minutesAfter } from '../../../shared/local-day.ts'
import { columnAmount, type FileColumnName, type ReportColumn } from '../../../shared/report/column.ts'
import { type Formats, useFormats } from '../../format.ts'

// The cells of reports: their widths, and the value of each kind of column.

/** The highlighting of figure columns. */
const tones: Partial<Record<FileColumnName, string>> = {
  work: 'strong',
  late: 'late',
  early: 'late',
  absent: 'missed',
  unresolved: 'missed',
  overtime: 'more',
}

const widths: Partial<Record<FileColumnName, string>> = {
  name: 'minmax(192px, 2fr)',
  day: '128px',
  workno: '96px',
  shift: 'minmax(70px, 1fr)',
  department: 'minmax(128px, 1fr)',
  exceptions: 'minmax(110px, 1fr)',
  leaveTypes: 'minmax(140px, 1fr)',
  leaveDays: 'minmax(140px, 1fr)',
}
/** A figure column has room for its total, the longest value, because a truncated total looks like a smaller one. */
export const widthOf = (name: FileColumnName, { kind }: ReportColumn<never>, letters: number) =>
  widths[name] ??
  (kind === 'figure'
    ? `minmax(${Math.max(60, 16 + 8 * letters)}px, 0.6fr)`
    : kind === 'time'
      ? '72px'
      : kind === 'text' || kind === 'state' || kind === 'dayKind'
        ? '104px'
        : '92px')

export const isNumber = ({ kind }: ReportColumn<never>) => kind === 'figure' || kind === 'count' || kind === 'days'

/** Renders the value of a column in a row. */
export const useCells = () => {
  const { t } = useTranslation(['report', 'leave', 'shell'])
  const formats = useFormats()
  return useMemo(() => {
    const none = <span className="muted nothing">{t('shell:none')}</span>
    const decimals = (value: number) => formats.number(Math.round(value * 100) / 100)
    const leave = (byType: Record<string, number>, show: (value: number) => string) => {
      const entries = Object.entries(byType)
      return entries.length === 0
        ? none
        : entries
            .map(([type, value]) => `${t(`leave:type.${type as '1'}`, { defaultValue: type })} ${show(value)}`)
            .join(', ')
    }
    return <Row,>(name: FileColumnName, column: ReportColumn<Row>, row: Row, zone: string): ReactNode => {
      switch (column.kind) {
        case 'text':
        case 'number':
          return column.of(row) ?? none
        case 'day': {
          const day = column.of(row)
          return day === undefined ? none : `${formats.day(day)} ${formats.weekday(day)}`
        }
        case 'time': {
          const at = column.of(row)
          if (!at) return none
          const { day = '' } = row as { day?: string }
          const daysOff = Math.floor(minutesAfter(zone, Date.parse(at), day) / 1440)
          return (
            <span className="figure">
              {formats.time(at, zone)}
              {daysOff !== 0 && <sup>{markOf(daysOff).trim()}</sup>}
            </span>
          )
        }
        case 'state': {
          const state = column.of(row)
          return <span className={state === 'final' ? 'tag ok' : 'tag'}>{t(`state.${state as 'final'}`)}</span>
        }
        case 'dayKind':
          return t(`kind.${column.of(row) as 'work'}`)
        case 'exceptions': {
          const presentExceptions = exceptionTypes.filter(exception => column.of(row).includes(exception))
          return presentExceptions.length === 0
            ? none
            : presentExceptions.map(exception => (
                <span key={exception} className="tag danger">
                  {t(`exception.${exception}`)}
                </span>
              ))
        }
        case 'count':
        case 'days': {
          const value = column.of(row)
          return value > 0 ? <span className="figure">{decimals(value)}</span> : none
        }
        case 'figure': {
          const value = columnAmount(column, row, formats.isHours(column.measure))
          return value !== 0 ? (
            <span className={`figure ${tones[name] ?? ''}`}>{formats.amount(value, column.measure)}</span>
          ) : (
            none
          )
        }
        case 'leaveMinutes':
          return leave(column.of(row), value => formats.duration(value, 'absence'))
        case 'leaveDays':
          return leave(column.of(row), decimals)
      }
    }
  }, [t, formats])
}

export const unitOf = (column: ReportColumn<never>, formats: Formats) =>
  column.kind === 'figure'
    ? formats.unit(column.measure)
    : column.kind === 'leaveMinutes'
      ? formats.unit('absence')
      : undefined
