import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../api.ts'
import { dayIn, useFormats } from '../format.ts'
import { Ask } from '../parts/ask.tsx'
import { DayField } from '../parts/day-field.tsx'
import { SelectField } from '../parts/field.tsx'
import { useComplaint } from '../parts/form.tsx'
import { TimeField } from '../parts/time-field.tsx'
import { say } from '../parts/toast.tsx'
import { refresh } from '../read.ts'
import { instantsOf } from '../request-ask.ts'
import type { Endpoint } from './webhooks.tsx'

const hourMilliseconds = 3600_000
const dayMilliseconds = 24 * hourMilliseconds
/** As the server has it, but for the minute that the question may stand open. */
const mostMilliseconds = 14 * dayMilliseconds - 60_000
const backs = {
  hour: hourMilliseconds,
  day: dayMilliseconds,
  week: 7 * dayMilliseconds,
  most: mostMilliseconds,
} as const
const names = ['hour', 'day', 'week', 'most'] as const
/** The path sends so many at a time and says where to go on; more than this is nobody's log. */
const mostParts = 200

/** From when on what failed is sent again; it goes on until nothing is left. */
export function ReplayQuestion({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { t } = useTranslation(['webhooks', 'shell'])
  const formats = useFormats()
  const complain = useComplaint()
  const [openedAt] = useState(Date.now)
  const [since, setSince] = useState<string>('day')
  const [day, setDay] = useState(formats.today())
  const [time, setTime] = useState('00:00')
  const back = names.find(name => name === since)
  const own = instantsOf(formats.timezone, day, time)[0]
  const from = back ? openedAt - backs[back] : own === undefined ? undefined : own * 60_000
  const isWrong = from === undefined || from < openedAt - mostMilliseconds || from > openedAt
  const replay = async () => {
    let [count, next]: [number, string | undefined] = [0, new Date(from ?? openedAt).toISOString()]
    try {
      for (let part = 0; next !== undefined && part < mostParts; part++) {
        const sent: { count: number; since?: string | undefined } = await write('webhooks/replay/failed', {
          webhook: endpoint.id,
          since: next,
        })
        count += sent.count
        next = sent.since
      }
      say(count > 0 ? t('replay.done', { count }) : t('replay.none'))
    } catch (error) {
      if (count > 0) say(t('replay.done', { count }))
      complain(error)
    }
    refresh(['webhooks/log'])
    onClose()
  }
  return (
    <Ask
      title={t('replay.title')}
      yes={t('panel.again')}
      no={t('shell:cancel')}
      waits={isWrong}
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
        {!back && (
          <div className="replay-own">
            <DayField
              label={t('replay.dayLabel')}
              value={day}
              least={dayIn(formats.timezone, new Date(openedAt - mostMilliseconds))}
              most={formats.today()}
              onText={setDay}
            />
            <TimeField
              label={t('replay.time')}
              value={time}
              onText={setTime}
              {...(isWrong && { error: t('replay.wrong') })}
            />
          </div>
        )}
      </div>
    </Ask>
  )
}
