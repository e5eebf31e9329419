import { readFileSync } from 'node:fs'
import { wallMinutes } from '../../shared/attendance/wall-time.ts'
import type { LeaveRule } from '../../shared/leave/rule.ts'
import { addDays, countDays } from '../../shared/local-day.ts'

// Parses the hand-counted leave balances: the settings of the company, and its employees.

export type Outcome = '+' | '?' | '-' | 'x' | '!' | '0'
/** The status of a request by its outcome; undefined for a rejected request. */
export const stateOf = { '+': 1, '?': 0, '-': 2, x: 3, '!': undefined, 0: undefined } as const

export interface Asked {
  outcome: Outcome
  leaveType: number
  date: string
  toDate: string
  from?: string
  to?: string
}

export interface Expected {
  leaveType: number
  year: number
  figures: { entitledDays?: number; carriedDays?: number; usedDays: number; plannedDays: number; leftDays?: number }
  isEstimated: boolean
}

export interface Case {
  name: string
  plan: string
  hireDay?: string
  own: { leaveType: number; year: number; days?: number; adjustedDays?: number }[]
  asked: Asked[]
  expected: Expected[]
}

const text = readFileSync(new URL('../given/leave-balances.txt', import.meta.url), 'utf8')
const lines = text.split('\n').filter(line => line && !line.startsWith('#'))
const [head = '', tail = ''] = lines.join('\n').split('\ncases\n')

/** Parses each line that begins with the word. */
const parseLines = <T>(word: string, pattern: RegExp, parse: (...parts: string[]) => T): T[] =>
  head
    .split('\n')
    .filter(line => line.startsWith(`${word} `))
    .map(line => {
      const match = pattern.exec(line.slice(word.length + 1))
      if (!match) throw new Error(`Not understood: ${line}`)
      return parse(...match.slice(1))
    })

export const zone = parseLines('zone', /^(\S+)$/, name => name)[0] ?? ''

export const rules: LeaveRule[] = parseLines(
  'rule',
  /^(\d+) since (\d+): ([\d.]+) days, carry ([\d.]+), (refuse|warn)$/,
  (leaveType, since, days, carried, excess) => ({
    ...{ leaveType: Number(leaveType), since: Number(since), days: Number(days) },
    ...{ mostCarriedDays: Number(carried), excess: excess as LeaveRule['excess'] },
  }),
)

/** A holiday of all employees, or of the employees of a plan. */
export const holidays = parseLines('holiday', /^(\S+)(?: (\w+))?$/, (day = '', plan = '') => ({ day, plan }))

export interface GivenShift {
  name: string
  onDuty: string
  offDuty: string
  /** The full length of each break is unpaid. */
  breaks: { start: string; end: string; durationMinutes: number }[]
  targetMinutes?: number
}

export const shifts: GivenShift[] = parseLines(
  'shift',
  /^(\w+) (?:(\d\d:\d\d)-(\S+)(?: break (\S+)-(\S+))?|(\d+) a week)$/,
  (...parts) => {
    const [name = '', onDuty = '00:00', offDuty = '00:00', start, end, target] = parts
    return {
      ...{ name, onDuty, offDuty },
      breaks: start && end ? [{ start, end, durationMinutes: wallMinutes(end) - wallMinutes(start) }] : [],
      ...(target && { targetMinutes: Number(target) }),
    }
  },
)

/** The shift names of each plan by weekday; 1 is Monday. */
export const plans = new Map(
  parseLines('plan', /^(\w+):(.*?)(?: until (\S+))?$/, (name = '', text = '', until = '9999-12-31') => {
    const byWeekday: Record<number, string[]> = {}
    for (const part of text.split(',').filter(part => part.trim())) {
      const [names = '', days = ''] = part.trim().split(' on ')
      for (const weekday of days) byWeekday[Number(weekday)] = names.split('+')
    }
    return [name, { byWeekday, until }] as const
  }),
)

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: string) => ((countDays('1970-01-01', day) + 2) % 7) + 1

/** The shift names of a plan on a day. */
export const plannedOn = (plan: string, day: string): string[] => {
  const { byWeekday, until = '' } = plans.get(plan) ?? {}
  return day <= until ? (byWeekday?.[weekdayOf(day)] ?? []) : []
}

const numberOf = (text: string | undefined) => (text === '-' || text === undefined ? undefined : Number(text))

const readAsked = (text: string): Asked => {
  const match = /^([+?x!0-])(\d+) (\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?(?: (\S{5})-(\S+))?$/.exec(text)
  const [, outcome, type, date, toDate = date, from, to] = match ?? []
  if (!match || !date || !toDate) throw new Error(`Not understood: ${text}`)
  return {
    ...{ outcome: outcome as Outcome, leaveType: Number(type), date, toDate },
    ...(from && to && { from, to }),
  }
}

const readExpected = (text: string): Expected => {
  const match = /^(\d+)\/(\d+): (\S+) (\S+) (\S+) (\S+) (\S+)( ~)?$/.exec(text)
  if (!match) throw new Error(`Not understood: ${text}`)
  const [, type, year, entitled, carried, used, planned, left, estimated] = match
  const limit = { entitledDays: numberOf(entitled), carriedDays: numberOf(carried), leftDays: numberOf(left) }
  return {
    ...{ leaveType: Number(type), year: Number(year), isEstimated: estimated !== undefined },
    figures: {
      ...{ usedDays: Number(used), plannedDays: Number(planned) },
      ...(entitled === '-' ? {} : (limit as Record<string, number>)),
    },
  }
}

const readOwn = (text: string): Case['own'][number] => {
  const [, type, year, sign, days] = /^(\d+)\/(\d+) ([=+-]) ([\d.]+)$/.exec(text) ?? []
  if (!sign) throw new Error(`Not understood: ${text}`)
  const change = sign === '=' ? { days: Number(days) } : { adjustedDays: Number(sign + days) }
  return { leaveType: Number(type), year: Number(year), ...change }
}

const listOf = (text: string) =>
  text
    .split(';')
    .map(part => part.trim())
    .filter(part => part !== '')

export const cases: Case[] = tail
  .split('\n')
  .filter(Boolean)
  .map(line => {
    const [name = '', plan = '', hired = '', own = '', asked = '', expected = ''] = line
      .split('|')
      .map(part => part.trim())
    if (!plans.has(plan)) throw new Error(`No such plan: ${line}`)
    return {
      ...{ name, plan, ...(hired && { hireDay: hired }) },
      own: listOf(own).map(readOwn),
      asked: listOf(asked).map(readAsked),
      expected: listOf(expected).map(readExpected),
    }
  })

/** The requested days, with `slack` days on each side that may affect their count. */
export const daysAround = ({ asked }: Case, slack: number): string[] => [
  ...new Set(
    asked.flatMap(({ date, toDate }) =>
      Array.from({ length: countDays(date, toDate) + 2 * slack }, (_, i) => addDays(date, i - slack)),
    ),
  ),
]
