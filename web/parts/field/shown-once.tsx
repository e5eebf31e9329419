import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { Panel } from '../list/panel.tsx'
import { Ask } from '../say/ask.tsx'
import './shown-once.css'

/** The texts of the panel. */
interface Words {
  title: string
  once: string
  kept: string
  leave: { title: string; text: string; yes: string; no: string }
}

/**
 * A panel with a new secret, which the site never shows again. Closing the panel asks first, so that the user does not
 * lose the secret by mistake. `extra` is a second button that closes the panel.
 */
export function ShownOnce(props: { words: Words; extra?: ReactNode; onClose: () => void; children: ReactNode }) {
  const [isLeaving, setLeaving] = useState(false)
  const { title, once, kept, leave } = props.words
  return (
    <Panel
      title={title}
      wide
      onClose={() => setLeaving(true)}
      foot={
        <>
          {props.extra}
          <Button look="primary" onClick={props.onClose}>
            {kept}
          </Button>
        </>
      }
    >
      <div className="panel-body shown-once">
        <p className="notice warn">{once}</p>
        {props.children}
      </div>
      {isLeaving && (
        <Ask title={leave.title} yes={leave.yes} no={leave.no} onYes={props.onClose} onNo={() => setLeaving(false)}>
          {leave.text}
        </Ask>
      )}
    </Panel>
  )
}
