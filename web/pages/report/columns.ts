import { useSyncExternalStore } from 'react'
import {
  columnNames,
  firstColumn,
  type ReportColumnName,
  type ReportView,
  usualColumns,
} from '../../../shared/report/column.ts'

// The chosen report columns. The browser stores them for each person and company.

type Chosen = Partial<Record<ReportView, readonly ReportColumnName[]>>

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

/** The columns of a view, in the view's order. `choose` with undefined restores the usual columns. */
export const useReportColumns = (owner: string, view: ReportView) => {
  const chosen = useSyncExternalStore(subscribe, () => chosenOf(owner))[view]
  const wanted = Array.isArray(chosen) ? chosen : usualColumns[view]
  return {
    isUsual: !Array.isArray(chosen),
    columns: columnNames[view].filter(column => column === firstColumn[view] || wanted.includes(column)),
    choose(columns: readonly ReportColumnName[] | undefined) {
      localStorage.setItem(storageKey(owner), JSON.stringify({ ...chosenOf(owner), [view]: columns }))
      for (const notify of listeners) notify()
    },
  }
}
