import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'
import { useKeptFocus } from '../kept-focus.ts'
import { useUnsaved } from '../say/leaving.tsx'
import { Form, focusUnread } from './form.tsx'
import './settings.css'

// A page of settings: groups of fields with explanations beside them. One bar saves all groups; it is visible while the
// page has unsaved changes.

interface Part {
  form: { isChanged: boolean; busy: boolean; ref: RefObject<HTMLFormElement | null> }
  onSave: () => unknown
  onDiscard: () => void
}

interface Sheet {
  report: (key: string, part: Part | undefined) => void
  /** The current version of a record that several forms of the page save, each from the version that it has read. */
  latest: (version: number) => number
  /** Notes that a form has saved this version, so that the other forms of the page save the next one. */
  saved: (version: number) => void
}

const SheetContext = createContext<Sheet | undefined>(undefined)

/** Several forms that save separately, but with one bar. */
export function SettingsSheet({ children }: { children: ReactNode }) {
  const [parts, setParts] = useState<ReadonlyMap<string, Part>>(new Map())
  const savedVersions = useRef(new Set<number>())
  const sheet = useMemo<Sheet>(
    () => ({
      report: (key, part) =>
        setParts(previous => {
          const next = new Map(previous)
          if (part) next.set(key, part)
          else next.delete(key)
          return next
        }),
      latest: version => {
        let latest = version
        while (savedVersions.current.has(latest)) latest++
        return latest
      },
      saved: version => void savedVersions.current.add(version),
    }),
    [],
  )
  const changed = [...parts.values()].filter(({ form }) => form.isChanged)
  const isBusy = [...parts.values()].some(({ form }) => form.busy)
  // One after the other, because the forms may save the same record.
  const save = async () => {
    for (const { form, onSave } of changed) if (!focusUnread(form.ref.current)) await onSave()
  }
  const discard = () => {
    for (const { onDiscard } of changed) onDiscard()
  }
  return (
    <SheetContext value={sheet}>
      <div className="settings-sheet">
        {children}
        <SettingsBar isChanged={changed.length > 0} busy={isBusy} onSave={save} onDiscard={discard} />
      </div>
    </SheetContext>
  )
}

/** The versions of a record that several forms of one page save. */
export const useSharedVersion = (): Pick<Sheet, 'latest' | 'saved'> =>
  useContext(SheetContext) ?? { latest: version => version, saved: () => {} }

function SettingsBar(props: { isChanged: boolean; busy: boolean; onSave?: () => unknown; onDiscard: () => void }) {
  const { t } = useTranslation()
  const { isChanged, busy, onSave } = props
  return (
    <div className="settings-bar" hidden={!isChanged}>
      <p role="status">{isChanged && t('unsaved')}</p>
      <Button onClick={props.onDiscard} disabled={busy}>
        {t('leave.yes')}
      </Button>
      <Button look="primary" type={onSave ? 'button' : 'submit'} busy={busy} {...(onSave && { onClick: onSave })}>
        {t('save')}
      </Button>
    </div>
  )
}

export function SettingsForm(props: {
  form: Parameters<typeof Form>[0]['form'] & { isChanged: boolean }
  onSave: () => unknown
  onDiscard: () => void
  children: ReactNode
}) {
  const { form, onSave, onDiscard } = props
  const key = useId()
  const report = useContext(SheetContext)?.report
  useKeptFocus()
  useUnsaved(form.isChanged)
  const part = useRef<Part>(undefined)
  part.current = { form, onSave, onDiscard }
  // The functions of a part read the newest values, so only these two states need a new report.
  const { isChanged, busy, ref } = form
  useEffect(() => {
    report?.(key, {
      form: { isChanged, busy, ref },
      onSave: () => part.current?.onSave(),
      onDiscard: () => part.current?.onDiscard(),
    })
    return () => report?.(key, undefined)
  }, [report, key, isChanged, busy, ref])
  return (
    <Form form={form} className="settings" onSubmit={onSave}>
      {props.children}
      {!report && <SettingsBar isChanged={form.isChanged} busy={form.busy} onDiscard={onDiscard} />}
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
