import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/day/code.tsx'
import { CopyField } from '../../parts/field/copy-field.tsx'
import { ShownOnce } from '../../parts/field/shown-once.tsx'
import { usePageNavigate } from '../../parts/shell/router.ts'
import { useTest } from './webhooks-test.ts'

export interface NewSecret {
  id: string
  url: string
  secret: string
  formerUntil?: string
}

const example = `import { Webhook } from 'standardwebhooks'

const event = new Webhook(secret).verify(body, headers)`

export function WebhookSecret(props: { secret: NewSecret; isNew: boolean; onClose: () => void }) {
  const { t } = useTranslation('webhooks')
  const formats = useFormats()
  const navigate = usePageNavigate()
  const test = useTest()
  const [isTesting, setTesting] = useState(false)
  const { id, url, secret, formerUntil } = props.secret
  const close = () => {
    props.onClose()
    if (props.isNew) navigate(`/system/Application?endpoint=${id}`)
  }
  // If sending the test fails, the secret stays visible.
  const sendTest = async () => {
    setTesting(true)
    const isSent = await test(id)
    setTesting(false)
    if (isSent) props.onClose()
  }
  return (
    <ShownOnce
      words={{ ...t('secret', { returnObjects: true }), title: t('secret.title', { host: new URL(url).host }) }}
      extra={
        props.isNew && (
          <Button busy={isTesting} onClick={sendTest}>
            {t('secret.keptTest')}
          </Button>
        )
      }
      onClose={close}
    >
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
    </ShownOnce>
  )
}
