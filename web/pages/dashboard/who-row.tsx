import { Coffee, ScanLine, Smartphone } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { browserSn } from '../../../shared/punch.ts'
import { useFormats } from '../../format.ts'
import { useDeviceName } from '../../parts/list/device-name.ts'
import { PersonLink } from '../../parts/person-link.tsx'
import { Avatar } from '../../parts/shell/avatar.tsx'
import { fullName } from '../../person-name.ts'
import { type Person, useClockOf } from './who-read.ts'

/** The texts about one person: since when, where, and the mark at the end of the row. */
export const usePersonWords = () => {
  const { t } = useTranslation(['dashboard', 'leave'])
  const clockOf = useClockOf()
  const nameOf = useDeviceName()
  const duration = (minutes: number) =>
    minutes < 60
      ? t('who.minutes', { count: minutes })
      : t('who.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
  return {
    since: (person: Person) => {
      const { state, since, leaveType } = person
      if (state === 'leave') return leaveType === undefined ? t('who.leave') : t(`leave:type.${leaveType as 1}`)
      if (!since) return t('who.anyTime')
      // Without a clock-out, the time is that of the clock-in.
      const known = person.isForgotten ? 'in' : state
      return t(`who.since.${known}`, { time: clockOf(since, person) })
    },
    place: ({ device, deviceName, place }: Person) =>
      device === undefined ? '' : [nameOf({ device, deviceName }), place].filter(Boolean).join(' · '),
    mark: (person: Person): { text: string; tone: string } | undefined => {
      const { breakSince, isForgotten, isAbsent, isLate, lateMinutes, state } = person
      if (breakSince) return { text: t('who.break', { time: clockOf(breakSince, person) }), tone: 'tag' }
      if (isForgotten) return { text: t('who.forgotten'), tone: 'tag danger' }
      if (isAbsent) return { text: t('who.absent'), tone: 'tag danger' }
      if (!isLate) return undefined
      const time = duration(lateMinutes)
      return { text: t(state === 'missing' ? 'who.overdue' : 'who.late', { time }), tone: 'tag warn' }
    },
  }
}

/** One person of a list. Opens the person's day, if the user may see days. */
export function WhoRow(props: { person: Person; department: string; onOpen: (() => void) | undefined }) {
  const { person, department, onOpen } = props
  const { t } = useTranslation('shell')
  const formats = useFormats()
  const words = usePersonWords()
  const name = fullName(person)
  const mark = words.mark(person)
  const place = words.place(person)
  const PlaceIcon = person.device === browserSn ? Smartphone : ScanLine
  const cells = (
    <>
      <Avatar person={person} photo={person.photo} />
      <span className="who-name">
        <PersonLink id={person.employee} className="who-person">
          {name}
        </PersonLink>{' '}
        <small className="muted figure">{[person.workno, department].filter(Boolean).join(' · ')}</small>
      </span>
      <span className="who-since figure">{words.since(person)}</span>
      <span className="who-place">
        {place && (
          <>
            <PlaceIcon className="icon" aria-hidden="true" />
            <span>{place}</span>
          </>
        )}
      </span>
      <span className={`who-shift shift-color ${person.shiftColor ?? ''}`}>
        {person.shift && (
          <>
            <span className="dot" aria-hidden="true" />
            <span>{person.shift}</span>
            {person.dutyFrom && person.dutyTo && (
              <small className="muted figure">
                {formats.time(person.dutyFrom, person.timezone)}–{formats.time(person.dutyTo, person.timezone)}
              </small>
            )}
          </>
        )}
      </span>
      <span className="who-mark">
        {mark && (
          <span className={mark.tone}>
            {person.breakSince && <Coffee className="icon" aria-hidden="true" />}
            {mark.text}
          </span>
        )}
      </span>
    </>
  )
  return (
    <li className={onOpen ? 'who-row can-open' : 'who-row'}>
      {/* The button covers the row below the name, which is a link. */}
      {onOpen && (
        <button type="button" className="who-open" onClick={onOpen}>
          <span className="unseen">{t('row.open', { name })}</span>
        </button>
      )}
      {cells}
    </li>
  )
}
