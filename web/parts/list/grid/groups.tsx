import type { Column } from './column.ts'
import './groups.css'

/** The titles above groups of columns. Screen readers read the titles of the columns only, which are unique. */
export function Groups({ columns, from }: { columns: readonly Pick<Column<never>, 'key' | 'group'>[]; from: number }) {
  const groups = [...new Set(columns.flatMap(({ group }) => group ?? []))]
  if (groups.length === 0) return null
  return (
    <div className="grid-row grid-groups" aria-hidden="true">
      {/* The first cell of each row is sticky. */}
      <div />
      {groups.map(group => {
        const first = columns.findIndex(column => column.group === group)
        const last = columns.findLastIndex(column => column.group === group)
        return (
          <div key={group} className="tinted" style={{ gridColumn: `${first + from} / ${last + from + 1}` }}>
            {group}
          </div>
        )
      })}
    </div>
  )
}
