import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import { type Declarations, day, done, gridInput, gridOutput, id, minutes, nothing, text, version } from './contract.ts'
import type { Key } from './table.ts'

// The time account of a person. A balance follows from the days and the entries at each read (`attendance/time-account.ts`).
// The server stores a balance only for the last day of a lock.

export const accountCuts = ['lost', 'paid'] as const

/** The company's rule for all accounts. Without `most`, nothing is cut; without `least`, nothing warns. */
export interface AccountRule {
  most?: number
  least?: number
  /** Whether the minutes cut at the end of a month are lost, or to be paid out. */
  cut: (typeof accountCuts)[number]
}

export const defaultAccountRule: AccountRule = { cut: 'lost' }

/** A person has an account while this item exists. Every entry raises its version, so that entries follow one another. */
export interface TimeAccount {
  employee: string
  /** The first day of the account. */
  since: string
  /** The entry that opened the account. Entries of an earlier account have another one. */
  opening: string
  entries: number
}

export const entryKinds = ['opening', 'adjustment', 'payout'] as const

/** Entries never change. Another entry counters a wrong one. */
export interface TimeAccountEntry {
  id: string
  employee: string
  opening: string
  kind: (typeof entryKinds)[number]
  day: string
  /** The gain of the balance. A payout has negative minutes. */
  minutes: number
  reason: string
  /** The author. */
  by: string
  at: string
  /** The entry that this one reverses. */
  counters?: string
}

/** The balance of an account on the last day of a lock. */
export interface KeptBalance {
  employee: string
  day: string
  balance: number
}

export const mostAccountEntries = 500

const audited: Audited<TimeAccountEntry> = {
  noun: 'timeAccount',
  id: ({ employee }) => employee,
  name: ({ day }) => day,
}

export const timeAccountKey = (employee: string): Key<TimeAccount> => ({ pk: 'TIME_ACCOUNT', sk: employee })
export const accountEntryPk = (employee: string) => `TIME_ACCOUNT_ENTRY#${employee}`
export const accountEntryKey = ({
  employee,
  id,
}: Pick<TimeAccountEntry, 'employee' | 'id'>): Key<TimeAccountEntry> => ({
  pk: accountEntryPk(employee),
  sk: id,
  audited,
})
export const keptBalanceKey = (employee: string, day: string): Key<KeptBalance> => ({
  pk: `TIME_ACCOUNT_KEPT#${employee}`,
  sk: day,
})

export const timeAccountFacts = ({ company, old, new: next }: Change<TimeAccount>) => [
  { type: 'leave.changed' as const, company, employee: next?.employee ?? old?.employee ?? '' },
]

const signed = z.int().min(-100_000).max(100_000)
const rule = {
  most: minutes(100_000).optional().describe('a balance above it is cut at the end of a month; absent: no cut'),
  least: signed.optional().describe('a balance below it is marked; absent: none'),
  cut: z.enum(accountCuts).describe('whether cut minutes are lost or to be paid out'),
}

const state = {
  since: day.describe('first day of the account'),
  asOf: day,
  balance: z.int().describe('minutes; days in progress do not count yet'),
  isBelow: z.boolean().describe('whether the balance is below the least'),
}

export const ownAccount = z.object({
  ...state,
  rule: z.object(rule),
  months: z
    .array(
      z.object({
        month: z.string().describe('YYYY-MM'),
        balance: z.int().describe('at the end of the month, after the cut; of the present month on `asOf`'),
        cut: z.int().min(0).describe('minutes above the maximum'),
        isBelow: z.boolean(),
      }),
    )
    .describe('newest month first; none before the last locked day'),
  entries: z
    .array(
      z.object({
        ...{ id, kind: z.enum(entryKinds), day, minutes: z.int(), reason: z.string() },
        at: z.string(),
        by: z.string().describe('name of the author; empty if the caller may not see the person'),
        counters: id.optional().describe('the entry that this one reverses'),
        isCountered: z.boolean(),
        isLocked: z.boolean(),
      }),
    )
    .describe('newest day first'),
})
export type OwnAccount = z.output<typeof ownAccount>

const person = { employee: id, first_name: z.string(), last_name: z.string(), workno: z.string(), department: id }

export const timeAccountPaths = {
  'leave/account/params': {
    does: 'Returns the rule for time accounts.',
    who: [8, 10],
    input: nothing,
    output: z.object({ ...rule, version }),
  },
  'leave/account/params/update': {
    does: 'Sets the rule for time accounts. Balances after the last locked day change at once.',
    who: 'administrator',
    writes: true,
    input: z
      .strictObject({ version, ...rule })
      .refine(({ most, least }) => most === undefined || least === undefined || least <= most, {
        path: ['least'],
        error: '10002',
      }),
    output: done,
  },
  'leave/account/grid': {
    does: "Lists the caller's employees who have a time account, with their balances.",
    who: [8, 10],
    input: gridInput(z.strictObject({ department: id.optional(), search: z.string().trim().max(100).optional() })),
    output: gridOutput(z.object({ ...person, ...state })),
  },
  'leave/account/get': {
    does: "Returns a person's time account with its months and entries; `account` is absent without one.",
    who: [8, 10],
    input: z.strictObject({ employee: id }),
    output: z.object({ account: ownAccount.optional() }),
  },
  'leave/account/entry/add': {
    does: 'Adds an entry to a time account; `opening` opens it. Rejects locked days (60061), and days after today or before the account begins (10002). Only administrators can change their own account.',
    who: [10],
    writes: true,
    input: z.strictObject({
      employee: id,
      kind: z.enum(entryKinds),
      day,
      minutes: signed.describe('minutes added to the balance; for a payout, minutes paid out'),
      reason: text(200),
    }),
    output: z.object({ id }),
  },
  'leave/account/entry/counter': {
    does: 'Takes an entry back with an opposite one, on the same day unless `day` names another. Countering the opening closes the account. Rejects locked days (60061).',
    who: [10],
    writes: true,
    input: z.strictObject({ employee: id, id, day: day.optional(), reason: text(200) }),
    output: z.object({ id }),
  },
} as const satisfies Declarations

export const personalAccountPaths = {
  'personal/account': {
    does: "Returns the caller's time account; `account` is absent without one.",
    who: 'employee',
    input: nothing,
    output: z.object({ account: ownAccount.optional() }),
  },
} as const satisfies Declarations
