import type { Account } from '../../shared/account.ts'
import { type Company, companyKey } from '../../shared/company.ts'
import { type Employee, employeeKey, hasLeft } from '../../shared/employee.ts'
import { type Code, type Fields, Problem } from '../../shared/errors.ts'
import {
  type Invitation,
  invitationDays,
  invitationKey,
  invitationPointerKey,
  joinPage,
  mostJoins,
} from '../../shared/invitation.ts'
import { localDay } from '../../shared/local-day.ts'
import { fullName, greetingName } from '../../shared/person-name.ts'
import { readCompany } from '../company/store.ts'
import { changeableEmployee, isGivenFromAbove, mayChange } from '../employee/form.ts'
import { type Caller, isGone, managesEmployee } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import { environment } from '../kit/environment.ts'
import { hashSecret, newSecret } from '../kit/id.ts'
import { log } from '../kit/log.ts'
import { sendMail } from '../kit/mail.ts'
import { limit } from '../kit/rate.ts'
import { directory, type Item, openTable, save, type Table, type Write } from '../kit/table.ts'
import { say } from '../kit/words.ts'
import { accountOf, isDisabled } from './sign-in.ts'

// Making invitations and reading them. What joining by one does is in kit/join.ts.

/**
 * Whether a person signs in by what is their own: an address they showed to read, or an account other companies know too. Who
 * has but the password a company gave can still join, and brings their own then.
 */
export const hasJoined = ({ isOwner }: Employee, account: Account | undefined): boolean =>
  account !== undefined && (account.email !== undefined || account.memberships.length > 1 || isOwner === true)

/** An address opens a management side only where its setter may do as much: the mailbox may be theirs. */
export const isTrustedAddress = (table: Table, employee: Employee): Promise<boolean> =>
  isGivenFromAbove(table, employee.emailSetBy, employee)

/** How many are mailed at the same time. */
const mailsAtOnce = 10
/** No company fills somebody's mailbox. */
const invitationsPerHour = 5

/** Makes an invitation. Its address is answered this once and kept nowhere. */
const newInvitation = async (
  { company, employee: by, table }: Caller,
  to: Pick<Invitation, 'employee' | 'email'>,
): Promise<{ url: string; expiresAt: string }> => {
  const token = newSecret()
  const tokenHash = hashSecret(token)
  const now = Date.now()
  const expiresAt = Math.floor(now / 1000) + invitationDays * 86_400
  const { employee } = to
  await save(
    directory().insert(invitationPointerKey(tokenHash), { company, ...(employee && { employee }), expiresAt }),
    table.insert(invitationKey(employee, tokenHash), {
      tokenHash,
      ...to,
      joins: 0,
      by: by.id,
      createdAt: new Date(now).toISOString(),
      expiresAt,
    }),
  )
  return { url: `${environment('SITE')}${joinPage(token)}`, expiresAt: new Date(expiresAt * 1000).toISOString() }
}

/** In an hour a company may invite everybody it has, and some of them again. */
const limitMaking = async ({ company, table }: Caller, count: number) => {
  const employees = await table.count({ pk: employeeKey('').pk })
  await limit({ scope: 'invite', key: company, times: Math.max(200, employees + 50), minutes: 60, count })
}

/** Why an employee may not be invited by the caller, who makes no way in for somebody who may do as much as they or more. */
const obstacle = (caller: Caller, employee: Employee | undefined, today: string): Code | undefined => {
  if (!employee || !managesEmployee(caller, employee)) return 60004
  if (isDisabled(employee) || hasLeft(employee, today)) return 21021
  return mayChange(caller, employee) ? undefined : 60005
}

/** Why no invitation is mailed to an employee's address. */
const addressObstacle = async ({ table }: Caller, employee: Employee | undefined): Promise<Code | undefined> => {
  if (!employee?.email) return 21001
  return (await isTrustedAddress(table, employee)) ? undefined : 60033
}

/** The company the caller invites to, and the day there. */
const readInviting = async (caller: Caller) => {
  const { name, timezone } = await readCompany(caller)
  return { company_name: name, today: localDay(timezone, Date.now()) }
}

/** Mails each of the employees an invitation of their own, unless they have joined. All are looked at before one is mailed. */
export const mailInvitations = async (caller: Caller, ids: string[]) => {
  const { company_name, today } = await readInviting(caller)
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
      const { url } = await newInvitation(caller, { employee: id, email })
      const values = {
        name: greetingName(employee),
        company: company_name,
        by: fullName(caller.employee),
        url,
        days: invitationDays,
      }
      await sendMail({ to: email, ...say(language ?? caller.language, 'invitation', values) })
      return answer.sent.push(id)
    } catch (error) {
      log({ requestId: caller.requestId, invitation: 'failed', employee: id, fault: String(error) })
      return answer.failed.push(id)
    }
  })
  return answer
}

/** The company's invitation brings people into departments not everybody manages: it is for those who manage all. */
const checkReach = ({ departments }: Caller, id: string | undefined): void => {
  if (id === undefined && departments !== undefined) throw new Problem(60005)
}

/** An invitation of one employee that is handed over, or without an id the company's. */
export const makeInvitation = async (caller: Caller, id: string | undefined) => {
  checkReach(caller, id)
  const { company_name, today } = await readInviting(caller)
  const employee = id === undefined ? undefined : await caller.table.get(employeeKey(id))
  const code = id === undefined ? undefined : obstacle(caller, employee, today)
  if (code) throw new Problem(code, { id: code })
  if (employee && hasJoined(employee, await accountOf(employee.account))) throw new Problem(60031, { id: 60031 })
  await limitMaking(caller, 1)
  const made = await newInvitation(caller, employee ? { employee: employee.id } : {})
  return { ...made, company_name, ...(employee && { name: fullName(employee) }) }
}

/** Ends all invitations of one employee, also of one who is disabled or has left, or the company's. */
export const revokeInvitations = async (caller: Caller, id: string | undefined): Promise<void> => {
  checkReach(caller, id)
  if (id !== undefined) await changeableEmployee(caller, id)
  const { pk } = invitationKey(id, '')
  for (const { tokenHash } of await caller.table.all<Invitation>({ pk }))
    await save(caller.table.remove(invitationKey(id, tokenHash)), directory().remove(invitationPointerKey(tokenHash)))
}

/** An invitation that is good now, and what it is to. */
export interface Opened {
  table: Table
  company: Item<Company>
  /** For whom it is, with the account a company gave; none of the company's. */
  employee?: Item<Employee>
  account?: Item<Account>
  /** Where it was mailed to. */
  email?: string
  /** Who made it; not told of the company's. */
  by?: string
  /** Uses it once, in the save of the joining; by a table that knows who joins. */
  use(table: Table): Write[]
}

const expired = { code: 60013, fields: { token: 60013 } } as const

/** Opens an invitation; throws 60013 where it is unknown, used, revoked, too old, or no longer meant for whom it was sent to. */
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
  // An address that was corrected since was somebody else's.
  const isMeant =
    employee &&
    // Who has been given more since must not be joined as by somebody who could not have invited them then.
    (await isGivenFromAbove(table, invitation.by, employee)) &&
    !isDisabled(employee) &&
    !(await isGone(table, employee)) &&
    !hasJoined(employee, account) &&
    (email === undefined || (email === employee.email && (await isTrustedAddress(table, employee))))
  if (!isMeant) throw new Problem(expired.code, expired.fields)
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
