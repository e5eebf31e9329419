import { accountKey, emailKey } from '../../shared/account.ts'
import { type Employee, formerEmployeeKey, photoKey } from '../../shared/employee.ts'
import { type Invitation, invitationKey, invitationPointerKey } from '../../shared/invitation.ts'
import { leaveBookKey } from '../../shared/leave.ts'
import { addDays, daysBetween, earlierDay, localDay } from '../../shared/local-day.ts'
import { removeCredentials } from '../credential/shred.ts'
import { removeEmployee } from '../employee/store.ts'
import { openFiles } from '../kit/files.ts'
import { hashSecret } from '../kit/id.ts'
import { endSessionsOf } from '../kit/session.ts'
import { change } from '../kit/table/change.ts'
import { directory, type Item, save, type Table, type Write } from '../kit/table.ts'
import { readMonths, saveMonths, setDay } from '../schedule/store.ts'
import { withdrawRequests } from './request.ts'

// Somebody is taken out of the company, by being deleted or erased. What they worked stays.

/** How far ahead anybody plans. */
const monthsPlanned = 24

/** Takes an employee off the schedule from a day on. */
const unschedule = async (table: Table, employee: string, from: string) => {
  const days = daysBetween(from, addDays(from, monthsPlanned * 31))
  const months = (await readMonths(table, [employee], days)).get(employee)
  if (!months) return
  for (const day of days) setDay(months, day, [])
  for (const month of months) await saveMonths(table, employee, new Map([month]))
}

/** An account that belongs to no company any more opens nothing, and is removed with its address. */
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
 * Takes an employee out: signed out everywhere, off the lists and the schedule, without account, photo, card, password, fingers
 * and face. `former` says what is still known of the person afterwards, and `along` is written with it. Nothing after today is
 * theirs; what terminals still deliver of the days before is calculated.
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
  // Only now that it is certain: from here on nobody can plan or photograph somebody who is gone.
  await clear({ table, company, timezone }, employee.id)
}

/**
 * What `depart` does behind its first save, safe twice: whoever was interrupted there goes on here, as the end of the day does for
 * everybody who is still leaving then.
 */
export const clear = async (
  { table, company, timezone }: { table: Table; company: string; timezone: string },
  employee: string,
): Promise<void> => {
  await endSessionsOf(company, employee)
  for (const { tokenHash } of await table.all<Invitation>({ pk: invitationKey(employee, '').pk }))
    await save(table.remove(invitationKey(employee, tokenHash)), directory().remove(invitationPointerKey(tokenHash)))
  await removeCredentials({ table, company, employee })
  await unschedule(table, employee, addDays(localDay(timezone, Date.now()), 1))
  await withdrawRequests(table, employee)
  const book = await table.get(leaveBookKey(employee))
  if (book) await save(table.remove(leaveBookKey(employee), book.version))
  await openFiles(company).remove(photoKey(employee))
  await change(table, formerEmployeeKey(employee), ({ isLeaving, ...former }) => (isLeaving ? former : undefined))
}
