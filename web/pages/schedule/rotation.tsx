import { Minus, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { templateLimits } from '../../../shared/schedule/limit.ts'
import { useFormats } from '../../format.ts'
import type { BoardShift } from '../../parts/board/row.ts'
import { Button } from '../../parts/button.tsx'
import { shiftsIn, type Weeks, weekdaysFrom } from './weeks.ts'

/** The weeks of a rotation, with the shift of each day. */
export function Rotation(props: { weeks: Weeks; shifts: readonly BoardShift[]; onWeeks: (weeks: string[][]) => void }) {
  const { t } = useTranslation('schedule')
  const formats = useFormats()
  const { weeks, shifts, onWeeks } = props
  const days = weekdaysFrom(formats.firstWeekday)
  const set = (week: number, day: number, shift: string) =>
    onWeeks(weeks.map((cells, index) => (index === week ? cells.with(day, shift) : [...cells])))
  const byId = new Map(shifts.map(shift => [shift.id, shift]))
  const namesOf = (cell: string) => (shiftsIn(cell) ?? []).map(id => byId.get(id)?.name ?? '').join(' + ')
  return (
    <div className="rotation">
      <table>
        <thead>
          <tr>
            <td />
            {days.map(day => (
              <th key={day} scope="col">
                {formats.weekday(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((cells, week) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place identifies a week.
            <tr key={week}>
              <th scope="row">{t('repeat.week', { number: week + 1 })}</th>
              {days.map((day, index) => {
                const cell = cells[index] ?? ''
                return (
                  <td key={day}>
                    <select
                      className={`shift-color ${byId.get(shiftsIn(cell)?.[0] ?? '')?.color ?? ''}`}
                      aria-label={t('repeat.cell', { number: week + 1, day: formats.weekday(day) })}
                      value={cell}
                      onChange={event => set(week, index, event.target.value)}
                    >
                      <option value="">{t('eraser')}</option>
                      {shifts.map(({ id, name }) => (
                        <option key={id} value={id}>
                          {name}
                        </option>
                      ))}
                      {/* A template can have several shifts on a day. */}
                      {cell.includes('+') && <option value={cell}>{namesOf(cell)}</option>}
                      <option value="leave">{t('repeat.leave')}</option>
                    </select>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="rotation-do">
        <Button
          look="quiet"
          icon={<Plus className="icon" />}
          disabled={weeks.length >= templateLimits.weeks}
          onClick={() => onWeeks([...weeks, weeks.at(-1) ?? []].map(cells => [...cells]))}
        >
          {t('repeat.more')}
        </Button>
        <Button
          look="quiet"
          icon={<Minus className="icon" />}
          disabled={weeks.length <= 1}
          onClick={() => onWeeks(weeks.slice(0, -1).map(cells => [...cells]))}
        >
          {t('repeat.fewer')}
        </Button>
      </div>
    </div>
  )
}
