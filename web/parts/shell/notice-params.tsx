import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { refresh, useRead } from '../../read.ts'
import { useComplaint } from '../field/form.tsx'
import './notice-params.css'

type Switches = PathOutput<'notice/params'>['list'][number]

/** What one wants to be told, and how; each switch counts as soon as it is pressed. */
export function NoticeParams() {
  const { t } = useTranslation('notice')
  const { data, readAgain } = useRead('notice/params', {})
  const complain = useComplaint()
  if (!data) return null
  const change = async (one: Switches, ways: Partial<Switches>) => {
    const changed = { ...one, ...ways }
    const list = data.list.map(other => (other.kind === one.kind ? changed : other))
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
      {data.list.map(one => {
        const what = t(`kind.${one.kind}`)
        return (
          <div key={one.kind}>
            <span>{what}</span>
            <input
              type="checkbox"
              aria-label={`${what}: ${t('params.inApp')}`}
              checked={one.isInApp}
              onChange={event => void change(one, { isInApp: event.target.checked })}
            />
            <input
              type="checkbox"
              aria-label={`${what}: ${t('params.byMail')}`}
              checked={one.isByMail && data.hasAddress}
              disabled={!data.hasAddress}
              onChange={event => void change(one, { isByMail: event.target.checked })}
            />
          </div>
        )
      })}
      {!data.hasAddress && <p className="muted small">{t('params.noAddress')}</p>}
    </fieldset>
  )
}
