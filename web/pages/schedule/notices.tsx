import { Clock, X } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import type { Conflict } from '../../parts/board/plan-conflict.ts'
import type { BoardShift } from '../../parts/board/row.ts'
import { Button } from '../../parts/button.tsx'
import { useSentence } from '../../parts/field/form.tsx'
import type { Problem } from './save.tsx'

const mostShown = 4

/** The conflicts of the unsaved plan: people, days and shifts. Each conflict links to its cell. */
export const Conflicts = memo(function Conflicts(props: {
  conflicts: readonly Conflict[]
  shifts: ReadonlyMap<string, BoardShift>
  onSeek: (conflict: Conflict) => void
}) {
  const { t } = useTranslation(['schedule', 'error'])
  const formats = useFormats()
  const { conflicts, shifts } = props
  const more = conflicts.length - mostShown
  const words = (id: string) => shifts.get(id)?.words ?? ''
  return (
    <section className="notice danger conflicts" aria-label={t('conflicts.label')}>
      <div>
        <strong role="status">{t('conflicts.title', { count: conflicts.length })}</strong>
        <ul>
          {conflicts.slice(0, mostShown).map(conflict => (
            <li key={Object.values(conflict).join()}>
              <button type="button" className="link" onClick={() => props.onSeek(conflict)}>
                {t('conflict', {
                  name: conflict.name,
                  shift: words(conflict.shift),
                  withShift: words(conflict.withShift),
                  day: formats.shortDay(conflict.day),
                  withDay: formats.shortDay(conflict.withDay),
                })}
              </button>
            </li>
          ))}
        </ul>
        {more > 0 && <p>{t('conflicts.more', { count: more })}</p>}
      </div>
    </section>
  )
})

/** The changes that the server has refused. */
export function Problems(props: {
  problems: readonly Problem[]
  /** The number of further refused changes, whose details the server did not return. */
  unnamed: number
  shifts: ReadonlyMap<string, BoardShift>
  onClose: () => void
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const formats = useFormats()
  const sentence = useSentence()
  const { problems, unnamed } = props
  const more = problems.length + unnamed - mostShown
  const nameOf = (shift: string | undefined) => (shift && props.shifts.get(shift)?.name) || shift || ''
  const wordsOf = ({ about, code }: Problem) => {
    if (!about) return sentence(code)
    const { name, day, shift, withDay, withShift } = about
    if (day && shift && withDay && withShift)
      return t('conflict', {
        name,
        shift: nameOf(shift),
        withShift: nameOf(withShift),
        day: formats.shortDay(day),
        withDay: formats.shortDay(withDay),
      })
    return [name, day && formats.shortDay(day), sentence(code)].filter(Boolean).join(': ')
  }
  return (
    <section className="notice danger conflicts" role="alert">
      <div>
        <strong>{t('problems')}</strong>
        <ul>
          {problems.slice(0, mostShown).map((problem, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list of a finished task never changes.
            <li key={index}>{wordsOf(problem)}</li>
          ))}
        </ul>
        {more > 0 && <p>{t('conflicts.more', { count: more })}</p>}
        {unnamed > 0 && <p>{t('unnamed')}</p>}
      </div>
      <Button look="quiet" square aria-label={t('shell:close')} icon={<X className="icon" />} onClick={props.onClose} />
    </section>
  )
}

/** Warns that the browser's time zone has other hours than the company's (59040). */
export function ZoneNotice({ zone, own }: { zone: string; own: string }) {
  const { t } = useTranslation('schedule')
  const sentence = useSentence()
  return (
    <div className="notice warn" role="alert">
      <Clock className="icon" aria-hidden="true" />
      <div>
        <strong>{sentence(59040)}</strong>
        <p>{t('zone', { zone: zone.replaceAll('_', ' '), own: own.replaceAll('_', ' ') })}</p>
      </div>
    </div>
  )
}
