import { useSyncExternalStore } from 'react'
import { type Change, changesOf, type Known, type KnownPeople, type Plan, withoutSent } from './parts/board/plan.ts'

// The unsaved plan of the schedule board and the running save. Both survive a visit to another page, for the same
// person in the same company.

interface SaveTask {
  id: string
  changes: readonly Change[]
  /** The task has ended without saving all of its changes. */
  isRefused?: boolean
}

export interface Sent {
  /** The cells that the save sent. */
  plan: Plan
  /** The tasks that save the plan. Each task saves a part of it. */
  tasks: readonly SaveTask[]
  /** Every part of the plan has its task. */
  isBegun: boolean
  /** How many days the save changes, and whether the save undoes the last save. */
  count: number
  isTakingBack: boolean
}

export interface Planning {
  history: readonly Plan[]
  /** The index of the shown plan in the history. Undo goes to the previous plan, redo to the next plan. */
  at: number
  sent?: Sent | undefined
  /** The changes of the last save, while the user can undo it. */
  saved?: readonly Change[] | undefined
  people: KnownPeople
}

const mostSteps = 50
const beginning: Planning = { history: [{}], at: 0, people: new Map() }

let current: { owner: string; planning: Planning } = { owner: '', planning: beginning }
const listeners = new Set<() => void>()
const subscribe = (notify: () => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

const read = (owner: string): Planning => {
  if (current.owner !== owner) current = { owner, planning: beginning }
  return current.planning
}
const change = (owner: string, next: (previous: Planning) => Planning) => {
  const previous = read(owner)
  const planning = next(previous)
  if (planning === previous) return
  current = { owner, planning }
  for (const notify of listeners) notify()
}

const shownIn = ({ history, at }: Planning): Plan => history[at] ?? {}

/** Merges newly read people into the known people. An unchanged person keeps the same object. */
const mergePeople = (people: KnownPeople, readPeople: readonly Known[]): KnownPeople => {
  const next = new Map(people)
  let isNew = false
  for (const person of readPeople) {
    const before = people.get(person.employee)
    const days = Object.entries(person.days)
    const isKnown =
      before?.name === person.name &&
      before.department === person.department &&
      days.every(([day, held]) => before.days[day]?.join() === held.join()) &&
      Object.entries(person.away ?? {}).every(([day, isAway]) => before.away?.[day] === isAway)
    if (isKnown) continue
    isNew = true
    const away = { ...before?.away, ...person.away }
    next.set(person.employee, { ...person, days: { ...before?.days, ...person.days }, away })
  }
  return isNew ? next : people
}

/** Reads and changes the planning of an owner: a person in a company. */
export const planningOf = (owner: string) => ({
  read: () => read(owner),
  /** The shown plan, and the people it changes. */
  now: () => ({ plan: shownIn(read(owner)), people: read(owner).people }),
  plan: (next: (plan: Plan, planning: Planning) => Plan) =>
    change(owner, previous => {
      const plan = next(shownIn(previous), previous)
      if (plan === shownIn(previous)) return previous
      const history = [...previous.history.slice(0, previous.at + 1).slice(-mostSteps), plan]
      return { ...previous, history, at: history.length - 1 }
    }),
  undo: () => change(owner, previous => (previous.at > 0 ? { ...previous, at: previous.at - 1 } : previous)),
  redo: () =>
    change(owner, previous =>
      previous.at < previous.history.length - 1 ? { ...previous, at: previous.at + 1 } : previous,
    ),
  /** Starts a save. Clears the history, because undo cannot change cells of a running save. */
  send: (save: Pick<Sent, 'count' | 'isTakingBack'>) =>
    change(owner, previous => {
      const plan = shownIn(previous)
      return { ...previous, history: [plan], at: 0, sent: { plan, tasks: [], isBegun: false, ...save } }
    }),
  /**
   * Cancels a save before any task has begun. The plan stays on the board, and the user can still undo the previous
   * save.
   */
  recall: () => change(owner, previous => (previous.sent ? { ...previous, sent: undefined } : previous)),
  follow: (tasks: Sent['tasks'], isBegun: boolean) =>
    change(owner, previous => (previous.sent ? { ...previous, sent: { ...previous.sent, tasks, isBegun } } : previous)),
  /** Marks a task that has ended without saving all of its changes. Any page may call it. */
  refuse: (task: string) =>
    change(owner, previous => {
      const isOpenTask = (part: SaveTask) => part.id === task && !part.isRefused
      if (!previous.sent?.tasks.some(isOpenTask)) return previous
      const tasks = previous.sent.tasks.map(part => (isOpenTask(part) ? { ...part, isRefused: true } : part))
      return { ...previous, sent: { ...previous.sent, tasks } }
    }),
  /** Ends a save: removes the saved cells from the plan. Unsaved cells stay on the board. */
  arrive: (saved: readonly Change[]) =>
    change(owner, previous => {
      const { sent } = previous
      if (!sent) return previous
      const arrived = withOnly(sent.plan, saved)
      const history = previous.history.map(plan => withoutSent(plan, arrived))
      return { ...previous, history, sent: undefined, saved: saved.length > 0 ? saved : undefined }
    }),
  /** Records saved days as the server's schedule, even days that the board has not read again. */
  learnSaved: (saved: readonly Change[]) =>
    change(owner, previous => {
      const people = [...Map.groupBy(saved, ({ employee }) => employee)].flatMap(([employee, own]): Known[] => {
        const person = previous.people.get(employee)
        return person ? [{ ...person, days: Object.fromEntries(own.map(({ day, wanted }) => [day, wanted])) }] : []
      })
      return { ...previous, people: mergePeople(previous.people, people) }
    }),
  learn: (readPeople: readonly Known[]) =>
    change(owner, previous => {
      const people = mergePeople(previous.people, readPeople)
      return people === previous.people ? previous : { ...previous, people }
    }),
})

const cellOf = (plan: Plan, employee: string, day: string): [string, readonly string[]][] => {
  const wanted = plan[employee]?.[day]
  return wanted ? [[day, wanted]] : []
}

/** The cells of a plan that the changes name. */
const withOnly = (plan: Plan, changes: readonly Change[]): Plan =>
  Object.fromEntries(
    [...Map.groupBy(changes, ({ employee }) => employee)].map(([employee, own]) => [
      employee,
      Object.fromEntries(own.flatMap(({ day }) => cellOf(plan, employee, day))),
    ]),
  )

/** Whether closing the window would lose changes. Tasks save their changes even if the window is closed. */
const isUnsaved = (planning: Planning): boolean => {
  const { sent, people } = planning
  const safe = sent?.tasks.flatMap(({ changes, isRefused }) => (isRefused ? [] : changes)) ?? []
  const unsafe = sent ? withoutSent(shownIn(planning), withOnly(sent.plan, safe)) : shownIn(planning)
  return Object.entries(unsafe).some(([employee, own]) => changesOf(employee, own, people.get(employee)).length > 0)
}

// A plan survives a visit to another page, but not closing the window. So on every page the browser asks before
// closing.
addEventListener('beforeunload', event => isUnsaved(current.planning) && event.preventDefault())

export const usePlanning = (owner: string) => useSyncExternalStore(subscribe, () => read(owner))
/** The running save, for components that do not show the plan. */
export const useSent = (owner: string) => useSyncExternalStore(subscribe, () => read(owner).sent)
