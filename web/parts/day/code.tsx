import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../field/copy-button.tsx'
import './code.css'

const pretty = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}

/** The tokens of a JSON text. */
const word = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\btrue\b|\bfalse\b|\bnull\b)/g

const coloured = (text: string): ReactNode[] => {
  const pieces: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(word)) {
    const [whole, quoted, colon = ''] = match
    pieces.push(
      <Fragment key={match.index}>
        {text.slice(end, match.index)}
        <span className={colon ? 'code-name' : quoted ? 'code-text' : 'code-value'}>{quoted ?? whole}</span>
        {colon}
      </Fragment>,
    )
    end = match.index + whole.length
  }
  return [...pieces, text.slice(end)]
}

/** Machine-readable text; JSON is indented. The button copies the text as it is. */
export function Code({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation()
  const lines = pretty(text)
  return (
    <figure className="code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre tabIndex={0}>
        <code>{lines ? coloured(lines) : text}</code>
      </pre>
      <CopyButton text={text} label={`${t('copy')}: ${label}`} />
    </figure>
  )
}
