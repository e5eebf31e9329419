import { addDays, addMonths } from '../local-day.ts'

// The time account of a person. Balances follow from days and entries; only a lock stores one.

/** The figures of a day that change the account. */
export interface AccountDay {
  day: string
  state?: 'pending' | 'provisional' | 'final'
  /** The minutes of base kinds that count for the account. */
  credited: number
  duty: number
  /** Leave of all types. */
  leave: number
  /** The part of `leave` whose types take from the account. */
  accountLeave?: number
}

/** A dated entry. Entries never change: the manager corrects a wrong one with another. */
export interface AccountEntry {
  id: string
  day: string
  minutes: number
}

export interface AccountTerms {
  /** The first day of the account. */
  since: string
  /** The balance above this is cut at the end of a month. */
  most?: number
  /** A balance below this warns. */
  least?: number
  /** The balance that a lock stored for its last day. Later days begin there. */
  locked?: { to: string; balance: number }
}

export interface Account {
  /** The balance at the end of each month, `YYYY-MM`, or on `asOf` in its month. */
  balances: Record<string, number>
  /** The minutes cut at the end of each month that lost some. */
  cuts: Record<string, number>
  /** The months whose balance is below the least. */
  below: string[]
  /** The entries in locked days, which do not count. */
  refused: string[]
}

/** The minutes that a day brings. Leave from the account counts as duty. */
export const broughtBy = ({ credited, duty, leave, accountLeave = 0 }: AccountDay): number =>
  credited - (duty - leave + accountLeave)

/**
 * The balances until a day. At the end of a month, the minutes above `most` are cut; within a month nothing is
 * cut. Pending days and entries after `asOf` do not count yet.
 */
export const accountOf = (
  days: readonly AccountDay[],
  entries: readonly AccountEntry[],
  { since, most, least, locked }: AccountTerms,
  asOf: string,
): Account => {
  const first = locked && locked.to >= since ? addDays(locked.to, 1) : since
  const account: Account = { balances: {}, cuts: {}, below: [], refused: [] }
  const isCounted = ({ day }: { day: string }) => day >= first && day <= asOf
  const brought = new Map<string, number>()
  const bring = (day: string, minutes: number) =>
    brought.set(day.slice(0, 7), (brought.get(day.slice(0, 7)) ?? 0) + minutes)
  for (const day of days) if (isCounted(day) && day.state !== 'pending') bring(day.day, broughtBy(day))
  for (const entry of entries) {
    if (locked && entry.day <= locked.to) account.refused.push(entry.id)
    else if (isCounted(entry)) bring(entry.day, entry.minutes)
  }
  let balance = first === since ? 0 : (locked?.balance ?? 0)
  for (let month = `${first.slice(0, 7)}-01`; month <= asOf; month = addMonths(month, 1)) {
    const name = month.slice(0, 7)
    balance += brought.get(name) ?? 0
    const isOver = asOf >= addDays(addMonths(month, 1), -1)
    if (isOver && most !== undefined && balance > most) {
      account.cuts[name] = balance - most
      balance = most
    }
    account.balances[name] = balance
    if (least !== undefined && balance < least) account.below.push(name)
  }
  return account
}
