import type { ReactNode } from 'react'
import './deed.css'

/** Something that can be done with a thing as a whole: what it is called, what it means, and the button for it. */
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
