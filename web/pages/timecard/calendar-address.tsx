import { CalendarPlus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { CopyField } from '../../parts/field/copy-field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { useRead } from '../../read.ts'

// The secret address at which a calendar app reads the person's shifts. The server shows it only once.

export function CalendarAddress() {
  const { t } = useTranslation(['personal', 'shell'])
  const formats = useFormats()
  const complain = useComplaint()
  const { data, readAgain } = useRead('personal/calendar/get', {})
  const [url, setUrl] = useState('')
  const [asking, setAsking] = useState<'renew' | 'stop'>()
  const [busy, setBusy] = useState(false)
  const add = async () => {
    setBusy(true)
    try {
      setUrl((await write('personal/calendar/add', {})).url)
      await readAgain()
    } finally {
      setBusy(false)
      setAsking(undefined)
    }
  }
  const stop = async () => {
    await write('personal/calendar/delete', {})
    setUrl('')
    await readAgain()
    say(t('calendar.stopped'))
    setAsking(undefined)
  }
  if (!data) return null
  const { createdAt } = data
  return (
    <section className="card calendar-address" aria-labelledby="calendar-address">
      <h2 id="calendar-address">{t('calendar.title')}</h2>
      <p className="muted">{t('calendar.text')}</p>
      {url !== '' && (
        <>
          <CopyField label={t('calendar.address')} value={url} />
          {/* Calendar apps subscribe to addresses of this scheme. */}
          <p>
            <a className="button primary" href={url.replace(/^https?:/, 'webcal:')}>
              <CalendarPlus className="icon" aria-hidden="true" /> {t('calendar.open')}
            </a>
          </p>
          <p className="notice warn">{t('calendar.once')}</p>
        </>
      )}
      {url === '' && createdAt && (
        <p>{t('calendar.since', { day: formats.day(dayIn(formats.timezone, new Date(createdAt))) })}</p>
      )}
      <div className="row">
        {!createdAt ? (
          <Button
            look="primary"
            icon={<CalendarPlus className="icon" />}
            busy={busy}
            onClick={() => void add().catch(complain)}
          >
            {t('calendar.add')}
          </Button>
        ) : (
          <>
            <Button onClick={() => setAsking('renew')}>{t('calendar.renew')}</Button>
            <Button look="quiet" onClick={() => setAsking('stop')}>
              {t('calendar.stop')}
            </Button>
          </>
        )}
      </div>
      {asking && (
        <Ask
          title={t(`calendar.${asking}Title`)}
          yes={t(`calendar.${asking}`)}
          no={t('shell:cancel')}
          onYes={asking === 'renew' ? add : stop}
          onNo={() => setAsking(undefined)}
        >
          {t(`calendar.${asking}Text`)}
        </Ask>
      )}
    </section>
  )
}
