import { EyeOff, Lock, Plus } from 'lucide-react'
import { type MouseEvent, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { causeKinds } from '../../../shared/day.ts'
import { roles } from '../../../shared/permissions.ts'
import { type Formats, useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { PersonName } from '../../parts/list/person-name.tsx'
import { Link } from '../../parts/shell/router.ts'
import { usePerson } from '../../session.tsx'
import { type Offers, type RowDeed, RowMenu } from './row-menu.tsx'
import { type Raised, tones } from './words.ts'

type Act = (what: RowDeed, row: Raised) => void

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

/** The button with the fix that the server proposes. */
function Fix({ row, name, act }: { row: Raised; name: string; act: Act }) {
  const { t } = useTranslation('exception')
  const formats = useFormats()
  const { proposal } = row
  if (!proposal) return null
  const Icon = proposal.kind === 'ignore' ? EyeOff : Plus
  const values = proposal.at ? { time: formats.time(proposal.at, row.timezone) } : { count: proposal.punches ?? 0 }
  return (
    <Button
      icon={<Icon className="icon" aria-hidden="true" />}
      aria-label={t(`fix.one.${proposal.kind}Of`, { ...values, name })}
      onClick={event => press(event, () => act('fix', row))}
    >
      {t(`fix.one.${proposal.kind}`, values)}
    </Button>
  )
}

/** Otherwise the click also opens the row. */
const press = (event: MouseEvent, run: () => void) => {
  event.stopPropagation()
  run()
}

/** The state of an exception, with its fix and its further actions. */
function StateOf(props: { row: Raised; name: string; act: Act; offers: Offers; isNarrow: boolean }) {
  const { t } = useTranslation('exception')
  const formats = useFormats()
  const { employee } = usePerson()
  const { row, name, act, offers, isNarrow } = props
  const isReopener = employee.role === roles.administrator
  // A narrow row has room for the lock and the menu only.
  const hasButton = !(row.isLocked && isNarrow)
  const cause = causeKinds.find(name => name === row.cause) ?? 'task'
  return (
    <span className="work-state">
      {row.state !== 'open' && <span className={tones[row.state]}>{t(`state.${row.state}`)}</span>}
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
          {offers.fix && <Fix {...{ row, name, act }} />}
          {isReopener && row.isLocked && hasButton && (
            <Link
              className="button quiet"
              to="/report/close"
              aria-label={t('reopenPeriodOf', { name })}
              onClick={event => event.stopPropagation()}
            >
              {t('reopenPeriod')}
            </Link>
          )}
          {!offers.fix && hasButton && !(isReopener && row.isLocked) && (
            <Button
              look="quiet"
              aria-label={t('acceptOf', { name })}
              onClick={event => press(event, () => act('review', row))}
            >
              {t('accept')}
            </Button>
          )}
          <RowMenu {...{ row, name, offers }} onPick={deed => act(deed, row)} />
        </span>
      )}
      {row.state === 'accepted' && (
        <span className="work-moves">
          <Button
            look="quiet"
            aria-label={t('reopenOf', { name })}
            onClick={event => press(event, () => act('reopen', row))}
          >
            {t('reopen')}
          </Button>
        </span>
      )}
    </span>
  )
}

const usualWidths = {
  name: 'minmax(216px, 2.4fr)',
  type: 'minmax(108px, 1fr)',
  shift: 'minmax(96px, 1fr)',
  state: 'minmax(216px, 2fr)',
}

/** Beside a docked panel, the list has half the room. */
const narrowWidths = {
  name: 'minmax(136px, 1.6fr)',
  type: 'minmax(104px, 1fr)',
  shift: 'minmax(128px, 1fr)',
  state: 'minmax(168px, 1.6fr)',
}

/** Memoised, because the page renders on every selection. */
export const useColumns = (props: {
  nameOf: (row: Raised) => string
  offersOf: (row: Raised) => Offers
  act: Act
  onExplain: (row: Raised) => void
  room: 'whole' | 'ample' | 'narrow'
}) => {
  const { nameOf, offersOf, act, onExplain, room } = props
  const { t } = useTranslation(['exception', 'shell'])
  const formats = useFormats()
  return useMemo<ColumnOf<'exception/grid'>[]>(() => {
    const widths = room === 'whole' ? usualWidths : narrowWidths
    const columns: ColumnOf<'exception/grid'>[] = [
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
          <StateOf {...{ row, act, name: nameOf(row), offers: offersOf(row) }} isNarrow={room !== 'whole'} />
        ),
      },
    ]
    if (room === 'whole') return columns
    return columns.filter(({ key, isExtra }) => !isExtra && (room === 'ample' || key !== 'minutes'))
  }, [t, formats, nameOf, offersOf, act, onExplain, room])
}
