import { type Account, type AccountDay, accountOf } from '../../shared/attendance/time-account.ts'
import { type Company, leaveTypesOf } from '../../shared/company.ts'
import type { DayRow } from '../../shared/day.ts'
import { type HourContent, hourContentKey } from '../../shared/hours.ts'
import { addDays, earlierDay, laterDay, localDay } from '../../shared/local-day.ts'
import {
  type AccountRule,
  accountEntryPk,
  defaultAccountRule,
  type KeptBalance,
  keptBalanceKey,
  type TimeAccount,
  type TimeAccountEntry,
  timeAccountKey,
} from '../../shared/time-account.ts'
import { rowsBetween } from '../day/rows.ts'
import { isDefined } from '../kit/defined.ts'
import { atOnce } from '../kit/each.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// Derives balances from days and entries, and keeps them on the last day of a lock.

export const accountsAtOnce = 12

/** The facts that all accounts of a company share. */
export interface AccountGround {
  company: Company
  rule: AccountRule
  today: string
  /** The figures of a row that change the account. */
  dayOf(row: DayRow): AccountDay
}

/** The kinds that count, by the version of the content that split the row. */
const readCountingKinds = async (table: Table, company: Company): Promise<Map<number, Set<string>>> => {
  const contents = company.hasHours ? await table.all<HourContent>({ pk: hourContentKey(0).pk }) : []
  return new Map(
    contents.map(({ setVersion, kinds }) => [
      setVersion,
      new Set(kinds.flatMap(({ code, account }) => (account ? [code] : []))),
    ]),
  )
}

export const readGround = async (table: Table, company: Company): Promise<AccountGround> => {
  const kinds = await readCountingKinds(table, company)
  const fromAccount = new Set(leaveTypesOf(company).flatMap(({ id, fromAccount }) => (fromAccount ? [String(id)] : [])))
  /** Without an hour set, all paid minutes count. */
  const creditOf = ({ hours, workMinutes, overtimeMinutes }: DayRow): number => {
    if (!hours) return workMinutes + overtimeMinutes
    const counting = kinds.get(hours.setVersion)
    return hours.base.reduce((sum, [kind, , from, to]) => sum + (counting?.has(kind) ? to - from : 0), 0)
  }
  return {
    company,
    rule: company.timeAccount ?? defaultAccountRule,
    today: localDay(company.timezone, Date.now()),
    dayOf: row => ({
      ...{ day: row.day, state: row.state, credited: creditOf(row) },
      ...{ duty: row.dutyMinutes, leave: row.leaveMinutes },
      accountLeave: Object.entries(row.leaveTypes).reduce(
        (sum, [type, minutes]) => sum + (fromAccount.has(type) ? minutes : 0),
        0,
      ),
    }),
  }
}

export interface Derived extends Account {
  entries: Item<TimeAccountEntry>[]
  /** The balance on the last counted day. */
  balance: number
}

/** The entries of an account in the order of days. An earlier account of the person keeps its own. */
const readEntries = async (table: Table, { employee, opening }: TimeAccount): Promise<Item<TimeAccountEntry>[]> => {
  const entries = await table.all<TimeAccountEntry>({ pk: accountEntryPk(employee) })
  return entries
    .filter(entry => entry.opening === opening)
    .sort((a, b) => (a.day === b.day ? (a.at < b.at ? -1 : 1) : a.day < b.day ? -1 : 1))
}

/** The account until a day. Days after a lock follow the balance that it kept. */
export const deriveAccount = async (
  table: Table,
  { company: { lockedTo }, rule: { most, least }, dayOf }: AccountGround,
  account: TimeAccount,
  asOf: string,
): Promise<Derived> => {
  const { employee, since } = account
  const { pk } = keptBalanceKey(employee, '')
  const [entries, balances] = await Promise.all([
    readEntries(table, account),
    // The table rejects a range that ends before it begins.
    lockedTo === undefined || earlierDay(lockedTo, asOf) < since
      ? []
      : table.all<KeptBalance>({ pk, from: since, to: earlierDay(lockedTo, asOf) }),
  ])
  const kept = balances.at(-1)
  const from = kept ? addDays(kept.day, 1) : since
  const rows = from > asOf ? [] : await rowsBetween(table, employee, from, asOf)
  const derived = accountOf(
    rows.map(dayOf),
    entries,
    {
      since,
      ...(most !== undefined && { most }),
      ...(least !== undefined && { least }),
      ...(kept && { locked: { to: kept.day, balance: kept.balance } }),
    },
    asOf,
  )
  const balance = derived.balances[asOf.slice(0, 7)] ?? kept?.balance ?? 0
  return { ...derived, entries, balance }
}

/**
 * Keeps all balances on the last day of a new lock, after the lock is saved, so that no day or entry can change them.
 * A balance that an earlier lock kept for the same day stays. Drops those of days that are open again.
 */
export const keepBalances = async (table: Table, company: Company, before: string | undefined): Promise<void> => {
  const accounts = await table.all<TimeAccount>({ pk: timeAccountKey('').pk })
  if (accounts.length === 0) return
  const { lockedTo } = company
  const ground = await readGround(table, company)
  const isOpened = before !== undefined && (lockedTo === undefined || lockedTo < before)
  // The derivation begins at the last balance that is still kept.
  const { lockedTo: _, ...open } = company
  const keptTo = isOpened ? lockedTo : before
  const earlier = { ...open, ...(keptTo !== undefined && { lockedTo: keptTo }) }
  await atOnce(accountsAtOnce, accounts, async account => {
    const { employee, since } = account
    const { pk } = keptBalanceKey(employee, '')
    const kept = isOpened ? await table.all<KeptBalance>({ pk }) : []
    for (const { day } of kept)
      if (lockedTo === undefined || day > lockedTo) await save(table.remove(keptBalanceKey(employee, day)))
    if (lockedTo === undefined || lockedTo < since || kept.some(({ day }) => day === lockedTo)) return
    const { balance } = await deriveAccount(table, { ...ground, company: earlier }, account, lockedTo)
    await save(table.put(keptBalanceKey(employee, lockedTo), { employee, day: lockedTo, balance }))
  })
}

/** The balances of people on a day, without those who have no account then. */
export const readBalances = async (
  table: Table,
  company: Company,
  employees: readonly string[],
  day: string,
): Promise<ReadonlyMap<string, number>> => {
  const accounts = (await table.getMany(employees.map(timeAccountKey))).filter(isDefined)
  if (accounts.length === 0) return new Map()
  const ground = await readGround(table, company)
  const asOf = earlierDay(day, ground.today)
  const counting = accounts.filter(({ since }) => since <= asOf)
  const balances = await atOnce(accountsAtOnce, counting, async account => {
    const { balance } = await deriveAccount(table, ground, account, asOf)
    return [account.employee, balance] as const
  })
  return new Map(balances)
}

/** Removes everything about the accounts of a person. Idempotent. */
export const removeAccount = async (table: Table, employee: string): Promise<void> => {
  for (const entry of await table.all<TimeAccountEntry>({ pk: accountEntryPk(employee) }))
    await save(table.remove({ pk: accountEntryPk(employee), sk: entry.id }))
  for (const { day } of await table.all<KeptBalance>({ pk: keptBalanceKey(employee, '').pk }))
    await save(table.remove(keptBalanceKey(employee, day)))
  await save(table.remove(timeAccountKey(employee)))
}

/** The last day on which an account counts: today, but at least its first day. */
export const accountEnd = ({ since }: TimeAccount, { today }: AccountGround): string => laterDay(since, today)
