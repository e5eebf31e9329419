import { CalendarOff, CircleCheck, Lock } from 'lucide-react'
import { type MouseEvent, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { causeKinds } from '../../../shared/day.ts'
import { type Formats, useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useMayCorrect } from '../../parts/day/correct.tsx'
import type { ColumnOf } from '../../parts/list/grid.tsx'
import { PersonName } from '../../parts/list/person-name.tsx'
import { useMayEnter } from '../../parts/request/may-enter.ts'
import { type Move, missingPunch, type Raised, tones } from './words.ts'

type Act = (event: MouseEvent, what: Move | 'add' | 'leave', row: Raised) => void

/** A question mark replaces the time of the missing punch. */
const timeOf = (formats: Formats, at: string | undefined, { timezone }: Raised) =>
  at ? formats.time(at, timezone) : '?'

function Shift({ row }: { row: Raised }) {
  const { t } = useTranslation('exception')
  return row.shiftName ? (
    <span className={`shift-name shift-color ${row.shiftColor ?? ''}`}>{row.shiftName}</span>
  ) : (
    <span className="muted">{t('free')}</span>
  )
}

/** The state of an exception, with its buttons. */
function StateOf(props: { row: Raised; name: string; act: Act; mayAdd: boolean; mayEnter: boolean }) {
  const { t } = useTranslation('exception')
  const formats = useFormats()
  const { row, name, act, mayAdd, mayEnter } = props
  const missing = mayAdd ? missingPunch(row) : undefined
  const isShort = missing !== undefined || row.isLocked
  const cause = causeKinds.find(name => name === row.cause) ?? 'task'
  return (
    <span className="work-state">
      <span className={tones[row.state]}>{t(`state.${row.state}`)}</span>
      {row.state === 'open' && row.isLocked && (
        <span className="tag">
          <Lock className="icon" aria-hidden="true" /> {t('locked')}
        </span>
      )}
      {row.state === 'accepted' && (
        <span className="muted small" title={row.note}>
          {row.note ?? t('by', { name: row.by, at: formats.dayAndTime(row.at) })}
        </span>
      )}
      {row.state === 'settled' && <span className="muted small">{t(`settledBy.${cause}`)}</span>}
      {row.state === 'open' && (
        <span className="work-moves">
          {missing && (
            <Button
              look="quiet"
              aria-label={t('add.of', { name, time: formats.time(missing.at, row.timezone) })}
              onClick={event => act(event, 'add', row)}
            >
              {t('add.one', { time: formats.time(missing.at, row.timezone) })}
            </Button>
          )}
          {/* Beside the missing punch or the lock there is no room for words. */}
          <Button
            look="quiet"
            square={isShort}
            icon={isShort && <CircleCheck className="icon" aria-hidden="true" />}
            aria-label={t('acceptOf', { name })}
            title={isShort ? t('accept') : undefined}
            onClick={event => act(event, 'accept', row)}
          >
            {!isShort && t('accept')}
          </Button>
          {mayEnter && !row.isLocked && (
            <Button
              look="quiet"
              square
              icon={<CalendarOff className="icon" aria-hidden="true" />}
              aria-label={t('leave.of', { name })}
              title={t('leave.one')}
              onClick={event => act(event, 'leave', row)}
            />
          )}
        </span>
      )}
      {row.state === 'accepted' && (
        <span className="work-moves">
          <Button look="quiet" aria-label={t('reopenOf', { name })} onClick={event => act(event, 'reopen', row)}>
            {t('reopen')}
          </Button>
        </span>
      )}
    </span>
  )
}

const widths = {
  name: 'minmax(168px, 1.6fr)',
  type: 'minmax(120px, 1fr)',
  shift: 'minmax(128px, 1fr)',
  state: 'minmax(196px, 2.4fr)',
}

/** Memoised, because the page renders on every selection. */
export const useColumns = (nameOf: (row: Raised) => string, act: Act, onExplain: (row: Raised) => void) => {
  const mayCorrect = useMayCorrect()
  const mayEnter = useMayEnter()
  const { t } = useTranslation(['exception', 'shell'])
  const formats = useFormats()
  return useMemo<ColumnOf<'exception/grid'>[]>(
    () => [
      {
        ...{ key: 'name', title: t('employee'), width: widths.name },
        cell: row => <PersonName person={row} hasNumber onPress={() => onExplain(row)} />,
      },
      {
        ...{ key: 'day', title: t('day'), width: '136px' },
        cell: row => (
          <span className="figure">
            {formats.day(row.day)} <span className="muted">{formats.weekday(row.day)}</span>
          </span>
        ),
      },
      {
        ...{ key: 'type', title: t('what'), width: widths.type },
        cell: row => <strong>{t(`type.${row.type}`)}</strong>,
      },
      {
        ...{ key: 'minutes', title: t('time'), unit: t(`shell:unit.${formats.unit('work')}`), width: '76px' },
        isNumber: true,
        cell: row => <span className="figure">{formats.duration(row.minutes, 'work')}</span>,
      },
      {
        ...{ key: 'shift', title: t('shift'), width: widths.shift, isExtra: true },
        cell: row => <Shift row={row} />,
      },
      {
        ...{ key: 'punches', title: t('punches'), width: '116px', isExtra: true },
        cell: row => (
          <span className="figure">
            {timeOf(formats, row.firstIn, row)} – {timeOf(formats, row.lastOut, row)}
          </span>
        ),
      },
      {
        ...{ key: 'state', title: t('state.label'), width: widths.state },
        cell: row => (
          <StateOf
            {...{ row, act, name: nameOf(row) }}
            mayAdd={mayCorrect(row.employee)}
            mayEnter={mayEnter(row.employee)}
          />
        ),
      },
    ],
    [t, formats, nameOf, act, onExplain, mayCorrect, mayEnter],
  )
}
