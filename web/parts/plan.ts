import type { PathCall } from '../api.ts'

// What is painted on the schedule board and not saved yet, and the requests that save it.

/** The shifts a day is to hold, by employee and day; none means that the day is to be free. */
export type Plan = Record<string, Record<string, string[]>>

export interface Change {
  employee: string
  day: string
  /** What the day holds on the server. */
  held: readonly string[]
  /** What it is to hold. */
  wanted: readonly string[]
}

export type Request =
  | { path: 'schedule/update' | 'schedule/add'; input: PathCall<'schedule/add'>; changes: Change[] }
  | { path: 'schedule/clear'; input: PathCall<'schedule/clear'>; changes: Change[] }

/** The most employees one request may name. */
const mostEmployees = 500
/** The most days one request may name. */
const mostDays = 62

const isSame = (one: readonly string[], other: readonly string[]) => one.join() === other.join()

/** A plan with these days changed; a day that is as the server has it is no change. */
export const withChanges = (plan: Plan, changes: readonly Change[]): Plan => {
  const next = { ...plan }
  for (const { employee, day, held, wanted } of changes) {
    const { [day]: _, ...days } = next[employee] ?? {}
    if (!isSame(held, wanted)) days[day] = [...wanted]
    if (Object.keys(days).length > 0) next[employee] = days
    else delete next[employee]
  }
  return next
}

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string) => {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

const chunks = <T>(items: readonly T[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** Employees whose changed days are the same go into one request: a painted rectangle is saved by one. */
const rectangles = (changes: readonly Change[]) =>
  [
    ...groupBy([...groupBy(changes, ({ employee }) => employee).values()], own =>
      own
        .map(({ day }) => day)
        .sort()
        .join(),
    ).values(),
  ].flatMap(alike =>
    chunks(alike, mostEmployees).flatMap(part => {
      const days = [...new Set(part.flat().map(({ day }) => day))].sort()
      return chunks(days, mostDays).map(some => ({
        employees: part.flatMap(([first]) => (first ? [first.employee] : [])),
        days: some,
        changes: part.flat().filter(({ day }) => some.includes(day)),
      }))
    }),
  )

const nextDay = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

/** Days that follow each other without a gap. */
const runs = (days: readonly string[]) =>
  days.reduce<string[][]>((found, day) => {
    const last = found.at(-1)
    const end = last?.at(-1)
    if (last && end && nextDay(end) === day) last.push(day)
    else found.push([day])
    return found
  }, [])

const clearing = (changes: readonly Change[]): Request[] =>
  rectangles(changes).flatMap(({ employees, days, changes: own }) =>
    runs(days).map(run => ({
      path: 'schedule/clear' as const,
      input: { employees, from: run[0] ?? '', to: run.at(-1) ?? '' },
      changes: own.filter(({ day }) => run.includes(day)),
    })),
  )

const setting = (
  path: 'schedule/update' | 'schedule/add',
  changes: readonly (Change & { shift: string })[],
): Request[] =>
  [...groupBy(changes, ({ shift }) => shift)].flatMap(([shift, alike]) =>
    rectangles(alike).map(({ employees, days, changes: own }) => ({
      path,
      input: { employees, days, shift },
      changes: own,
    })),
  )

/**
 * The requests that bring about the changes, in the order they are to be sent: what is cleared first, then what is
 * replaced, then what comes beside something.
 */
export const requestsFor = (changes: readonly Change[]): Request[] => {
  const replaced: (Change & { shift: string })[] = []
  const added: (Change & { shift: string })[] = []
  for (const change of changes) {
    const { held, wanted } = change
    const isBeside = held.length > 0 && held.every(shift => wanted.includes(shift))
    const [first, ...others] = isBeside ? [undefined, ...wanted.filter(shift => !held.includes(shift))] : wanted
    if (first) replaced.push({ ...change, shift: first })
    for (const shift of others) if (shift) added.push({ ...change, shift })
  }
  return [
    ...clearing(changes.filter(({ wanted }) => wanted.length === 0)),
    ...setting('schedule/update', replaced),
    ...setting('schedule/add', added),
  ]
}
