// biome-ignore-all lint/a11y/useFocusableInteractive: users only read the counts.
// biome-ignore-all lint/a11y/useSemanticElements: the counts are rows of a grid that is not a table.
import { ChevronDown, ChevronUp } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Link } from '../shell/router.ts'
import type { DayCounts } from './plan-count.ts'
import type { BoardShift, Head } from './row.ts'

/** The sticky rows below the board: the number of people who work on each day and each shift. */
export const BoardFoot = memo(function BoardFoot(props: {
  heads: readonly Head[]
  shifts: ReadonlyMap<string, BoardShift>
  counts: DayCounts
  /** The grid's row number of the first of these rows. */
  place: number
  isOpen: boolean
  onToggle: () => void
}) {
  const { t } = useTranslation('schedule')
  const formats = useFormats()
  const { heads, shifts, counts, place, isOpen } = props
  const mayOpen = useMayOpen()
  const line = (own: readonly number[], name: string) =>
    heads.map(({ day, name: dayName, looks }, column) => {
      const count = own[column] ?? 0
      return (
        <div
          key={day}
          role="gridcell"
          aria-colindex={column + 2}
          aria-label={`${name}, ${dayName}: ${count}`}
          className={`board-count figure ${looks}${count === 0 ? ' none' : ''}`}
        >
          {count === 0 ? '–' : formats.number(count)}
        </div>
      )
    })
  const usedShifts = [...counts.shifts].flatMap(([id, own]) => {
    const shift = shifts.get(id)
    return shift && own.some(count => count > 0) ? [{ shift, own }] : []
  })
  const order = [...shifts.keys()]
  usedShifts.sort((a, b) => order.indexOf(a.shift.id) - order.indexOf(b.shift.id))
  return (
    <div role="rowgroup" className="board-foot" aria-label={t('counts.label')}>
      <div role="row" className="board-sum" aria-rowindex={place}>
        <div role="rowheader" aria-colindex={1} className="board-name">
          <button type="button" className="link" aria-expanded={isOpen} onClick={props.onToggle}>
            {t('counts.people')}
            {isOpen ? (
              <ChevronDown className="icon" aria-hidden="true" />
            ) : (
              <ChevronUp className="icon" aria-hidden="true" />
            )}
          </button>
        </div>
        {line(counts.people, t('counts.people'))}
      </div>
      {isOpen &&
        usedShifts.map(({ shift, own }, index) => (
          <div key={shift.id} role="row" className="board-sum" aria-rowindex={place + 1 + index}>
            <div role="rowheader" aria-colindex={1} className="board-name">
              <span className={`shift-name shift-color ${shift.color}`} title={shift.words}>
                <span>{shift.name}</span>
              </span>
            </div>
            {line(own, shift.name)}
          </div>
        ))}
      {isOpen && counts.away.some(count => count > 0) && (
        <div role="row" className="board-sum away" aria-rowindex={place + 1 + usedShifts.length}>
          <div role="rowheader" aria-colindex={1} className="board-name">
            {mayOpen('/leave') ? (
              <Link className="link" to={`/leave?view=calendar&month=${heads[0]?.day.slice(0, 7)}`}>
                {t('counts.away')}
              </Link>
            ) : (
              t('counts.away')
            )}
          </div>
          {line(counts.away, t('counts.away'))}
        </div>
      )}
    </div>
  )
})

/** The marks of the board's cells. */
export const BoardLegend = memo(function BoardLegend({ hasDraft }: { hasDraft: boolean }) {
  const { t } = useTranslation('schedule')
  const marks = [
    'given',
    'asked',
    'holiday',
    'half-holiday',
    ...(hasDraft ? (['draft'] as const) : []),
    'unsaved',
  ] as const
  return (
    <p className="board-legend">
      {marks.map(mark => (
        <span key={mark}>
          <i aria-hidden="true" className={mark} />
          {t(`legend.${mark}`)}
        </span>
      ))}
    </p>
  )
})
