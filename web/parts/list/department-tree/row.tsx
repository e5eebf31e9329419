// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
// biome-ignore-all lint/a11y/useFocusableInteractive: exactly one row takes the focus; headers and cells do not.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree handles the keys for every click on a row.
import { ChevronRight, Plus, UsersRound } from 'lucide-react'
import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { searchText } from '../../../../shared/search.ts'
import { useFormats } from '../../../format.ts'
import { Link } from '../../shell/router.ts'
import type { Figures, Node, Total } from './rows.ts'

/** Wraps the action of a control, so that a click on the control does not open the row. */
const withoutOpening = (run: () => void) => (event: MouseEvent) => {
  event.stopPropagation()
  run()
}

export function TreeCells(props: {
  node: Node
  words: string
  isActive: boolean
  figures: Figures | undefined
  isRead: boolean
  total: Total | undefined
  onTurn: () => void
  onOpen: () => void
  onAdd: () => void
}) {
  const { t } = useTranslation('department')
  const formats = useFormats()
  const { node, words, isActive, figures, isRead, total, onTurn, onOpen, onAdd } = props
  const { id, name } = node.department
  const isParent = node.children.length > 0
  return (
    <>
      <div role="gridcell" className="tree-name">
        {isParent ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys open and close a row.
          <span className="tree-turn" onClick={withoutOpening(onTurn)}>
            <ChevronRight className="icon" aria-hidden="true" />
          </span>
        ) : (
          <span className="tree-turn" />
        )}
        <button type="button" className="row-title" tabIndex={-1} title={name} onClick={withoutOpening(onOpen)}>
          <Marked text={name} words={words} />
        </button>
        {figures?.isDefault && <span className="tag">{t('default')}</span>}
      </div>
      <div role="gridcell" className="minor">
        {figures?.location}
      </div>
      <Figure
        own={isRead ? (figures?.employeeCount ?? 0) : undefined}
        total={isParent ? total?.employees : undefined}
        all={t('peopleInAll', { count: total?.employees ?? 0 })}
        name={formats.number}
        to={`/employee?department=${id}`}
        isActive={isActive}
      />
      <Figure
        own={isRead ? (figures?.deviceCount ?? 0) : undefined}
        total={isParent ? total?.devices : undefined}
        all={t('inAll', { count: total?.devices ?? 0 })}
        name={formats.number}
      />
      <div role="gridcell" className="tree-do">
        <button
          type="button"
          className="button quiet square"
          tabIndex={isActive ? 0 : -1}
          aria-label={t('addBelow', { name })}
          title={t('addBelow', { name })}
          onClick={withoutOpening(onAdd)}
        >
          <Plus className="icon" aria-hidden="true" />
        </button>
      </div>
    </>
  )
}

/** The count of a department, and its total with all descendants. `all` describes the total in words. */
function Figure(props: {
  own: number | undefined
  total: number | undefined
  all: string
  name: (value: number) => string
  to?: string
  isActive?: boolean
}) {
  const { own, total, all, name, to } = props
  if (own === undefined) {
    return (
      <div role="gridcell" className="number">
        <span className="skeleton" style={{ width: 28, height: 12 }} />
      </div>
    )
  }
  return (
    <div role="gridcell" className="number">
      <UsersRound className="icon" aria-hidden="true" />
      {to && own > 0 ? (
        <Link to={to} tabIndex={props.isActive ? 0 : -1} onClick={event => event.stopPropagation()}>
          {name(own)}
        </Link>
      ) : (
        <span className={own === 0 ? 'muted' : undefined}>{name(own)}</span>
      )}
      {total !== undefined && total !== own && (
        <span className="muted small tree-total" title={all}>
          <span aria-hidden="true">/ {name(total)}</span>
          <span className="unseen">{all}</span>
        </span>
      )}
    </div>
  )
}

/** Highlights the search text in a name. Does nothing if removing case and accents changes the number of letters. */
function Marked({ text, words }: { text: string; words: string }) {
  const normalized = searchText(text)
  const start = words && normalized.length === text.length ? normalized.indexOf(words) : -1
  if (start < 0) return text
  return (
    <>
      {text.slice(0, start)}
      <mark>{text.slice(start, start + words.length)}</mark>
      {text.slice(start + words.length)}
    </>
  )
}
