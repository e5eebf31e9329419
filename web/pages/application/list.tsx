import { BookOpen, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/page.tsx'

// The list of endpoints or API keys, with its count, an add button and a link to the API documentation.

interface ApplicationListProps<T extends { id: string }> {
  list: readonly T[]
  /** The limit that the server enforces. */
  most: number
  label: string
  count: string
  /** The section of the API documentation and the text of its link. */
  docs: { part: string; text: string }
  add: string
  onAdd: () => void
  empty: { icon: ReactNode; title: string; text: string }
  row: (item: T) => ReactNode
}

export function ApplicationList<T extends { id: string }>(props: ApplicationListProps<T>) {
  const { list, most, label, count, docs, add, onAdd, empty, row } = props
  const button = (
    <Button look="primary" icon={<Plus className="icon" />} disabled={list.length >= most} onClick={onAdd}>
      {add}
    </Button>
  )
  return (
    <>
      {list.length === 0 ? (
        <div className="card grid-empty">
          <Empty icon={empty.icon} title={empty.title} action={button}>
            {empty.text}
          </Empty>
        </div>
      ) : (
        <>
          <div className="application-head">
            <p className="muted">{count}</p>
            {button}
          </div>
          <ul className="card endpoints" aria-label={label}>
            {list.map(item => (
              <li key={item.id}>{row(item)}</li>
            ))}
          </ul>
        </>
      )}
      <p className="docs">
        <a href={`/api/docs#${docs.part}`} target="_blank" rel="noreferrer">
          <BookOpen className="icon" aria-hidden="true" />
          {docs.text}
        </a>
      </p>
    </>
  )
}
