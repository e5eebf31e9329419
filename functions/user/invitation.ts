import type { Account } from '../../shared/account.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { type Employee, employeeKey, hasLeft } from '../../shared/employee.ts'
import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import {
  type Invitation,
  type Invited,
  invitationDays,
  invitationKey,
  invitationPointerKey,
  invitedKey,
  joinPage,
  mostJoins,
} from '../../shared/invitation.ts'
import { localDay } from '../../shared/local-day.ts'
import { fullName, greetingName } from '../../shared/person-name.ts'
import { readCompany } from '../company/store.ts'
import { changeableEmployee, isGivenFromAbove, managedEmployee, mayChange } from '../employee/form.ts'
import { type Caller, isGone, managesEmployee } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { environment } from '../kit/environment.ts'
import { hashSecret, newSecret } from '../kit/id.ts'
import { log } from '../kit/log.ts'
import { sendMail } from '../kit/mail.ts'
import { limit } from '../kit/rate.ts'
import { directory, type Item, openTable, save, type Table, type Write } from '../kit/table.ts'
import { say } from '../kit/words.ts'
import { mayGivePassword } from './account.ts'
import { accountOf, isDisabled } from './sign-in.ts'

// Makes, mails, revokes and opens invitations. `join.ts` handles the joining.

/**
 * Whether a person has their own sign-in: the owner's account, a verified address, or an account shared with other
 * companies. A person with only a company password can still join with their own sign-in.
 */
export const hasJoined = ({ isOwner }: Employee, account: Account | undefined): boolean =>
  account !== undefined && (account.email !== undefined || account.memberships.length > 1 || isOwner === true)

/** Whether the setter of an address has at least the rights of the employee. The mailbox may belong to the setter. */
export const isTrustedAddress = (table: Table, employee: Employee): Promise<boolean> =>
  isGivenFromAbove(table, employee.emailSetBy, employee)

const mailsAtOnce = 10
/** The most invitation mails per address, so that a company cannot flood a mailbox. */
const invitationsPerHour = 5

/** Makes an invitation. Returns its URL only here and stores it nowhere. */
const newInvitation = async (
  { company, employee: by, table }: Caller,
  recipient: Pick<Invitation, 'employee' | 'email'>,
): Promise<{ url: string; expiresAt: string }> => {
  const token = newSecret()
  const tokenHash = hashSecret(token)
  const now = Date.now()
  const expiresAt = Math.floor(now / 1000) + invitationDays * 86_400
  const { employee, email } = recipient
  const until = new Date(expiresAt * 1000).toISOString()
  await save(
    directory().insert(invitationPointerKey(tokenHash), { company, ...(employee && { employee }), expiresAt }),
    table.insert(invitationKey(employee, tokenHash), {
      tokenHash,
      ...recipient,
      joins: 0,
      by: by.id,
      createdAt: new Date(now).toISOString(),
      expiresAt,
    }),
    // A mailed invitation counts only after its mail.
    ...(email === undefined ? [table.put(invitedKey(employee), { at: new Date(now).toISOString(), until })] : []),
  )
  return { url: `${environment('SITE')}${joinPage(token)}`, expiresAt: until }
}

/** An invitation as callers see it. A mailed one counts only while the employee has the address that received it. */
const shownInvited = (row: Invited | undefined, employee: Employee | undefined) =>
  row && (row.email === undefined || row.email === employee?.email)
    ? { invited: { at: row.at, until: row.until, isMailed: row.email !== undefined } }
    : {}

/** The last invitations of employees without a sign-in, each under `invited`. */
export const readInvited = async (table: Table, employees: Employee[]) => {
  const outside = employees.filter(({ account }) => account === undefined)
  const rows = await table.getMany(outside.map(({ id }) => invitedKey(id)))
  return new Map(outside.map((employee, i) => [employee.id, shownInvited(rows[i], employee)]))
}

/** Limits the invitations of a company per hour: one for each of its employees, and some repeats. */
const limitMaking = async ({ company, table }: Caller, count: number) => {
  const employees = await table.count({ pk: employeeKey('').pk })
  await limit({ scope: 'invite', key: company, times: Math.max(200, employees + 50), minutes: 60, count })
}

/** Why the caller may not invite an employee. Employees with equal or more rights give 60005. */
const obstacle = (caller: Caller, employee: Employee | undefined, today: string): Code | undefined => {
  if (!employee || !managesEmployee(caller, employee)) return 60004
  if (isDisabled(employee) || hasLeft(employee, today)) return 21021
  return mayChange(caller, employee) ? undefined : 60005
}

/** Why the server mails no invitation to an employee: 21001 without an address, 60033 for an untrusted one. */
const addressObstacle = async ({ table }: Caller, employee: Employee | undefined): Promise<Code | undefined> => {
  if (!employee?.email) return 21001
  return (await isTrustedAddress(table, employee)) ? undefined : 60033
}

/** The name and number of the company, and its local date. */
const readInviting = async (caller: Caller) => {
  const { name, company_num, timezone } = await readCompany(caller)
  return { company_name: name, company_num, today: localDay(timezone, Date.now()) }
}

/** Mails an invitation to each employee who has not joined. Checks all of them before the first mail. */
export const mailInvitations = async (caller: Caller, ids: string[]) => {
  const { company_name, company_num, today } = await readInviting(caller)
  const employees = await caller.table.getMany([...new Set(ids)].map(employeeKey))
  const fields: Fields = {}
  for (const [i, employee] of employees.entries()) {
    const code = obstacle(caller, employee, today) ?? (await addressObstacle(caller, employee))
    if (code) fields[`ids.${i}`] = code
  }
  const [code] = Object.values(fields)
  if (code) throw new Problem(code, fields)
  await limitMaking(caller, employees.length)
  const answer: Record<'sent' | 'joined' | 'failed', string[]> = { sent: [], joined: [], failed: [] }
  await atOnce(mailsAtOnce, employees, async employee => {
    if (!employee?.email) return
    const { id, email, language } = employee
    if (hasJoined(employee, await accountOf(employee.account))) return void answer.joined.push(id)
    try {
      await limit({ scope: 'invite-mail', key: hashSecret(email), times: invitationsPerHour, minutes: 60 })
      const { url, expiresAt: until } = await newInvitation(caller, { employee: id, email })
      const values = {
        name: greetingName(employee),
        ...{ company: company_name, companyId: company_num, workno: employee.workno },
        by: fullName(caller.employee),
        url,
        days: invitationDays,
      }
      await sendMail({ to: email, ...say(language ?? caller.language, 'invitation', values) })
      await save(caller.table.put(invitedKey(id), { at: new Date().toISOString(), until, email }))
      return answer.sent.push(id)
    } catch (error) {
      log({ requestId: caller.requestId, invitation: 'failed', employee: id, fault: String(error) })
      return answer.failed.push(id)
    }
  })
  return answer
}

/** The company's invitation adds people to any department, so only managers of all departments may make it. */
const checkReach = ({ departments }: Caller, id: string | undefined): void => {
  if (id === undefined && departments !== undefined) throw new Problem(60005)
}

/** Makes an invitation link for one employee, or for the company without an id. */
export const makeInvitation = async (caller: Caller, id: string | undefined) => {
  checkReach(caller, id)
  const { company_name, today } = await readInviting(caller)
  const employee = id === undefined ? undefined : await caller.table.get(employeeKey(id))
  const code = id === undefined ? undefined : obstacle(caller, employee, today)
  if (code) throw new Problem(code, { id: code })
  if (employee && hasJoined(employee, await accountOf(employee.account))) throw new Problem(60031, { id: 60031 })
  await limitMaking(caller, 1)
  const invitation = await newInvitation(caller, employee ? { employee: employee.id } : {})
  return { ...invitation, company_name, ...(employee && { name: fullName(employee) }) }
}

/**
 * Revokes all invitations of one employee, even a disabled or departed employee. Without an id, revokes all invitations
 * of the company.
 */
export const revokeInvitations = async (caller: Caller, id: string | undefined): Promise<void> => {
  checkReach(caller, id)
  if (id !== undefined) await changeableEmployee(caller, id)
  const { pk } = invitationKey(id, '')
  for (const { tokenHash } of await caller.table.all<Invitation>({ pk }))
    await save(caller.table.remove(invitationKey(id, tokenHash)), directory().remove(invitationPointerKey(tokenHash)))
  await save(caller.table.remove(invitedKey(id)))
}

/** The last invitation of an employee or of the company, and what the caller may do about it. */
export const readInvitation = async (caller: Caller, id: string | undefined) => {
  checkReach(caller, id)
  const { table } = caller
  const employee = id === undefined ? undefined : await managedEmployee(caller, id)
  const [{ today }, account, row, invitations] = await Promise.all([
    readInviting(caller),
    accountOf(employee?.account),
    table.get(invitedKey(id)),
    table.all<Invitation>({ pk: invitationKey(id, '').pk }),
  ])
  const mayInvite = !employee || (obstacle(caller, employee, today) === undefined && !hasJoined(employee, account))
  return {
    canSignIn: account !== undefined,
    ...shownInvited(row, employee),
    count: invitations.filter(({ expiresAt }) => expiresAt * 1000 > Date.now()).length,
    mayInvite,
    mayMail: mayInvite && employee !== undefined && (await addressObstacle(caller, employee)) === undefined,
    maySetPassword: employee !== undefined && mayChange(caller, employee) && mayGivePassword(caller, employee, account),
  }
}

/** A valid invitation and its target. */
export interface Opened {
  table: Table
  company: Item<Company>
  /**
   * The invited employee, and their account from a company in `account`. Both are undefined for the company's
   * invitation.
   */
  employee?: Item<Employee>
  account?: Item<Account>
  /** The address that received the invitation. */
  email?: string
  /** The id of the invitation's maker; undefined for the company's invitation. */
  by?: string
  /** Writes that use the invitation once, for the save of the joining. The table's actor is the joining person. */
  use(table: Table): Write[]
}

const expired = { code: 60013, fields: { token: 60013 } } as const

/**
 * Opens an invitation. Throws 60013 for an unknown, used, revoked or expired invitation, or if its recipient may no
 * longer join.
 */
export const openInvitation = async (token: string): Promise<Opened> => {
  const tokenHash = hashSecret(token)
  const pointer = await directory().get(invitationPointerKey(tokenHash))
  if (!pointer) throw new Problem(expired.code, expired.fields)
  const table = openTable(pointer.company)
  const key = invitationKey(pointer.employee, tokenHash)
  const [company, invitation] = await Promise.all([table.get(companyKey()), table.get(key)])
  if (!company || !invitation) throw new Problem(expired.code, expired.fields)
  if (!pointer.employee) {
    if (invitation.joins >= mostJoins) throw new Problem(expired.code, expired.fields)
    return { table, company, use: by => [by.replace(key, { ...invitation, joins: invitation.joins + 1 })] }
  }
  const employee = await table.get(employeeKey(pointer.employee))
  const account = await accountOf(employee?.account)
  const { email } = invitation
  // A mailed invitation expires when an administrator corrects the address, because the old address may belong to
  // another person.
  const isValid =
    employee &&
    // Check the inviter again, because the employee may have gained rights since the invitation.
    (await isGivenFromAbove(table, invitation.by, employee)) &&
    !isDisabled(employee) &&
    !(await isGone(table, employee)) &&
    !hasJoined(employee, account) &&
    (email === undefined || (email === employee.email && (await isTrustedAddress(table, employee))))
  if (!isValid) throw new Problem(expired.code, expired.fields)
  return {
    table,
    company,
    employee,
    by: invitation.by,
    ...(account && { account }),
    ...(email && { email }),
    use: by => [by.remove(key, invitation.version, expired), directory().remove(invitationPointerKey(tokenHash))],
  }
}
