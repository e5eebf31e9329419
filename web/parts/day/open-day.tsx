import { lazy, Suspense, useEffect, useRef } from 'react'
import { usePerson } from '../../session.tsx'
import type { ListedDay } from './steps.tsx'

// Opens the day panel from any list of people and days.

const DayPanel = lazy(async () => ({ default: (await import('./explain.tsx')).DayPanel }))

/** A row of a list that opens a day. */
export interface DayRow extends ListedDay {
  /** The row's key. */
  key: string
}

/** The attribute of the element that takes the focus after its day closes. */
export const opensDay = (key: string) => ({ 'data-opens-day': key })

/** The permissions that open `report/day`: reports, records and approvals. */
const permissions = [8, 9, 10]

/** Whether the signed-in person may open the days of people. */
export const useMayOpenDay = () => {
  const { type, auth_item } = usePerson()
  return type === 'management' && auth_item.some(({ id }) => permissions.includes(id))
}

const focusTries = 40
const focusMilliseconds = 50

/**
 * Focuses an element once it exists. The row may stand in a panel that opens again and first reads its data. Returns
 * the function that stops waiting.
 */
const focusSoon = (selector: string) => {
  let tries = 0
  const timer = setInterval(() => {
    const row = document.querySelector<HTMLElement>(selector)
    row?.focus({ preventScroll: true })
    if ((row && document.activeElement === row) || ++tries === focusTries) clearInterval(timer)
  }, focusMilliseconds)
  return () => clearInterval(timer)
}

/** The panel of the open day. The focus returns to the row of the day that the panel showed last. */
export function OpenDay(props: {
  shown: DayRow | undefined
  /** The list that Left and Right step through. */
  days?: readonly DayRow[] | undefined
  onShow: (day: DayRow | undefined) => void
}) {
  const { shown, days = [], onShow } = props
  const last = useRef<string>(undefined)
  const key = shown?.key
  useEffect(() => {
    const closed = key === undefined ? last.current : undefined
    last.current = key
    if (closed === undefined) return
    return focusSoon(`[data-opens-day="${CSS.escape(closed)}"]`)
  }, [key])
  if (!shown) return null
  return (
    // The panel's code loads when it first opens; the list stays visible.
    <Suspense>
      <DayPanel
        day={shown.day}
        employee={shown.employee}
        steps={{ days, onStep: day => onShow(days.find(row => row.employee === day.employee && row.day === day.day)) }}
        onClose={() => onShow(undefined)}
      />
    </Suspense>
  )
}
