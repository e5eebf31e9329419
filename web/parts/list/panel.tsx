import { Panel as FluentPanel, type IPanelStyles, PanelType } from '@fluentui/react'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'
import { Form } from '../field/form.tsx'
import { DiscardQuestion, useUnsaved } from '../say/leaving.tsx'
import { useIsDocked } from './dock.ts'
import './panel.css'

// Panels that slide in from the side, with content to read or a form.

interface PanelProps {
  title: string
  wide?: boolean
  /** Buttons in the head, beside the close button. */
  tools?: ReactNode
  onClose: () => void
  /** The buttons of the footer, such as a delete button. */
  foot?: ReactNode
  children: ReactNode
}

const styles: Partial<IPanelStyles> = {
  root: { zIndex: 100_000 },
  main: { background: 'var(--surface)', boxShadow: 'var(--shadow-3)' },
  scrollableContent: { display: 'flex', flexDirection: 'column', height: '100%', overflow: 'hidden' },
  content: { padding: 0, flex: 1, minHeight: 0, display: 'flex', flexDirection: 'column' },
  overlay: { background: 'rgb(8 16 13 / 45%)' },
}
// A dialog over the panel must be able to take the focus. An opening panel focuses its first field, except a comment
// field below content to read.
const focusTrap = {
  forceFocusInsideTrap: false,
  firstFocusableTarget: '.panel-body .field :is(input:not([type="file"]), select, textarea):not(.request-comment *)',
}

/** The footer of a panel whose choices apply at once. */
export function ChoiceFoot(props: { reset: string; isUsual: boolean; onReset: () => void; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <>
      <Button disabled={props.isUsual} onClick={props.onReset}>
        {props.reset}
      </Button>
      <Button look="primary" onClick={props.onClose}>
        {t('filters.done')}
      </Button>
    </>
  )
}

/** A panel. Stays open while its form is being sent, so that the answer cannot close another panel. */
export function Panel({ title, wide, tools, foot, children, ...props }: PanelProps) {
  const { t } = useTranslation()
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const onClose = () => {
    if (!heading.current?.closest('[role="dialog"]')?.querySelector('[type="submit"][aria-busy="true"]'))
      props.onClose()
  }
  // If the focused element disappears, such as the button of a finished step, the heading takes the focus. The check
  // waits a frame, because between two fields no element has the focus. Escape closes the panel in that moment too.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body && !document.querySelector('dialog[open]'))
        heading.current?.focus({ preventScroll: true })
    })
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.activeElement === document.body && !document.querySelector('dialog[open]'))
        onClose()
    }
    document.addEventListener('keydown', closeOnEscape)
    return () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('keydown', closeOnEscape)
    }
  })
  const isDocked = useIsDocked()
  const content = (
    <>
      <header className="panel-head">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {tools}
        <Button look="quiet" square aria-label={t('close')} onClick={onClose} icon={<X className="icon" />} />
      </header>
      {children}
      {foot && <footer className="panel-foot">{foot}</footer>}
    </>
  )
  if (isDocked)
    return (
      <Docked label={id} onClose={onClose}>
        {content}
      </Docked>
    )
  return (
    <FluentPanel
      isOpen
      isLightDismiss
      type={PanelType.custom}
      customWidth={wide ? 'min(680px, 100vw)' : 'min(440px, 100vw)'}
      hasCloseButton={false}
      onRenderNavigation={() => null}
      onRenderHeader={() => null}
      onDismiss={event => {
        event?.preventDefault()
        onClose()
      }}
      // A click into a dialog over the panel is not a click outside the panel.
      onOuterClick={event => {
        if (!(event?.target instanceof Element && event.target.closest('dialog'))) onClose()
      }}
      popupProps={{ ariaLabelledBy: id }}
      focusTrapZoneProps={focusTrap}
      styles={styles}
    >
      {content}
    </FluentPanel>
  )
}

/** A panel beside the list. It takes the focus when it opens, and the list stays usable. */
function Docked({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.querySelector<HTMLElement>('.panel-head h2')?.focus({ preventScroll: true }), [])
  return (
    <section
      ref={box}
      role="dialog"
      aria-labelledby={label}
      className="panel-docked"
      onKeyDown={event => event.key === 'Escape' && !event.defaultPrevented && onClose()}
    >
      {children}
    </section>
  )
}

/** A form in a panel. With unsaved changes, closing the panel or leaving the page asks first. */
export function FormPanel(
  props: Omit<PanelProps, 'foot'> & {
    form: Parameters<typeof Form>[0]['form'] & { isChanged: boolean }
    save: string
    onSave: () => void
    extra?: ReactNode
  },
) {
  const { t } = useTranslation()
  const id = useId()
  const [leaving, setLeaving] = useState(false)
  useUnsaved(props.form.isChanged)
  const closeOnEscape = () => (props.form.isChanged ? setLeaving(true) : props.onClose())
  return (
    <Panel
      title={props.title}
      {...(props.wide && { wide: true })}
      onClose={closeOnEscape}
      foot={
        <>
          <div className="panel-extra">{props.extra}</div>
          <Button onClick={closeOnEscape} disabled={props.form.busy}>
            {t('cancel')}
          </Button>
          <Button look="primary" type="submit" form={id} busy={props.form.busy}>
            {props.save}
          </Button>
        </>
      }
    >
      <Form form={props.form} id={id} className="panel-body" onSubmit={props.onSave}>
        {props.children}
      </Form>
      {leaving && <DiscardQuestion onYes={props.onClose} onNo={() => setLeaving(false)} />}
    </Panel>
  )
}
