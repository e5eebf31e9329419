import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { refresh, useRead } from '../../read.ts'
import { useComplaint } from '../field/form.tsx'
import './notice-params.css'

type Switches = PathOutput<'notice/params'>['list'][number]

/** The user's choice of notices and channels. Each switch saves at once. */
export function NoticeParams() {
  const { t } = useTranslation('notice')
  const { data, readAgain } = useRead('notice/params', {})
  const complain = useComplaint()
  if (!data) return null
  const change = async (switches: Switches, channels: Partial<Switches>) => {
    const changed = { ...switches, ...channels }
    const list = data.list.map(other => (other.kind === switches.kind ? changed : other))
    try {
      await readAgain(
        async () => {
          await write('notice/params/update', { list: [changed] })
          return { ...data, list }
        },
        { optimisticData: { ...data, list }, rollbackOnError: true },
      )
      refresh(['notice/'])
    } catch (error) {
      complain(error)
    }
  }
  return (
    <fieldset className="notice-params">
      <legend>{t('params.title')}</legend>
      <div aria-hidden="true" className="muted small">
        <span />
        <span>{t('params.inApp')}</span>
        <span>{t('params.byMail')}</span>
      </div>
      {data.list.map(switches => {
        const kindName = t(`kind.${switches.kind}`)
        return (
          <div key={switches.kind}>
            <span>{kindName}</span>
            <input
              type="checkbox"
              aria-label={`${kindName}: ${t('params.inApp')}`}
              checked={switches.isInApp}
              onChange={event => void change(switches, { isInApp: event.target.checked })}
            />
            <input
              type="checkbox"
              aria-label={`${kindName}: ${t('params.byMail')}`}
              checked={switches.isByMail && data.hasAddress}
              disabled={!data.hasAddress}
              onChange={event => void change(switches, { isByMail: event.target.checked })}
            />
          </div>
        )
      })}
      {!data.hasAddress && <p className="muted small">{t('params.noAddress')}</p>}
    </fieldset>
  )
}
