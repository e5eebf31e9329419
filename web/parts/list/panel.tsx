import { Panel as FluentPanel, type IPanelStyles, PanelType } from '@fluentui/react'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'
import { Form } from '../field/form.tsx'
import { DiscardQuestion, useUnsaved } from '../say/leaving.tsx'
import './panel.css'

// What slides in from the side: something to read, or a form to fill in.

interface PanelProps {
  title: string
  wide?: boolean
  onClose: () => void
  /** Buttons at the start of the footer, such as the one that deletes. */
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
// A question asked over the panel must be able to take the focus. The first field has it first, where there is one, but for one
// that stands at the end of what is to be read.
const focusTrap = {
  forceFocusInsideTrap: false,
  firstFocusableTarget: '.panel-body .field :is(input:not([type="file"]), select, textarea):not(.request-comment *)',
}

/** While a form in it is being sent it stays: what the answer closes would else be another one that was opened meanwhile. */
export function Panel({ title, wide, foot, children, ...props }: PanelProps) {
  const { t } = useTranslation()
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const onClose = () => {
    if (!heading.current?.closest('[role="dialog"]')?.querySelector('[type="submit"][aria-busy="true"]'))
      props.onClose()
  }
  // Where what had the focus is gone, such as the button of a step that is done, the keyboard is still in the panel.
  // It is looked for a moment later: between two fields nothing has the focus. Escape in that moment is heard as any other.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body && !document.querySelector('dialog[open]'))
        heading.current?.focus({ preventScroll: true })
    })
    const leave = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.activeElement === document.body && !document.querySelector('dialog[open]'))
        onClose()
    }
    document.addEventListener('keydown', leave)
    return () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('keydown', leave)
    }
  })
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
      // Whoever answers a question that stands over everything has not pressed beside the panel.
      onOuterClick={event => {
        if (!(event?.target instanceof Element && event.target.closest('dialog'))) onClose()
      }}
      popupProps={{ ariaLabelledBy: id }}
      focusTrapZoneProps={focusTrap}
      styles={styles}
    >
      <header className="panel-head">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <Button look="quiet" square aria-label={t('close')} onClick={onClose} icon={<X className="icon" />} />
      </header>
      {children}
      {foot && <footer className="panel-foot">{foot}</footer>}
    </FluentPanel>
  )
}

/** A form in a panel. Leaving it with changes, or the page, asks first. */
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
  const leave = () => (props.form.isChanged ? setLeaving(true) : props.onClose())
  return (
    <Panel
      title={props.title}
      {...(props.wide && { wide: true })}
      onClose={leave}
      foot={
        <>
          <div className="panel-extra">{props.extra}</div>
          <Button onClick={leave} disabled={props.form.busy}>
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
