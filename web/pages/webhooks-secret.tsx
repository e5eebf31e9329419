import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../format.ts'
import { Ask } from '../parts/ask.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNavigate } from '../parts/router.ts'
import { useTest } from './webhooks-test.ts'

export interface NewSecret {
  id: string
  url: string
  secret: string
  formerUntil?: string
}

const example = `import { Webhook } from 'standardwebhooks'

const told = new Webhook(secret).verify(body, headers)`

/** A secret that was just made: the one time it is shown, so it is not left by mistake. */
export function WebhookSecret(props: { secret: NewSecret; isNew: boolean; onClose: () => void }) {
  const { t } = useTranslation(['webhooks', 'shell'])
  const formats = useFormats()
  const navigate = useNavigate()
  const test = useTest()
  const [isLeaving, setLeaving] = useState(false)
  const { id, url, secret, formerUntil } = props.secret
  const close = () => {
    props.onClose()
    if (props.isNew) navigate(`/system/application?endpoint=${id}`)
  }
  return (
    <Panel
      title={t('secret.title', { host: new URL(url).host })}
      wide
      onClose={() => setLeaving(true)}
      foot={
        <>
          {props.isNew && <Button onClick={() => test(id).then(props.onClose)}>{t('secret.keptTest')}</Button>}
          <Button look="primary" onClick={close}>
            {t('secret.kept')}
          </Button>
        </>
      }
    >
      <div className="panel-body webhook-secret">
        <p className="notice warn">{t('secret.once')}</p>
        <CopyField
          label={t('secret.label')}
          value={secret}
          {...(formerUntil && { hint: t('secret.until', { at: formats.dayAndTime(formerUntil) }) })}
        />
        <section className="verify">
          <h3>{t('secret.verify')}</h3>
          <p className="muted">{t('secret.verifyText')}</p>
          <Code label={t('secret.verify')} text={example} />
          <p className="muted">{t('secret.answer')}</p>
        </section>
      </div>
      {isLeaving && (
        <Ask
          title={t('secret.leave.title')}
          yes={t('secret.leave.yes')}
          no={t('secret.leave.no')}
          onYes={close}
          onNo={() => setLeaving(false)}
        >
          {t('secret.leave.text')}
        </Ask>
      )}
    </Panel>
  )
}
