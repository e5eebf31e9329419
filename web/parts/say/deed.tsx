import type { ReactNode } from 'react'
import './deed.css'

/** An action on a whole record, such as deleting it: a title, an explanation, and the button as `children`. */
export function Deed(props: { title: string; text: string; more?: ReactNode; children: ReactNode }) {
  return (
    <section className="deed">
      <h3>{props.title}</h3>
      <p className="muted small">{props.text}</p>
      <div>{props.children}</div>
      {props.more}
    </section>
  )
}
