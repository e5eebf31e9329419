// biome-ignore-all lint/a11y/useFocusableInteractive: counts are read, not worked with.
// biome-ignore-all lint/a11y/useSemanticElements: they stand in a grid whose rows are no table's.
import { ChevronDown, ChevronUp } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import type { DayCounts } from './plan-count.ts'
import type { BoardShift, Head } from './row.ts'

/** Under the board, always in sight: how many people work on each day, and on each shift. */
export const BoardFoot = memo(function BoardFoot(props: {
  heads: readonly Head[]
  shifts: ReadonlyMap<string, BoardShift>
  counts: DayCounts
  /** Which row of the whole grid the first one is. */
  place: number
  isOpen: boolean
  onToggle: () => void
}) {
  const { t } = useTranslation('schedule')
  const formats = useFormats()
  const { heads, shifts, counts, place, isOpen } = props
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
  const used = [...counts.shifts].flatMap(([id, own]) => {
    const shift = shifts.get(id)
    return shift && own.some(count => count > 0) ? [{ shift, own }] : []
  })
  const order = [...shifts.keys()]
  used.sort((one, other) => order.indexOf(one.shift.id) - order.indexOf(other.shift.id))
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
        used.map(({ shift, own }, index) => (
          <div key={shift.id} role="row" className="board-sum" aria-rowindex={place + 1 + index}>
            <div role="rowheader" aria-colindex={1} className="board-name">
              <span className={`shift-name shift-color ${shift.color}`} title={shift.words}>
                <span>{shift.name}</span>
              </span>
            </div>
            {line(own, shift.name)}
          </div>
        ))}
    </div>
  )
})
