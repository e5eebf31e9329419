import { useSyncExternalStore } from 'react'
import {
  columnNames,
  firstColumn,
  type ReportColumnName,
  type ReportView,
  usualColumns,
} from '../../../shared/report/column.ts'

// Which columns of a report a person looks at: remembered by the browser, for each person and company of their own.

type Chosen = Partial<Record<ReportView, readonly ReportColumnName[]>>

const name = (owner: string) => `report columns ${owner}`
const listeners = new Set<() => void>()
const none: Chosen = {}
let read: { owner: string; text: string | null; chosen: Chosen } = { owner: '', text: null, chosen: none }

const parse = (text: string | null): Chosen => {
  try {
    const chosen: unknown = JSON.parse(text ?? '{}')
    return typeof chosen === 'object' && chosen !== null ? chosen : none
  } catch {
    return none
  }
}
const chosenOf = (owner: string): Chosen => {
  const text = localStorage.getItem(name(owner))
  if (read.owner !== owner || read.text !== text) read = { owner, text, chosen: parse(text) }
  return read.chosen
}
const subscribe = (tell: () => void) => {
  const hear = ({ key }: StorageEvent) => key?.startsWith('report columns ') && tell()
  listeners.add(tell)
  addEventListener('storage', hear)
  return () => {
    listeners.delete(tell)
    removeEventListener('storage', hear)
  }
}

/** The columns of a view, in its order; `choose` with undefined brings the usual ones again. */
export const useReportColumns = (owner: string, view: ReportView) => {
  const chosen = useSyncExternalStore(subscribe, () => chosenOf(owner))[view]
  const wanted = Array.isArray(chosen) ? chosen : usualColumns[view]
  return {
    columns: columnNames[view].filter(column => column === firstColumn[view] || wanted.includes(column)),
    choose(columns: readonly ReportColumnName[] | undefined) {
      localStorage.setItem(name(owner), JSON.stringify({ ...chosenOf(owner), [view]: columns }))
      for (const tell of listeners) tell()
    },
  }
}
