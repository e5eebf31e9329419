import { useTranslation } from 'react-i18next'
import type { RemovedDays } from '../../../shared/employee.ts'
import { useFormats } from '../../format.ts'
import { Ask } from '../../parts/say/ask.tsx'

/** Asks before a new hire or end date removes days from the reports. */
export function RemovedDaysQuestion(props: {
  name: string
  removed: RemovedDays
  onYes: () => void
  onNo: () => void
}) {
  const { t } = useTranslation(['employee', 'shell'])
  const formats = useFormats()
  const { days, from, to, workMinutes } = props.removed
  return (
    <Ask
      title={t('removedDays.title', { count: days })}
      yes={t('removedDays.yes', { count: days })}
      no={t('shell:cancel')}
      danger
      onYes={props.onYes}
      onNo={props.onNo}
    >
      <p>
        {t('removedDays.text', {
          name: props.name,
          days: from === to ? formats.day(from) : `${formats.day(from)} – ${formats.day(to)}`,
          hours: formats.hours(workMinutes * 60),
        })}
      </p>
      <p>{t('removedDays.rehire')}</p>
    </Ask>
  )
}
