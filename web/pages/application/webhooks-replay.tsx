import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { DayField } from '../../parts/field/day-field.tsx'
import { CheckField, SelectField } from '../../parts/field/field.tsx'
import { TimeField } from '../../parts/field/time-field.tsx'
import { instantsOf } from '../../parts/request/ask.ts'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'
import type { Endpoint } from './webhooks-words.tsx'

const minuteMilliseconds = 60_000
const hourMilliseconds = 60 * minuteMilliseconds
const dayMilliseconds = 24 * hourMilliseconds
/** The limit of the server less ten minutes, because the user may keep the dialog open. */
const mostMilliseconds = 14 * dayMilliseconds - 10 * minuteMilliseconds
const spanMilliseconds = {
  hour: hourMilliseconds,
  day: dayMilliseconds,
  week: 7 * dayMilliseconds,
  most: mostMilliseconds,
} as const
const names = ['hour', 'day', 'week', 'most'] as const

interface Moment {
  day: string
  time: string
}

/** Sends all failed deliveries again, or only the failed deliveries of a time range. */
export function ReplayQuestion({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { t } = useTranslation(['webhooks', 'shell'])
  const formats = useFormats()
  const [openedAt] = useState(Date.now)
  const [since, setSince] = useState<string>('day')
  const [until, setUntil] = useState<string>('now')
  const [start, setStart] = useState<Moment>({ day: formats.today(), time: '00:00' })
  const [end, setEnd] = useState<Moment>({ day: formats.today(), time: '23:59' })
  const [all, setAll] = useState(false)
  const [soFar, setSoFar] = useState(0)
  /** The progress within a range. After an error, the next try continues here. */
  const reached = useRef<{ range: string; count: number; after?: string | undefined }>({ range: '', count: 0 })
  const span = names.find(name => name === since)
  const instantOf = ({ day, time }: Moment) => {
    const minutes = instantsOf(formats.timezone, day, time)[0]
    return minutes === undefined ? undefined : minutes * minuteMilliseconds
  }
  const from = span ? openedAt - spanMilliseconds[span] : instantOf(start)
  // The range includes its whole last minute.
  const last = instantOf(end)
  const to = until === 'now' ? openedAt : last === undefined ? undefined : last + minuteMilliseconds - 1
  const isWrong = from === undefined || from < openedAt - mostMilliseconds || from > openedAt
  const isEndWrong = !isWrong && (to === undefined || to < from)
  const replay = async () => {
    if (from === undefined || to === undefined) return
    const range = { since: new Date(from).toISOString(), until: new Date(to).toISOString(), all }
    const rangeKey = JSON.stringify(range)
    if (reached.current.range !== rangeKey) reached.current = { range: rangeKey, count: 0 }
    try {
      // Each call sends one batch and returns where the next batch starts.
      do {
        const { count, after } = reached.current
        const sent = await write('webhooks/replay/failed', { webhook: endpoint.id, ...range, ...(after && { after }) })
        reached.current = { range: rangeKey, count: count + sent.count, after: sent.after }
        setSoFar(reached.current.count)
      } while (reached.current.after !== undefined)
      const { count } = reached.current
      say(count > 0 ? t('replay.done', { count }) : t(all ? 'replay.noneTold' : 'replay.none'))
    } finally {
      refresh(['webhooks/log'])
    }
    onClose()
  }
  const least = dayIn(formats.timezone, new Date(openedAt - mostMilliseconds))
  return (
    <Ask
      title={t('replay.title')}
      yes={t('panel.again')}
      no={t('shell:cancel')}
      waits={isWrong || isEndWrong}
      onYes={replay}
      onNo={onClose}
    >
      <div className="replay">
        <p>{t('replay.text')}</p>
        <SelectField
          label={t('replay.since')}
          value={since}
          onText={setSince}
          options={[...names.map(name => [name, t(`replay.${name}`)] as const), ['own', t('replay.own')]]}
        />
        {!span && <MomentFields value={start} least={least} error={isWrong && t('replay.wrong')} onChange={setStart} />}
        <SelectField
          label={t('replay.until')}
          value={until}
          onText={setUntil}
          options={[
            ['now', t('replay.now')],
            ['own', t('replay.own')],
          ]}
        />
        {until !== 'now' && (
          <MomentFields value={end} least={least} error={isEndWrong && t('replay.wrongEnd')} onChange={setEnd} />
        )}
        <CheckField checked={all} onCheck={setAll}>
          {t('replay.all')} <span className="muted small">{t('replay.allHint')}</span>
        </CheckField>
        {soFar > 0 && <p role="status">{t('replay.soFar', { count: soFar })}</p>}
      </div>
    </Ask>
  )
}

function MomentFields(props: {
  value: Moment
  least: string
  error: string | false
  onChange: (value: Moment) => void
}) {
  const { t } = useTranslation('webhooks')
  const formats = useFormats()
  const { value, least, error, onChange } = props
  return (
    <div className="replay-own">
      <DayField
        label={t('replay.dayLabel')}
        value={value.day}
        least={least}
        most={formats.today()}
        onText={day => onChange({ ...value, day })}
      />
      <TimeField
        label={t('replay.time')}
        value={value.time}
        onText={time => onChange({ ...value, time })}
        {...(error && { error })}
      />
    </div>
  )
}
