import { type ContextType, Suspense, useContext, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isElsewhere } from '../../../shared/attendance/row.ts'
import { useFormats } from '../../format.ts'
import { useDeviceName } from '../list/device-name.ts'
import type { Explained } from './amount.ts'
import { Answer } from './answer.tsx'
import {
  AddPunch,
  type Correcting,
  CorrectionForm,
  type DayRule,
  mayUpdate,
  PunchButtons,
  useIsCorrector,
} from './correct.tsx'
import { CorrectionNote } from './correction-note.tsx'
import { FirstForm } from './first-form.ts'
import { useKeys } from './steps.tsx'
import type { Undo } from './undo.tsx'

/** The employee whose punches a manager may correct, and the rule for corrections. */
export interface Corrector {
  employee: string
  rule: DayRule
  /** Tells the panel about a saved correction, which the panel can undo. */
  made: Undo['made']
}

/** A form for one punch opens only if there is no choice. */
const firstFormOf = (day: Explained, first: ContextType<typeof FirstForm>): Correcting | undefined => {
  if (!first || first.shift !== day.shift) return undefined
  if (first.action === 'add') return { action: 'add' }
  const [punch, ...others] = day.punches.filter(punch => !isElsewhere(punch) && !punch.request)
  return punch && others.length === 0 ? { action: 'ignore', punch } : undefined
}

/** The punches of a day, with the forms that correct them or answer their corrections. */
export function Punches(props: {
  day: Explained
  corrector: Corrector | undefined
  sentences: string[]
  /** Whether the key A adds a punch here. */
  hasKeys: boolean
}) {
  const { t } = useTranslation('explain')
  const formats = useFormats()
  const nameOf = useDeviceName()
  const { day, corrector, sentences, hasKeys } = props
  const isCorrector = useIsCorrector()
  const rule = corrector && !day.isLocked && isCorrector(corrector.employee) ? corrector.rule : undefined
  const correctable =
    corrector && rule && !rule.refused ? { employee: corrector.employee, rule, made: corrector.made } : undefined
  const first = useContext(FirstForm)
  const [form, setForm] = useState<Correcting | undefined>(() => firstFormOf(day, first))
  const shown = [
    ...day.punches.map((punch, index) => ({ punch, text: sentences[index] ?? '' })),
    ...day.ignored.map(punch => {
      const { state = 'counts', isIgnored = false } = punch.correction ?? {}
      return { punch, text: t(`correct.${state === 'counts' || isIgnored ? 'ignored' : 'notCounted'}`) }
    }),
  ]
  /** Opens the form of the punch with the focus. */
  const editFocused = () => {
    const id = document.activeElement?.closest<HTMLElement>('[data-punch]')?.dataset.punch
    const found = shown.find(({ punch }) => punch.id === id)
    if (found && mayUpdate(found.punch)) setForm({ action: 'update', punch: found.punch })
  }
  useKeys({
    a: hasKeys && correctable && !form ? () => setForm({ action: 'add' }) : undefined,
    e: correctable && !form ? editFocused : undefined,
  })
  const isWaiting = shown.some(({ punch }) => punch.correction?.state === 'proposed')
  return (
    <section>
      <h4>{t('punches')}</h4>
      {shown.length === 0 && <p className="muted">{t('noPunches')}</p>}
      {isWaiting && rule?.canAnswer === false && <p className="notice warn">{t('correct.hint.noSignIn')}</p>}
      <ol className="explained-punches">
        {shown.map(({ punch, text }) => {
          const time = formats.time(punch.at, day.timezone)
          return (
            <li key={punch.id} data-punch={punch.id} className={isStruck(punch) ? 'is-ignored' : undefined}>
              <span>
                {text}
                <small className="muted">
                  {nameOf(punch)} <span className="figure">{formats.timeWithSeconds(punch.at, day.timezone)}</span>
                </small>
                <CorrectionNote punch={punch} timezone={day.timezone} day={day.day} isOwn={!corrector} />
              </span>
              {correctable && (
                <PunchButtons {...{ ...correctable, punch, time }} timezone={day.timezone} onForm={setForm} />
              )}
              {!corrector && !day.isLocked && <Answer punch={punch} time={time} />}
            </li>
          )
        })}
      </ol>
      {rule?.refused && <p className="muted">{t(`correct.refused.${rule.refused}`)}</p>}
      {correctable && !form && <AddPunch onForm={setForm} />}
      {correctable && form && (
        // The form's texts load when it first opens; the panel stays visible.
        <Suspense>
          <CorrectionForm
            key={form.action === 'add' ? 'add' : `${form.action} ${form.punch.id}`}
            {...{ ...correctable, day, form }}
            onClose={() => setForm(undefined)}
          />
        </Suspense>
      )}
    </section>
  )
}

/** Whether a corrected punch does not count and awaits no answer. */
const isStruck = ({ correction, ...punch }: Pick<Explained['ignored'][number], 'correction'> & { use?: string }) =>
  correction !== undefined && punch.use === undefined && correction.state !== 'proposed'
