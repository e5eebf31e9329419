import type { PathInput, PathOutput } from '../../shared/api.ts'
import { companyKey, isLocked } from '../../shared/company.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import {
  accountEntryKey,
  defaultAccountRule,
  mostAccountEntries,
  type OwnAccount,
  type TimeAccount,
  type TimeAccountEntry,
  timeAccountKey,
} from '../../shared/time-account.ts'
import { readCompany } from '../company/store.ts'
import { listEmployees } from '../employee/list.ts'
import { readManaged, readNamesFor } from '../employee/store.ts'
import type { Caller } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { newId } from '../kit/id.ts'
import { again } from '../kit/table/change.ts'
import { type Item, save } from '../kit/table.ts'
import {
  type AccountGround,
  accountEnd,
  accountsAtOnce,
  type Derived,
  deriveAccount,
  readGround,
} from './account-store.ts'

// Time accounts of people: balances, entries and the company's rule.

/** As `readManaged`. Throws 60005 for the caller's own account, which only administrators change. */
const findChangeable = async (caller: Caller, id: string): Promise<Item<Employee>> => {
  const employee = await readManaged(caller, id)
  const { employee: me } = caller
  if (id === me.id && me.role !== roles.administrator) throw new Problem(60005, { employee: 60005 })
  return employee
}

const isBelow = ({ rule: { least } }: AccountGround, balance: number) => least !== undefined && balance < least

const stateOf = (ground: AccountGround, account: TimeAccount, { balance }: Derived) => ({
  ...{ since: account.since, asOf: accountEnd(account, ground), balance, isBelow: isBelow(ground, balance) },
})

/** The account of a person as the caller may see it; undefined without one. */
export const tellAccount = async (caller: Caller, employee: string): Promise<OwnAccount | undefined> => {
  const { table } = caller
  const [company, account] = await Promise.all([readCompany(caller), table.get(timeAccountKey(employee))])
  if (!account) return undefined
  const ground = await readGround(table, company)
  const derived = await deriveAccount(table, ground, account, accountEnd(account, ground))
  const names = await readNamesFor(
    caller,
    derived.entries.map(({ by }) => by),
  )
  const countered = new Set(derived.entries.flatMap(({ counters }) => counters ?? []))
  return {
    ...stateOf(ground, account, derived),
    rule: ground.rule,
    months: Object.entries(derived.balances)
      .map(([month, balance]) => ({
        ...{ month, balance, cut: derived.cuts[month] ?? 0, isBelow: derived.below.includes(month) },
      }))
      .reverse(),
    entries: derived.entries
      .map(({ id, kind, day, minutes, reason, at, by, counters }) => ({
        ...{ id, kind, day, minutes, reason, at, by: names.get(by) ?? '', counters },
        ...{ isCountered: countered.has(id), isLocked: isLocked(company, day) },
      }))
      .reverse(),
  }
}

export const getAccount = async (
  caller: Caller,
  { employee }: PathInput<'leave/account/get'>,
): Promise<PathOutput<'leave/account/get'>> => {
  await readManaged(caller, employee)
  const account = await tellAccount(caller, employee)
  return account ? { account } : {}
}

export const listAccounts = async (
  caller: Caller,
  { filters, size, page }: PathInput<'leave/account/grid'>,
): Promise<PathOutput<'leave/account/grid'>> => {
  const { table } = caller
  const [company, accounts] = await Promise.all([
    readCompany(caller),
    table.all<TimeAccount>({ pk: timeAccountKey('').pk }),
  ])
  const byEmployee = new Map(accounts.map(account => [account.employee, account]))
  const sort = { by: 'name' as const, descending: false }
  const among = new Set(byEmployee.keys())
  const { list, ...rest } = await listEmployees(caller, { name: 'account', filters, sort, size, page, among })
  const ground = await readGround(table, company)
  const rows = await atOnce(accountsAtOnce, list, async ({ id, first_name, last_name, workno, department }) => {
    const account = byEmployee.get(id)
    if (!account) return []
    const derived = await deriveAccount(table, ground, account, accountEnd(account, ground))
    return [{ employee: id, first_name, last_name, workno, department, ...stateOf(ground, account, derived) }]
  })
  return { ...rest, list: rows.flat() }
}

type Entered = Pick<TimeAccountEntry, 'kind' | 'day' | 'minutes' | 'reason' | 'counters'>

const entryOf = (caller: Caller, account: TimeAccount, id: string, entered: Entered): TimeAccountEntry => ({
  ...{ id, employee: account.employee, opening: account.opening, ...entered },
  ...{ by: caller.employee.id, at: new Date().toISOString() },
})

/** Throws 60061 for a locked day, and 10002 for one after today or before the account. */
const checkDay = (company: AccountGround['company'], today: string, day: string, since: string): void => {
  if (isLocked(company, day)) throw new Problem(60061, { day: 60061 })
  if (day > today || day < since) throw new Problem(10002, { day: 10002 })
}

/** Throws 10002 for minutes that the kind of entry cannot have. Returns what the balance gains. */
const gainOf = ({ kind, minutes }: Pick<Entered, 'kind' | 'minutes'>): number => {
  if (kind === 'opening') return minutes
  if (minutes === 0 || (kind === 'payout' && minutes < 0)) throw new Problem(10002, { minutes: 10002 })
  return kind === 'payout' ? -minutes : minutes
}

export const addEntry = async (
  caller: Caller,
  { employee, ...form }: PathInput<'leave/account/entry/add'>,
): Promise<PathOutput<'leave/account/entry/add'>> => {
  await findChangeable(caller, employee)
  const { table } = caller
  const minutes = gainOf(form)
  const id = newId()
  await again(async () => {
    const [company, before] = await Promise.all([readCompany(caller), table.get(timeAccountKey(employee))])
    const { today } = await readGround(table, company)
    if (form.kind === 'opening' && before) throw new Problem(10002, { kind: 10002 })
    const account =
      form.kind === 'opening' ? { employee, since: form.day, opening: id, entries: 0, version: undefined } : before
    if (!account) throw new Problem(60004, { employee: 60004 })
    checkDay(company, today, form.day, account.since)
    if (account.entries >= mostAccountEntries) throw new Problem(60072)
    const { version, ...next } = { ...account, entries: account.entries + 1 }
    await save(
      table.require(employeeKey(employee), { code: 60004, fields: { employee: 60004 } }),
      // A lock of the day that is saved meanwhile makes this save fail.
      table.unchanged(companyKey(), company),
      version === undefined
        ? table.insert(timeAccountKey(employee), next)
        : table.replace(timeAccountKey(employee), { ...next, version }),
      table.insert(accountEntryKey({ employee, id }), entryOf(caller, account, id, { ...form, minutes })),
    )
  })
  return { id }
}

export const counterEntry = async (
  caller: Caller,
  { employee, id: countered, day: chosen, reason }: PathInput<'leave/account/entry/counter'>,
): Promise<PathOutput<'leave/account/entry/counter'>> => {
  await findChangeable(caller, employee)
  const { table } = caller
  const id = newId()
  await again(async () => {
    const [company, account] = await Promise.all([readCompany(caller), table.get(timeAccountKey(employee))])
    if (!account) throw new Problem(60004, { employee: 60004 })
    const ground = await readGround(table, company)
    const { entries } = await deriveAccount(table, ground, account, accountEnd(account, ground))
    const entry = entries.find(entry => entry.id === countered)
    if (!entry || entry.counters !== undefined) throw new Problem(60004, { id: 60004 })
    if (entries.some(({ counters }) => counters === countered)) throw new Problem(60006, { id: 60006 })
    const isOpening = entry.kind === 'opening'
    const day = isOpening ? entry.day : (chosen ?? entry.day)
    checkDay(company, ground.today, day, account.since)
    if (account.entries >= mostAccountEntries) throw new Problem(60072)
    const key = timeAccountKey(employee)
    const opposite = { kind: entry.kind, day, minutes: -entry.minutes, reason, counters: countered }
    await save(
      table.unchanged(companyKey(), company),
      isOpening ? table.remove(key, account.version) : table.replace(key, { ...account, entries: account.entries + 1 }),
      table.insert(accountEntryKey({ employee, id }), entryOf(caller, account, id, opposite)),
    )
  })
  return { id }
}

export const tellRule = async (caller: Caller): Promise<PathOutput<'leave/account/params'>> => {
  const { timeAccount = defaultAccountRule, version } = await readCompany(caller)
  return { ...timeAccount, version }
}

export const changeRule = async (
  caller: Caller,
  { version, ...timeAccount }: PathInput<'leave/account/params/update'>,
): Promise<Record<string, never>> => {
  const company = await readCompany(caller)
  await save(caller.table.replace(companyKey(), { ...company, timeAccount, version }))
  return {}
}
