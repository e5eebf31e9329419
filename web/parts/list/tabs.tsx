import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import './tabs.css'

/** The ids that connect a tab with its panel. */
const ids = (name: string, key: string) => ({ tab: `${name}-${key}-tab`, panel: `${name}-${key}` })

/** Tabs in a row. The arrow keys move to the next tab and show its panel. */
export function Tabs<K extends string>(props: {
  /** The prefix of the element ids; unique on the page. */
  name: string
  label: string
  tabs: readonly { key: K; text: string; hasChanges?: boolean }[]
  value: K
  onPick: (key: K) => void
}) {
  const { name, tabs, value, onPick } = props
  const row = useRef<HTMLDivElement>(null)
  const go = (index: number) => {
    const next = tabs[(index + tabs.length) % tabs.length]
    if (!next) return
    onPick(next.key)
    row.current?.querySelector<HTMLElement>(`#${ids(name, next.key).tab}`)?.focus()
  }
  const handleKey = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ key }) => key === value)
    const moves: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }
  return (
    <div ref={row} className="tabs" role="tablist" aria-label={props.label} onKeyDown={handleKey}>
      {tabs.map(({ key, text, hasChanges }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={ids(name, key).tab}
          aria-controls={ids(name, key).panel}
          aria-selected={key === value}
          tabIndex={key === value ? 0 : -1}
          className={hasChanges ? 'has-changes' : undefined}
          onClick={() => onPick(key)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

/** The content of a tab, mounted even while the page shows another tab. */
export function TabPanel(props: { name: string; tab: string; isShown: boolean; children: ReactNode }) {
  const { tab, panel } = ids(props.name, props.tab)
  return (
    <div id={panel} role="tabpanel" aria-labelledby={tab} className="tab-panel" hidden={!props.isShown}>
      {props.children}
    </div>
  )
}
