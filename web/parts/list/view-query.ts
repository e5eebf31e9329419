import type { AddressChanges } from '../field/address.ts'
import type { DayRange } from './range.tsx'

// The filters of a page as the query of a saved view. The query names a preset of days instead of its dates, so that
// last month stays the last month.

type Dates = Pick<DayRange, 'preset' | 'presets' | 'today'>

const preset = 'range'
const dates = ['from', 'to'] as const

/** The query of the present filters, without the values that are no filters. Empty without filters. */
export const queryOf = (address: URLSearchParams, names: readonly string[], range?: Dates): string => {
  const query = new URLSearchParams()
  for (const name of names) {
    const value = address.get(name)
    if (value) query.set(name, value)
  }
  if (range && dates.some(name => address.has(name)))
    if (range.preset) query.set(preset, range.preset)
    else for (const name of dates) if (address.has(name)) query.set(name, address.get(name) ?? '')
  return query.toString()
}

/** The changes of the address that show a view. The empty query shows the list without filters. */
export const changesOf = (query: string, names: readonly string[], range?: Dates): AddressChanges => {
  const saved = new URLSearchParams(query)
  const filters = Object.fromEntries(names.map(name => [name, saved.get(name) ?? undefined]))
  if (!range) return filters
  const days = Object.entries(range.presets).find(([name]) => name === saved.get(preset))?.[1]
  const from = days?.from ?? saved.get('from') ?? undefined
  const to = days?.to ?? saved.get('to') ?? undefined
  return { ...filters, from, to: to === range.today ? undefined : to }
}

/** Whether the page shows exactly the filters of a view. */
export const isShown = (query: string, address: URLSearchParams, names: readonly string[], range?: Dates): boolean =>
  Object.entries(changesOf(query, names, range)).every(([name, value]) => (address.get(name) || undefined) === value)
