import { accountKey, emailKey } from '../../shared/account.ts'
import { type Employee, formerEmployeeKey, photoKey } from '../../shared/employee.ts'
import { type Invitation, invitationKey, invitationPointerKey, invitedKey } from '../../shared/invitation.ts'
import { leaveBookKey } from '../../shared/leave.ts'
import { addDays, daysBetween, earlierDay, localDay } from '../../shared/local-day.ts'
import { stopCalendar } from '../calendar/store.ts'
import { removeCredentials } from '../credential/shred.ts'
import { removeEmployee } from '../employee/store.ts'
import { openFiles } from '../kit/files.ts'
import { hashSecret } from '../kit/id.ts'
import { endSessionsOf } from '../kit/session.ts'
import { change } from '../kit/table/change.ts'
import { directory, type Item, save, type Table, type Write } from '../kit/table.ts'
import { removeAccount } from '../leave/account-store.ts'
import { readMonths, saveMonths, setDay } from '../schedule/store.ts'
import { withdrawRequests } from './request.ts'

// Removes an employee from the company by deletion or erasure. The worked days stay.

/** The most months that a schedule reaches ahead. */
const monthsPlanned = 24

/** Removes an employee's shifts from a day on. */
const unschedule = async (table: Table, employee: string, from: string) => {
  const days = daysBetween(from, addDays(from, monthsPlanned * 31))
  const months = (await readMonths(table, [employee], days)).get(employee)
  if (!months) return
  for (const day of days) setDay(months, day, [])
  for (const month of months) await saveMonths(table, employee, new Map([month]))
}

/** Removes the company from an account. Also removes an account without any company left, and its address. */
export const leaveAccount = async (company: string, { id, account: of }: Employee): Promise<Write[]> => {
  const account = of ? await directory().get(accountKey(of)) : undefined
  if (!account) return []
  const memberships = account.memberships.filter(member => member.company !== company || member.employee !== id)
  return memberships.length > 0
    ? [directory().replace(accountKey(account.id), { ...account, memberships })]
    : [
        directory().remove(accountKey(account.id), account.version),
        ...(account.email ? [directory().remove(emailKey(hashSecret(account.email)))] : []),
      ]
}

/**
 * Removes an employee: ends sessions, and deletes lists, schedule, account, photo and credentials. `former` returns the
 * data to keep, and the save includes `along`. Terminals may still deliver punches of earlier days.
 */
export const depart = async (
  { table, company, timezone }: { table: Table; company: string; timezone: string },
  employee: Item<Employee>,
  former: (employee: Employee) => Employee,
  ...along: Write[]
): Promise<void> => {
  const today = localDay(timezone, Date.now())
  const { photo: _, account: __, passwordSetBy: _by, emailSetBy: _setBy, ...kept } = employee
  await save(
    ...removeEmployee(table, employee),
    table.insert(formerEmployeeKey(employee.id), {
      ...former({ ...kept, endDay: earlierDay(employee.endDay ?? today, today) }),
      isLeaving: true,
    }),
    ...(await leaveAccount(company, employee)),
    ...along,
  )
  // Clear only after the save: from then on, no call can add a shift or a photo for this employee.
  await clear({ table, company, timezone }, employee.id)
}

/** The part of `depart` after its first save. Idempotent: the close of the day resumes an interrupted call. */
export const clear = async (
  { table, company, timezone }: { table: Table; company: string; timezone: string },
  employee: string,
): Promise<void> => {
  await endSessionsOf(company, employee)
  for (const { tokenHash } of await table.all<Invitation>({ pk: invitationKey(employee, '').pk }))
    await save(table.remove(invitationKey(employee, tokenHash)), directory().remove(invitationPointerKey(tokenHash)))
  await save(table.remove(invitedKey(employee)), ...(await stopCalendar(table, employee)))
  await removeCredentials({ table, company, employee })
  await unschedule(table, employee, addDays(localDay(timezone, Date.now()), 1))
  await withdrawRequests(table, employee)
  const book = await table.get(leaveBookKey(employee))
  if (book) await save(table.remove(leaveBookKey(employee), book.version))
  await removeAccount(table, employee)
  await openFiles(company).remove(photoKey(employee))
  await change(table, formerEmployeeKey(employee), ({ isLeaving, ...former }) => (isLeaving ? former : undefined))
}
