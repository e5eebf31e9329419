import { Mail, Pencil, Printer, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import type { useSelection } from '../../parts/list/grid.tsx'
import { ExportButton } from '../../parts/sheet/sheet-buttons.tsx'
import { Link } from '../../parts/shell/router.ts'
import type { ListOf } from '../../read.ts'
import type { Employee } from './form.ts'
import '../../parts/list/bulk.css'

/** The most selected employees: the ids in one export request, and the sheets of one print. */
const mostExported = 1000
const mostPrinted = 100

type Filters = Parameters<typeof call<'employee/grid'>>[1]['filters']

/** Selects the people of all pages of a list, also of pages that the list has not loaded. */
const useSelectAll = (
  filters: Filters,
  selection: ReturnType<typeof useSelection>,
  onRead: (row: Employee) => void,
) => {
  const [isSelecting, setSelecting] = useState(false)
  const complain = useComplaint()
  const selectAll = async () => {
    setSelecting(true)
    try {
      let page: string | undefined
      do {
        const { list, next } = await call('employee/grid', { filters, size: 200, ...(page && { page }) })
        for (const row of list) onRead(row)
        selection.set(
          list.map(({ id }) => id),
          true,
        )
        page = next
      } while (page)
    } catch (error) {
      complain(error)
    } finally {
      setSelecting(false)
    }
  }
  return { isSelecting, selectAll }
}

/** The actions for the selected employees, above the list. */
export function EmployeeBulk(props: {
  filters: Filters
  list: ListOf<'employee/grid'>
  count: number | undefined
  selection: ReturnType<typeof useSelection>
  onRead: (row: Employee) => void
  onSend: () => void
  onChange: () => void
}) {
  const { t } = useTranslation('employee')
  const { list, count, selection } = props
  const { isSelecting, selectAll } = useSelectAll(props.filters, selection, props.onRead)
  const areAllLoadedChosen = list.rows?.every(({ id }) => selection.has(id)) ?? false
  const hasMore = list.hasMore && areAllLoadedChosen && (count === undefined || selection.size < count)
  const ids = [...selection.keys]
  return (
    <section className="bulk" aria-label={t('bulk.label')}>
      <strong role="status">{t('bulk.count', { count: selection.size })}</strong>
      {(hasMore || isSelecting) && (
        <Button busy={isSelecting} onClick={selectAll}>
          {count === undefined ? t('bulk.allMatching') : t('bulk.all', { count })}
        </Button>
      )}
      <Button icon={<Pencil className="icon" aria-hidden="true" />} disabled={isSelecting} onClick={props.onChange}>
        {t('bulk.change')}
      </Button>
      <Button icon={<Mail className="icon" aria-hidden="true" />} disabled={isSelecting} onClick={props.onSend}>
        {t('bulk.invite')}
      </Button>
      {selection.size <= mostPrinted && (
        <Link className="button sheet-button" to={`/printUser?${ids.map(id => `id=${id}`).join('&')}`}>
          <Printer className="icon" aria-hidden="true" />
          <span>{t('bulk.print')}</span>
        </Link>
      )}
      {selection.size <= mostExported && <ExportButton noun="employee" filters={{ ids }} />}
      <Button look="quiet" icon={<X className="icon" aria-hidden="true" />} onClick={selection.clear}>
        {t('bulk.clear')}
      </Button>
    </section>
  )
}
