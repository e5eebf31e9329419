import { useSyncExternalStore } from 'react'
import { type Change, changesOf, type Known, type KnownPeople, type Plan, withoutSent } from './parts/board/plan.ts'

// What is painted on the schedule board and not saved yet. It outlives a visit of another page, for the same person in the
// same company, and so does what is on its way to the server.

interface Part {
  id: string
  changes: readonly Change[]
  /** It has ended, and not all of it was saved. */
  isRefused?: boolean
}

export interface Sent {
  /** The cells as they were sent. */
  plan: Plan
  /** The tasks that save them, each a part. */
  tasks: readonly Part[]
  /** Every part has its task. */
  isBegun: boolean
  /** How many days it saves, and whether they get back what they held before the last save. */
  count: number
  isTakingBack: boolean
}

export interface Planning {
  history: readonly Plan[]
  /** Which of the history is shown: what lies before can be taken back, what lies behind brought again. */
  at: number
  sent?: Sent | undefined
  /** What the last save changed, as long as it can be taken back. */
  saved?: readonly Change[] | undefined
  people: KnownPeople
}

const mostSteps = 50
const beginning: Planning = { history: [{}], at: 0, people: new Map() }

let kept: { owner: string; planning: Planning } = { owner: '', planning: beginning }
const listeners = new Set<() => void>()
const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

const read = (owner: string): Planning => {
  if (kept.owner !== owner) kept = { owner, planning: beginning }
  return kept.planning
}
const change = (owner: string, next: (was: Planning) => Planning) => {
  const was = read(owner)
  const planning = next(was)
  if (planning === was) return
  kept = { owner, planning }
  for (const tell of listeners) tell()
}

const shownIn = ({ history, at }: Planning): Plan => history[at] ?? {}

/** The people with what was read of them now; whoever holds the same keeps the same object. */
const learned = (people: KnownPeople, read: readonly Known[]): KnownPeople => {
  const next = new Map(people)
  let isNew = false
  for (const person of read) {
    const before = people.get(person.employee)
    const days = Object.entries(person.days)
    const isKnown =
      before?.name === person.name &&
      before.department === person.department &&
      days.every(([day, held]) => before.days[day]?.join() === held.join())
    if (isKnown) continue
    isNew = true
    next.set(person.employee, { ...person, days: { ...before?.days, ...person.days } })
  }
  return isNew ? next : people
}

/** The steps there are for a person in a company. */
export const planningOf = (owner: string) => ({
  read: () => read(owner),
  plan: (next: (plan: Plan, planning: Planning) => Plan) =>
    change(owner, was => {
      const plan = next(shownIn(was), was)
      if (plan === shownIn(was)) return was
      const history = [...was.history.slice(0, was.at + 1).slice(-mostSteps), plan]
      return { ...was, history, at: history.length - 1 }
    }),
  undo: () => change(owner, was => (was.at > 0 ? { ...was, at: was.at - 1 } : was)),
  redo: () => change(owner, was => (was.at < was.history.length - 1 ? { ...was, at: was.at + 1 } : was)),
  /** What is on its way cannot be taken back step by step. */
  send: (what: Pick<Sent, 'count' | 'isTakingBack'>) =>
    change(owner, was => {
      const plan = shownIn(was)
      return { ...was, history: [plan], at: 0, sent: { plan, tasks: [], isBegun: false, ...what } }
    }),
  /** Nothing of it was begun: it stays on the board, and what was saved before it can still be taken back. */
  recall: () => change(owner, was => (was.sent ? { ...was, sent: undefined } : was)),
  follow: (tasks: Sent['tasks'], isBegun: boolean) =>
    change(owner, was => (was.sent ? { ...was, sent: { ...was.sent, tasks, isBegun } } : was)),
  /** A task has ended with something unsaved, on whatever page that is heard. */
  refuse: (task: string) =>
    change(owner, was => {
      const isOne = (part: Part) => part.id === task && !part.isRefused
      if (!was.sent?.tasks.some(isOne)) return was
      const tasks = was.sent.tasks.map(part => (isOne(part) ? { ...part, isRefused: true } : part))
      return { ...was, sent: { ...was.sent, tasks } }
    }),
  /** What of it was saved has arrived; the rest stays on the board as it was painted. */
  arrive: (saved: readonly Change[]) =>
    change(owner, was => {
      const { sent } = was
      if (!sent) return was
      const arrived = withOnly(sent.plan, saved)
      const history = was.history.map(plan => withoutSent(plan, arrived))
      return { ...was, history, sent: undefined, saved: saved.length > 0 ? saved : undefined }
    }),
  /** What was saved is held from now on, also on days nobody has read again. */
  learnSaved: (saved: readonly Change[]) =>
    change(owner, was => {
      const known = [...Map.groupBy(saved, ({ employee }) => employee)].flatMap(([employee, own]): Known[] => {
        const person = was.people.get(employee)
        return person ? [{ ...person, days: Object.fromEntries(own.map(({ day, wanted }) => [day, wanted])) }] : []
      })
      return { ...was, people: learned(was.people, known) }
    }),
  learn: (people: readonly Known[]) =>
    change(owner, was => {
      const next = learned(was.people, people)
      return next === was.people ? was : { ...was, people: next }
    }),
})

const cellOf = (plan: Plan, employee: string, day: string): [string, readonly string[]][] => {
  const wanted = plan[employee]?.[day]
  return wanted ? [[day, wanted]] : []
}

/** Of a plan only the cells that these changes name. */
const withOnly = (plan: Plan, changes: readonly Change[]): Plan =>
  Object.fromEntries(
    [...Map.groupBy(changes, ({ employee }) => employee)].map(([employee, own]) => [
      employee,
      Object.fromEntries(own.flatMap(({ day }) => cellOf(plan, employee, day))),
    ]),
  )

/** What a task saves is safe, whatever becomes of this window. */
const isUnsaved = (planning: Planning): boolean => {
  const { sent, people } = planning
  const safe = sent?.tasks.flatMap(({ changes, isRefused }) => (isRefused ? [] : changes)) ?? []
  const left = sent ? withoutSent(shownIn(planning), withOnly(sent.plan, safe)) : shownIn(planning)
  return Object.entries(left).some(([employee, own]) => changesOf(employee, own, people.get(employee)).length > 0)
}

// A plan outlives a visit of another page, but not the window: on whatever page the browser asks before it is closed.
addEventListener('beforeunload', event => isUnsaved(kept.planning) && event.preventDefault())

export const usePlanning = (owner: string) => useSyncExternalStore(subscribe, () => read(owner))
/** What is on its way, for who does not look at what is painted. */
export const useSent = (owner: string) => useSyncExternalStore(subscribe, () => read(owner).sent)
