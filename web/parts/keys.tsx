import { Keyboard } from 'lucide-react'
import { memo } from 'react'
import './keys.css'

/** A button that tells what the keyboard does on a page; the browser opens and closes it by itself. */
export const Keys = memo(function Keys(props: {
  title: string
  keys: readonly (readonly [key: string, does: string])[]
}) {
  const { title, keys } = props
  return (
    <>
      <button type="button" className="button quiet keys-button" popoverTarget="keys">
        <Keyboard className="icon" aria-hidden="true" />
        {title}
      </button>
      <section id="keys" popover="auto" className="keys" aria-label={title}>
        <h2>{title}</h2>
        <dl>
          {keys.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
})
