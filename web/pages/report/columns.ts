import { useSyncExternalStore } from 'react'
import {
  type FileColumnName,
  firstColumn,
  kindOfColumn,
  type ReportView,
  usualColumns,
  viewColumns,
} from '../../../shared/report/column.ts'

// The chosen report columns. The browser stores them for each person and company.

type Chosen = Partial<Record<ReportView, readonly FileColumnName[]>>

const storageKey = (owner: string) => `report columns ${owner}`
const listeners = new Set<() => void>()
const none: Chosen = {}
let cached: { owner: string; text: string | null; chosen: Chosen } = { owner: '', text: null, chosen: none }

const parse = (text: string | null): Chosen => {
  try {
    const chosen: unknown = JSON.parse(text ?? '{}')
    return typeof chosen === 'object' && chosen !== null ? chosen : none
  } catch {
    return none
  }
}
const chosenOf = (owner: string): Chosen => {
  const text = localStorage.getItem(storageKey(owner))
  if (cached.owner !== owner || cached.text !== text) cached = { owner, text, chosen: parse(text) }
  return cached.chosen
}
const subscribe = (notify: () => void) => {
  const onStorage = ({ key }: StorageEvent) => key?.startsWith('report columns ') && notify()
  listeners.add(notify)
  addEventListener('storage', onStorage)
  return () => {
    listeners.delete(notify)
    removeEventListener('storage', onStorage)
  }
}

/** The columns for payroll: the hours of each kind, and what is missing. */
const payrollColumns = new Set<FileColumnName>(['day', 'shift', 'in', 'out', 'duty', 'work', 'leave', 'unresolved'])

interface ReportColumns {
  isUsual: boolean
  columns: readonly FileColumnName[]
  choose: (columns: readonly FileColumnName[] | undefined) => void
}

/** The payroll columns. The address holds this choice, so that a saved view keeps it. */
export const payrollChoice = (
  view: ReportView,
  codes: readonly string[],
  choose: ReportColumns['choose'],
): ReportColumns => ({
  isUsual: false,
  columns: viewColumns(view, codes).filter(
    name => name === firstColumn[view] || payrollColumns.has(name) || kindOfColumn(name) !== undefined,
  ),
  choose,
})

/**
 * The columns of a view, in the view's order. `codes` are the hour kinds, which all belong to the usual columns. `choose`
 * with undefined restores the usual columns.
 */
export const useReportColumns = (owner: string, view: ReportView, codes: readonly string[]): ReportColumns => {
  const chosen = useSyncExternalStore(subscribe, () => chosenOf(owner))[view]
  const isWanted = (column: FileColumnName) =>
    Array.isArray(chosen)
      ? chosen.includes(column)
      : kindOfColumn(column) !== undefined || (usualColumns[view] as readonly string[]).includes(column)
  return {
    isUsual: !Array.isArray(chosen),
    columns: viewColumns(view, codes).filter(column => column === firstColumn[view] || isWanted(column)),
    choose(columns: readonly FileColumnName[] | undefined) {
      localStorage.setItem(storageKey(owner), JSON.stringify({ ...chosenOf(owner), [view]: columns }))
      for (const notify of listeners) notify()
    },
  }
}
