import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  beginSteps,
  type DeviceUser,
  type Doubt,
  endStep,
  heardMark,
  isForgettable,
  namePart,
  newDeviceUser,
  noteHeld,
  ownMark,
  planSteps,
  type SyncOutcome,
  type SyncStep,
  tallyOf,
  type Wanted,
  wholePerson,
  withDoubt,
  withHope,
} from '../../shared/terminal/user.ts'

// One person on one terminal, which does what it is told, goes without answering, or is emptied, while the person comes, goes and
// changes, and anybody looks whenever they like.

const refusedAt = '2026-11-02T08:00:00.000Z'

interface Sent {
  id: string
  step: SyncStep
  number: string
}

/** A terminal with a queue before it, and what is known of it. */
const startTerminal = () => {
  /** By number, what it holds by part. The last is somebody it was taught by hand. */
  const users = new Map<string, Map<string, string>>([['99', new Map([[namePart, 'Nobody of ours']])]])
  const queue: Sent[] = []
  const settled = new Map<string, SyncOutcome>()
  let wanted: Wanted | undefined
  let known: DeviceUser | undefined
  let doubt: Doubt = {}
  let doubts = 0
  let commands = 0
  /** From here on whatever is there may be another thing, or gone. */
  const shed = (isReset = false) => {
    const emptiedAt = String(++doubts).padStart(4, '0')
    doubt = { ...doubt, emptiedAt, ...(isReset && { resetAt: emptiedAt }) }
  }
  /** What is known, with what became of what was under way, and the doubt there is of all that. */
  const doubted = () => {
    const taken = known && [...settled].reduce((user, [id, outcome]) => endStep(user, id, outcome), known)
    return taken && withDoubt(taken, doubt)
  }
  const clear = () => {
    users.delete('7')
    users.delete('8')
  }

  const obey = ({ step: { part, isRemoval, isQuestion }, number }: Sent): Record<string, string> | undefined => {
    if (isQuestion) return undefined
    if (isRemoval) {
      if (part === wholePerson) users.delete(number)
      else users.get(number)?.delete(part)
      return undefined
    }
    const [name, mark] = [wanted?.marks[namePart], wanted?.marks[part]]
    // There is nothing to be set any more: nothing is sent.
    if (wanted?.number !== number || name === undefined || mark === undefined) return undefined
    const user = users.get(number) ?? new Map()
    users.set(number, user.set(namePart, name).set(part, mark))
    return { [namePart]: name, [part]: mark }
  }
  return {
    users,
    want(next: Wanted | undefined) {
      wanted = next
    },
    look(): number {
      const user = doubted()
      settled.clear()
      const { emptiedAt } = doubt
      const steps = planSteps(user, wanted)
      const begun = Object.fromEntries(steps.map(step => [`c${++commands}`, step]))
      const fresh = { ...newDeviceUser('T1', 'p', wanted?.number ?? ''), ...(emptiedAt && { emptiedAt }) }
      const now = beginSteps(user ?? fresh, wanted, begun)
      for (const [id, step] of Object.entries(begun)) queue.push({ id, step, number: now.number })
      known = !wanted && isForgettable(now) ? undefined : now
      return steps.length
    },
    /** The first in the queue is sent; without an answer it is sent again. */
    send({ isAnswered, isRefused = false }: { isAnswered: boolean; isRefused?: boolean }) {
      const [first] = queue
      if (!first) return
      const holds = isRefused ? undefined : obey(first)
      if (!isAnswered) return
      queue.shift()
      settled.set(
        first.id,
        isRefused ? { isDone: false, reason: 'refused', at: refusedAt } : { isDone: true, ...(holds && { holds }) },
      )
    },
    empty() {
      clear()
      shed()
    },
    /** Somebody wants everybody to be sent to it once more. */
    sync() {
      shed()
    },
    /** It forgets everything, as it was told to. */
    reset() {
      clear()
      shed(true)
    },
    enrol() {
      if (!known || !users.has(known.number)) return
      users.get(known.number)?.set('3', ownMark)
      known = noteHeld(doubted() ?? known, '3', { mark: ownMark })
    },
    /** It is listed with something nobody here has seen, which is then asked for and cannot be kept. */
    hear() {
      if (!known || !users.has(known.number)) return
      const before = doubted() ?? known
      if (before.holds['1'] !== undefined) return
      users.get(before.number)?.set('1', ownMark)
      known = noteHeld(before, '1', { mark: heardMark })
    },
    rest() {
      for (let rounds = 0; rounds < 100; rounds++) {
        while (queue.length > 0) this.send({ isAnswered: true })
        if (this.look() === 0 && queue.length === 0) return
      }
      throw new Error('It never comes to rest.')
    },
    /** What was taken there alone: as it is known, and as it is. */
    get own() {
      const parts = (held: Iterable<[string, string]>) =>
        [...held].flatMap(([part, mark]) => (mark === ownMark ? [part] : [])).sort()
      return [parts(Object.entries(known?.holds ?? {})), parts(users.get(known?.number ?? '') ?? [])]
    },
    get refused() {
      return known?.refused ?? {}
    },
  }
}

const held = (terminal: ReturnType<typeof startTerminal>) =>
  Object.fromEntries(
    [...terminal.users]
      .filter(([number]) => number !== '99')
      .map(([number, parts]) => [number, Object.fromEntries([...parts].filter(([, mark]) => mark !== ownMark))]),
  )

const mark = fc.constantFrom('a', 'b', 'c')
const wanted: fc.Arbitrary<Wanted | undefined> = fc.option(
  fc.record({
    number: fc.constantFrom('7', '8'),
    marks: fc
      .tuple(mark, fc.dictionary(fc.constantFrom('0', '1', '10', '11', '50'), mark))
      .map(([name, parts]) => ({ ...parts, [namePart]: name })),
    unfit: fc.constant({}),
  }),
  { nil: undefined },
)
const happening = fc.oneof(
  fc.record({ what: fc.constant('want' as const), wanted }),
  fc.record({ what: fc.constant('look' as const) }),
  fc.record({ what: fc.constant('send' as const), isAnswered: fc.boolean() }),
  fc.record({ what: fc.constantFrom('empty', 'sync', 'reset') }),
  fc.record({ what: fc.constant('enrol' as const) }),
  fc.record({ what: fc.constant('hear' as const) }),
)
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

const live = (terminal: ReturnType<typeof startTerminal>, happenings: Happening[]) => {
  for (const one of happenings)
    if (one.what === 'want') terminal.want(one.wanted)
    else if (one.what === 'send') terminal.send(one)
    else terminal[one.what]()
}

test('whatever comes in whatever order, a terminal ends up with exactly whom it has to know', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), wanted, (happenings, last) => {
      const terminal = startTerminal()
      live(terminal, happenings)
      terminal.want(last)
      terminal.look()
      terminal.rest()
      expect(held(terminal)).toEqual(last ? { [last.number]: last.marks } : {})
      // A number that is nobody's is never touched.
      expect([...(terminal.users.get('99') ?? [])]).toEqual([[namePart, 'Nobody of ours']])
      // Nobody is sent anything who has it.
      expect(terminal.look()).toBe(0)
    }),
    { numRuns: 2000 },
  )
})

test('what was taken there alone is known as long as it is there, and no longer than until it is reset', () => {
  const told = fc.array(
    happening.filter(({ what }) => what !== 'empty'),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(told, wanted, (happenings, last) => {
      const terminal = startTerminal()
      live(terminal, happenings)
      terminal.want(last)
      terminal.look()
      terminal.rest()
      const [known, there] = terminal.own
      expect(known).toEqual(there)
    }),
    { numRuns: 2000 },
  )
})

test('what was confirmed is counted, as long as it was not reset since', () => {
  const user = (holds: Record<string, string>, emptiedAt?: string) => ({ holds, ...(emptiedAt && { emptiedAt }) })
  const users = [
    user({ [namePart]: 'a', 0: 'a', 1: ownMark, 50: 'a', 11: 'a' }),
    user({ [namePart]: 'a', 0: '' }, '2026-11-03'),
    user({ [namePart]: '', 0: '' }, '2026-11-03'),
  ]
  expect(tallyOf(users, {})).toEqual({ users: 2, templates: 2, faces: 1 })
  // What was there before all is sent again may be there.
  const doubtful = users.map(one => withDoubt({ ...newDeviceUser('T', 'e', '7'), ...one }, { emptiedAt: '2026-11-04' }))
  expect(tallyOf(doubtful, {})).toEqual({ users: 1, templates: 1, faces: 0 })
  expect(tallyOf(doubtful, {}, true)).toEqual({ users: 2, templates: 2, faces: 1 })
  expect(tallyOf(users, { emptiedAt: '2026-11-03', resetAt: '2026-11-02' })).toEqual({
    users: 1,
    templates: 0,
    faces: 0,
  })
})

describe('what a terminal refuses', () => {
  const person = (marks: Record<string, string>): Wanted => ({ number: '7', marks, unfit: {} })

  test('it is not asked again until it is something else', () => {
    const terminal = startTerminal()
    terminal.want(person({ [namePart]: 'a', '11': 'a' }))
    expect(terminal.look()).toBe(1)
    terminal.send({ isAnswered: true, isRefused: true })
    // The name alone all the same.
    expect(terminal.look()).toBe(1)
    terminal.send({ isAnswered: true })
    expect(terminal.look()).toBe(0)
    expect(terminal.refused).toEqual({ '11': { mark: 'a', reason: 'refused', at: refusedAt } })
    terminal.want(person({ [namePart]: 'a', '11': 'b' }))
    terminal.look()
    terminal.rest()
    expect(held(terminal)).toEqual({ 7: { [namePart]: 'a', '11': 'b' } })
    expect(terminal.refused).toEqual({})
  })

  test('it is asked for once more when it was emptied', () => {
    const terminal = startTerminal()
    terminal.want(person({ [namePart]: 'a', '0': 'a' }))
    terminal.look()
    terminal.send({ isAnswered: true, isRefused: true })
    terminal.look()
    terminal.rest()
    terminal.empty()
    terminal.look()
    terminal.rest()
    expect(held(terminal)).toEqual({ 7: { [namePart]: 'a', '0': 'a' } })
  })
})

test('what was refused is asked again when it is older', () => {
  const refused = { '11': { mark: 'a', reason: 'refused', at: refusedAt } }
  const known: DeviceUser = { ...newDeviceUser('T1', 'p', '7'), holds: { [namePart]: 'a' }, refused }
  const wanted: Wanted = { number: '7', marks: { [namePart]: 'a', '11': 'a' }, unfit: {} }
  expect(planSteps(withHope(known, refusedAt), wanted)).toEqual([])
  expect(planSteps(withHope(known, '2026-11-02T08:00:00.001Z'), wanted)).toEqual([{ part: '11', mark: 'a' }])
})

test('what cannot be sent to a terminal takes nothing away from it', () => {
  const known: DeviceUser = { ...newDeviceUser('T1', 'p', '7'), holds: { [namePart]: 'a', '0': 'a' } }
  const other: Wanted = { number: '7', marks: { [namePart]: 'a' }, unfit: { 0: 'other algorithm' } }
  expect(planSteps(known, other)).toEqual([])
  expect(planSteps(known, { ...other, unfit: {} })).toEqual([{ part: '0', isRemoval: true }])
})
