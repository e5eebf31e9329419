import { earlierDay, laterDay } from '../../../shared/local-day.ts'

/** Days of a row: one free day, or days in a row with leave. */
export type Span<L> = { from: string; to: string; leaves: L[] }

/** The days of a person in order. Leaves that share a day share a span. `leaves` is sorted by first day. */
export const spansOf = <L extends { date: string; toDate: string }>(
  days: readonly string[],
  leaves: readonly L[],
): Span<L>[] => {
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const taken: Span<L>[] = []
  for (const leave of leaves) {
    const [from, to] = [laterDay(leave.date, first), earlierDay(leave.toDate, last)]
    if (from > to) continue
    const previous = taken.at(-1)
    if (previous && from <= previous.to) {
      previous.to = laterDay(previous.to, to)
      previous.leaves.push(leave)
    } else taken.push({ from, to, leaves: [leave] })
  }
  const free = days.filter(day => !taken.some(({ from, to }) => from <= day && day <= to))
  return [...taken, ...free.map(day => ({ from: day, to: day, leaves: [] }))].sort((a, b) => (a.from < b.from ? -1 : 1))
}
