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

// The server compares the user on a terminal with the employee, at any time. The terminal executes commands, stops
// answering, or loses its users. The employee is added, changes, and is removed.

const refusedAt = '2026-11-02T08:00:00.000Z'

interface QueuedCommand {
  id: string
  step: SyncStep
  number: string
}

/** A simulated terminal with its queue of commands, and the server's record of its user. */
const startTerminal = () => {
  /** The stored parts by user number. User 99 was added at the terminal itself. */
  const users = new Map<string, Map<string, string>>([['99', new Map([[namePart, 'Nobody of ours']])]])
  const queue: QueuedCommand[] = []
  const settled = new Map<string, SyncOutcome>()
  let wanted: Wanted | undefined
  let record: DeviceUser | undefined
  let doubt: Doubt = {}
  let doubtCount = 0
  let commandCount = 0
  /** Marks all stored parts as doubtful, because they may differ or no longer exist. */
  const addDoubt = (isReset = false) => {
    const emptiedAt = String(++doubtCount).padStart(4, '0')
    doubt = { ...doubt, emptiedAt, ...(isReset && { resetAt: emptiedAt }) }
  }
  /** The record with the results of settled commands and the current doubt. */
  const currentRecord = () => {
    const updated = record && [...settled].reduce((user, [id, outcome]) => endStep(user, id, outcome), record)
    return updated && withDoubt(updated, doubt)
  }
  const clear = () => {
    users.delete('7')
    users.delete('8')
  }

  const obey = ({
    step: { part, isRemoval, isQuestion },
    number,
  }: QueuedCommand): Record<string, string> | undefined => {
    if (isQuestion) return undefined
    if (isRemoval) {
      if (part === wholePerson) users.delete(number)
      else users.get(number)?.delete(part)
      return undefined
    }
    const [name, mark] = [wanted?.marks[namePart], wanted?.marks[part]]
    // The part is no longer wanted, so the server sends nothing.
    if (wanted?.number !== number || name === undefined || mark === undefined) return undefined
    const user = users.get(number) ?? new Map()
    users.set(number, user.set(namePart, name).set(part, mark))
    return { [namePart]: name, [part]: mark }
  }
  return {
    users,
    want(user: Wanted | undefined) {
      wanted = user
    },
    look(): number {
      const user = currentRecord()
      settled.clear()
      const { emptiedAt } = doubt
      const steps = planSteps(user, wanted)
      const begunSteps = Object.fromEntries(steps.map(step => [`c${++commandCount}`, step]))
      const newRecord = { ...newDeviceUser('T1', 'p', wanted?.number ?? ''), ...(emptiedAt && { emptiedAt }) }
      const next = beginSteps(user ?? newRecord, wanted, begunSteps)
      for (const [id, step] of Object.entries(begunSteps)) queue.push({ id, step, number: next.number })
      record = !wanted && isForgettable(next) ? undefined : next
      return steps.length
    },
    /** Sends the first command of the queue. Without an answer, the command stays for a retry. */
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
      addDoubt()
    },
    /** Requests that the server send all users again. */
    sync() {
      addDoubt()
    },
    /** Resets the terminal by command, which erases its users. */
    reset() {
      clear()
      addDoubt(true)
    },
    enrol() {
      if (!record || !users.has(record.number)) return
      users.get(record.number)?.set('3', ownMark)
      record = noteHeld(currentRecord() ?? record, '3', { mark: ownMark })
    },
    /** The terminal lists a template that the server has never seen. The server asks for it, but cannot store it. */
    hear() {
      if (!record || !users.has(record.number)) return
      const before = currentRecord() ?? record
      if (before.holds['1'] !== undefined) return
      users.get(before.number)?.set('1', ownMark)
      record = noteHeld(before, '1', { mark: heardMark })
    },
    rest() {
      for (let rounds = 0; rounds < 100; rounds++) {
        while (queue.length > 0) this.send({ isAnswered: true })
        if (this.look() === 0 && queue.length === 0) return
      }
      throw new Error('It never comes to rest.')
    },
    /** The parts enrolled only on this terminal: first by the server’s record, then by the terminal’s memory. */
    get own() {
      const parts = (storedParts: Iterable<[string, string]>) =>
        [...storedParts].flatMap(([part, mark]) => (mark === ownMark ? [part] : [])).sort()
      return [parts(Object.entries(record?.holds ?? {})), parts(users.get(record?.number ?? '') ?? [])]
    },
    get refused() {
      return record?.refused ?? {}
    },
  }
}

const storedParts = (terminal: ReturnType<typeof startTerminal>) =>
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
const terminalEvent = fc.oneof(
  fc.record({ what: fc.constant('want' as const), wanted }),
  fc.record({ what: fc.constant('look' as const) }),
  fc.record({ what: fc.constant('send' as const), isAnswered: fc.boolean() }),
  fc.record({ what: fc.constantFrom('empty', 'sync', 'reset') }),
  fc.record({ what: fc.constant('enrol' as const) }),
  fc.record({ what: fc.constant('hear' as const) }),
)
type TerminalEvent = typeof terminalEvent extends fc.Arbitrary<infer T> ? T : never

const play = (terminal: ReturnType<typeof startTerminal>, terminalEvents: TerminalEvent[]) => {
  for (const event of terminalEvents)
    if (event.what === 'want') terminal.want(event.wanted)
    else if (event.what === 'send') terminal.send(event)
    else terminal[event.what]()
}

test('a terminal ends up with exactly the wanted users after any sequence of events', () => {
  fc.assert(
    fc.property(fc.array(terminalEvent, { maxLength: 40 }), wanted, (terminalEvents, last) => {
      const terminal = startTerminal()
      play(terminal, terminalEvents)
      terminal.want(last)
      terminal.look()
      terminal.rest()
      expect(storedParts(terminal)).toEqual(last ? { [last.number]: last.marks } : {})
      // The server never touches an unassigned number.
      expect([...(terminal.users.get('99') ?? [])]).toEqual([[namePart, 'Nobody of ours']])
      // The server sends no part that the terminal already has.
      expect(terminal.look()).toBe(0)
    }),
    { numRuns: 2000 },
  )
})

test('a name that an unanswered command replaced is sent again', () => {
  const terminal = startTerminal()
  terminal.want({ number: '8', marks: { [namePart]: 'a', '0': 'a', '1': 'a' }, unfit: {} })
  terminal.look()
  terminal.send({ isAnswered: true })
  terminal.want({ number: '8', marks: { [namePart]: 'b', '1': 'a' }, unfit: {} })
  terminal.send({ isAnswered: false })
  terminal.want({ number: '8', marks: { [namePart]: 'a' }, unfit: {} })
  terminal.look()
  terminal.rest()
  expect(storedParts(terminal)).toEqual({ 8: { [namePart]: 'a' } })
})

test('until a reset, the server’s record lists exactly the templates that were enrolled only on the terminal', () => {
  const events = fc.array(
    terminalEvent.filter(({ what }) => what !== 'empty'),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(events, wanted, (terminalEvents, last) => {
      const terminal = startTerminal()
      play(terminal, terminalEvents)
      terminal.want(last)
      terminal.look()
      terminal.rest()
      const [recorded, actual] = terminal.own
      expect(recorded).toEqual(actual)
    }),
    { numRuns: 2000 },
  )
})

test('the tally counts confirmed parts, except for parts from before a reset', () => {
  const user = (holds: Record<string, string>, emptiedAt?: string) => ({ holds, ...(emptiedAt && { emptiedAt }) })
  const users = [
    user({ [namePart]: 'a', 0: 'a', 1: ownMark, 50: 'a', 11: 'a' }),
    user({ [namePart]: 'a', 0: '' }, '2026-11-03'),
    user({ [namePart]: '', 0: '' }, '2026-11-03'),
  ]
  expect(tallyOf(users, {})).toEqual({ users: 2, templates: 2, faces: 1 })
  // After a full resend, earlier parts are doubtful but may still exist.
  const doubtful = users.map(confirmed =>
    withDoubt({ ...newDeviceUser('T', 'e', '7'), ...confirmed }, { emptiedAt: '2026-11-04' }),
  )
  expect(tallyOf(doubtful, {})).toEqual({ users: 1, templates: 1, faces: 0 })
  expect(tallyOf(doubtful, {}, true)).toEqual({ users: 2, templates: 2, faces: 1 })
  expect(tallyOf(users, { emptiedAt: '2026-11-03', resetAt: '2026-11-02' })).toEqual({
    users: 1,
    templates: 0,
    faces: 0,
  })
})

describe('a refused part', () => {
  const person = (marks: Record<string, string>): Wanted => ({ number: '7', marks, unfit: {} })

  test('the server sends a refused part again only after it changes', () => {
    const terminal = startTerminal()
    terminal.want(person({ [namePart]: 'a', '11': 'a' }))
    expect(terminal.look()).toBe(1)
    terminal.send({ isAnswered: true, isRefused: true })
    // The server still sends the name, without the refused part.
    expect(terminal.look()).toBe(1)
    terminal.send({ isAnswered: true })
    expect(terminal.look()).toBe(0)
    expect(terminal.refused).toEqual({ '11': { mark: 'a', reason: 'refused', at: refusedAt } })
    terminal.want(person({ [namePart]: 'a', '11': 'b' }))
    terminal.look()
    terminal.rest()
    expect(storedParts(terminal)).toEqual({ 7: { [namePart]: 'a', '11': 'b' } })
    expect(terminal.refused).toEqual({})
  })

  test('the server sends a refused part again after the terminal has lost its users', () => {
    const terminal = startTerminal()
    terminal.want(person({ [namePart]: 'a', '0': 'a' }))
    terminal.look()
    terminal.send({ isAnswered: true, isRefused: true })
    terminal.look()
    terminal.rest()
    terminal.empty()
    terminal.look()
    terminal.rest()
    expect(storedParts(terminal)).toEqual({ 7: { [namePart]: 'a', '0': 'a' } })
  })
})

test('the server sends a refused part again if the retry time is later than the refusal', () => {
  const refused = { '11': { mark: 'a', reason: 'refused', at: refusedAt } }
  const record: DeviceUser = { ...newDeviceUser('T1', 'p', '7'), holds: { [namePart]: 'a' }, refused }
  const wanted: Wanted = { number: '7', marks: { [namePart]: 'a', '11': 'a' }, unfit: {} }
  expect(planSteps(withHope(record, refusedAt), wanted)).toEqual([])
  expect(planSteps(withHope(record, '2026-11-02T08:00:00.001Z'), wanted)).toEqual([{ part: '11', mark: 'a' }])
})

test('the server removes no part that is unfit for the terminal', () => {
  const record: DeviceUser = { ...newDeviceUser('T1', 'p', '7'), holds: { [namePart]: 'a', '0': 'a' } }
  const other: Wanted = { number: '7', marks: { [namePart]: 'a' }, unfit: { 0: 'other algorithm' } }
  expect(planSteps(record, other)).toEqual([])
  expect(planSteps(record, { ...other, unfit: {} })).toEqual([{ part: '0', isRemoval: true }])
})
