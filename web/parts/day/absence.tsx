import { UserX } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../button.tsx'
import { useComplaint } from '../field/form.tsx'
import { type Explained, useAmount } from './amount.ts'
import { saved, useIsCorrector } from './correct.tsx'

/** Who marked the shift as absent, when and why. A manager can remove the mark. */
export function AbsenceNote({ day, employee }: { day: Explained; employee: string | undefined }) {
  const { t } = useTranslation('explain')
  const formats = useFormats()
  const amount = useAmount()
  const complain = useComplaint()
  const isCorrector = useIsCorrector()
  const [busy, setBusy] = useState(false)
  const { absence } = day
  if (!absence) return null
  const { by, reason, madeAt, minutes, counts, shift, version } = absence
  const remove = async (employee: string) => {
    setBusy(true)
    try {
      await write('exception/restore', { punches: [], absences: [{ employee, day: day.day, shift, version }] })
      saved(t('absence.removed'))
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="absence-note">
      <h4>{t('absence.title')}</h4>
      <p>
        <UserX className="icon" aria-hidden="true" />{' '}
        {t('absence.by', { name: by || t('correct.someone'), when: formats.dayAndTime(madeAt), reason })}
      </p>
      {!counts && <p className="muted">{t('absence.void', { amount: amount(minutes, 'absentMinutes') })}</p>}
      {employee !== undefined && !day.isLocked && isCorrector(employee) && (
        <Button busy={busy} onClick={() => void remove(employee)}>
          {t('absence.remove')}
        </Button>
      )}
    </section>
  )
}
