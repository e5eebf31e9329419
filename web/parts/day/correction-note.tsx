import { useTranslation } from 'react-i18next'
import { dayIn, useFormats } from '../../format.ts'
import type { Punch } from './correct.tsx'

/**
 * The manager, reason and answer of a correction. A correction that does not count shows its proposed time here, and
 * the punch shows the time that counts.
 */
export function CorrectionNote(props: { punch: Punch; timezone: string; day: string; isOwn: boolean }) {
  const { t } = useTranslation('explain')
  const formats = useFormats()
  const { punch, timezone, day, isOwn } = props
  const { correction } = punch
  if (!correction) return null
  const { isIgnored, recordedAt, at, by, reason, madeAt, state, objection, agreedAt, objectBy } = correction
  const kind = isIgnored ? 'ignored' : !recordedAt ? 'added' : at ? 'moved' : 'restored'
  const timeOf = (instant: string | undefined) => {
    if (!instant) return undefined
    return dayIn(timezone, new Date(instant)) === day
      ? formats.time(instant, timezone)
      : formats.dayAndTime(instant, timezone)
  }
  const form = state === 'counts' ? 'by' : state === 'proposed' ? 'proposal' : 'refused'
  const canObject = state === 'counts' && objectBy !== undefined && Date.parse(objectBy) > Date.now()
  return (
    <small className="muted correction-note">
      {state === 'proposed' && <span className="tag warn">{t(isOwn ? 'correct.waitsForYou' : 'correct.waits')}</span>}
      {state === 'objected' && <span className="tag danger">{t('correct.objected')}</span>}
      <span>
        {t(`correct.${form}.${kind}`, {
          name: by || t('correct.someone'),
          reason,
          when: formats.dayAndTime(madeAt),
          time: timeOf(state === 'counts' ? recordedAt : (at ?? recordedAt)),
        })}
      </span>
      {objection && (
        <span>{t('correct.objection', { when: formats.dayAndTime(objection.at), reason: objection.reason })}</span>
      )}
      {agreedAt && <span>{t('correct.agreed', { when: formats.dayAndTime(agreedAt) })}</span>}
      {canObject && (
        <span>{t(isOwn ? 'correct.youCanObject' : 'correct.canObject', { when: formats.dayAndTime(objectBy) })}</span>
      )}
    </small>
  )
}
