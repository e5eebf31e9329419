import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'
import { useKeptFocus } from '../kept-focus.ts'
import { useUnsaved } from '../say/leaving.tsx'
import { Form } from './form.tsx'
import './settings.css'

// A page of settings: groups of fields with explanations beside them. One bar saves all groups; it is visible while the
// page has unsaved changes.

export function SettingsForm(props: {
  form: Parameters<typeof Form>[0]['form'] & { isChanged: boolean }
  onSave: () => void
  onDiscard: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { form } = props
  useKeptFocus()
  useUnsaved(form.isChanged)
  return (
    <Form form={form} className="settings" onSubmit={props.onSave}>
      {props.children}
      <div className="settings-bar" hidden={!form.isChanged}>
        <p role="status">{form.isChanged && t('unsaved')}</p>
        <Button onClick={props.onDiscard} disabled={form.busy}>
          {t('leave.yes')}
        </Button>
        <Button look="primary" type="submit" busy={form.busy}>
          {t('save')}
        </Button>
      </div>
    </Form>
  )
}

export function SettingsGroup(props: { title: string; text?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section className="settings-group" aria-labelledby={id}>
      <header>
        <h2 id={id}>{props.title}</h2>
        {props.text && <p className="muted small">{props.text}</p>}
      </header>
      <div className="card">{props.children}</div>
    </section>
  )
}

/** The skeleton of a settings page while it loads. */
export function SettingsWaiting({ groups }: { groups: number }) {
  const { t } = useTranslation()
  return (
    <div className="settings" role="status" aria-busy="true" aria-label={t('loading')}>
      {Array.from({ length: groups }, (_, group) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these groups never move.
        <div key={group} className="settings-group">
          <div className="settings-waiting">
            <span className="skeleton" style={{ width: '56%', height: 16 }} />
            <span className="skeleton" style={{ width: '84%', height: 12 }} />
          </div>
          <div className="card">
            {[36, 24, 48].map(width => (
              <div key={width} className="settings-waiting">
                <span className="skeleton" style={{ width: `${width}%`, height: 12 }} />
                <span className="skeleton" style={{ height: 36 }} />
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
