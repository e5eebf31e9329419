import { accountKey, emailKey } from '../shared/account.ts'
import { Problem } from '../shared/errors.ts'
import { signLinkMinutes, signPage } from '../shared/session.ts'
import { userPaths } from '../shared/user.ts'
import { foundCompany } from './company/found.ts'
import { readCompany } from './company/store.ts'
import { showEmployee } from './employee/store.ts'
import { networkOf } from './kit/address.ts'
import type { Visitor } from './kit/caller.ts'
import { environment } from './kit/environment.ts'
import { hashSecret, newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { log } from './kit/log.ts'
import { sendMail } from './kit/mail.ts'
import { limit } from './kit/rate.ts'
import { continueSession, endSession, newSignCode, startSession, swapSignCode } from './kit/session.ts'
import { directory, save } from './kit/table.ts'
import { say } from './kit/words.ts'
import { changeAccount } from './user/account-change.ts'
import { openInvitation } from './user/invitation.ts'
import { join } from './user/join.ts'
import { forgiveCode, limitGuesses, limitMails, mailCode, resendSeconds, takeCode } from './user/mailed-code.ts'
import { checkNewPassword, confirm, hashPassword } from './user/password.ts'
import { accountOf, accountOfEmail, checkPassword, enter, findEntry, mayManage } from './user/sign-in.ts'
import { deleteView, hideColumns, readListChoices, saveView } from './user/view.ts'

const emailTaken = { code: 21003, fields: { email: 21003 } } as const

/** Throws 21003 for a registered address. */
const requireFree = async (email: string, ip: string) => {
  if (!(await accountOfEmail(email))) return
  await limitGuesses(ip)
  throw new Problem(emailTaken.code, emailTaken.fields)
}

/** The account of an address. Throws 21004 for an unregistered address. */
const requireKnown = async (email: string, ip: string) => {
  const account = await accountOfEmail(email)
  if (account) return account
  await limitGuesses(ip)
  throw new Problem(21004, { email: 21004 })
}

/** Mails a person that their sign-in has changed. A failed mail must not fail the change. */
const notify = (
  to: string | undefined,
  mail: 'passwordChanged' | 'addressChanged',
  { language, requestId }: Visitor,
) =>
  to === undefined
    ? undefined
    : sendMail({ to, ...say(language, mail, {}) }).catch(error =>
        log({ requestId, mail: 'failed', fault: String(error) }),
      )

export const handler = lambda(userPaths, {
  'user/register/code': async ({ email }, visitor) => {
    await requireFree(email, visitor.ip)
    return mailCode({ for: 'register' }, email, visitor)
  },

  'user/register': async (input, visitor) => {
    const { email, password, first_name, last_name } = input
    if (!input.terms) throw new Problem(60014, { terms: 60014 })
    await checkNewPassword(password, 'password', input.company_name)
    confirm(password, input.confirm_password)
    const codeUsed = await takeCode({ for: 'register' }, email, input, visitor.ip)
    const account = newId()
    const passwordSetAt = new Date().toISOString()
    const owner = { account, email, first_name, last_name, passwordSetAt }
    const { company, employee, writes } = await foundCompany(input, owner, visitor)
    await save(
      codeUsed,
      directory().insert(emailKey(hashSecret(email)), { account }, emailTaken),
      directory().insert(accountKey(account), {
        id: account,
        email,
        passwordHash: await hashPassword(password),
        memberships: [{ company, employee }],
      }),
      ...writes,
    )
    await forgiveCode({ for: 'register' }, email, visitor.ip)
    const entry = { company, employee, type: 'management' as const }
    return { token: await startSession(entry, { id: account, version: 1 }), redirect: 0, company_id: company }
  },

  'user/login': async ({ email, password, redirect }, { ip }) => {
    const account = await checkPassword({ name: hashSecret(email), ip }, await accountOfEmail(email), password)
    const { entry, refusal } = await findEntry(account)
    if (!entry) throw refusal
    return enter(entry, account, redirect)
  },

  'user/login/link': async ({ email }, { ip, language }) => {
    const account = await requireKnown(email, ip)
    // Limit per network, so that an attacker cannot block the owner.
    await limit({ scope: 'sign-link', key: `${account.id}#${networkOf(ip)}`, times: 1, minutes: resendSeconds / 60 })
    await limitMails(email, ip)
    const { entry } = await findEntry(account)
    // Without an entry, send no mail: only the right password may reveal that a company disabled a person.
    if (!entry) return { resendSeconds }
    const code = await newSignCode(entry, account, signLinkMinutes * 60)
    const url = `${environment('SITE')}${signPage(code, entry.company)}`
    await sendMail({ to: email, ...say(language, 'signIn', { url, minutes: signLinkMinutes }) })
    return { resendSeconds }
  },

  'user/login/sign': async ({ token, company_id }) => ({ token: await swapSignCode(token, company_id) }),

  'user/login/off': async (_, { tokenHash }) => {
    await endSession(tokenHash)
    return {}
  },

  'user/login/switch': async (_, caller) => {
    if (!mayManage(caller.employee)) throw new Problem(21022)
    return { token: await continueSession(caller, { type: 'management' }) }
  },

  'user/forgot': async ({ email }, visitor) => {
    await requireKnown(email, visitor.ip)
    return mailCode({ for: 'forgot' }, email, visitor)
  },

  'user/forgot/save': async ({ email, code, nonce, new_password, confirm_password }, visitor) => {
    await checkNewPassword(new_password, 'new_password')
    confirm(new_password, confirm_password)
    const codeUsed = await takeCode({ for: 'forgot' }, email, { code, nonce }, visitor.ip)
    const account = await requireKnown(email, visitor.ip)
    const passwordHash = await hashPassword(new_password)
    // Clear `passwordSetBy`: the reader of the address has chosen the password, so no giver knows it.
    await changeAccount(account, { passwordHash, passwordSetBy: undefined }, visitor, codeUsed)
    await Promise.all([forgiveCode({ for: 'forgot' }, email, visitor.ip), notify(email, 'passwordChanged', visitor)])
    return {}
  },

  'user/password/update': async (input, caller) => {
    const { session, ip } = caller
    const account = await checkPassword({ name: session.account, ip }, await accountOf(session.account), input.password)
    await checkNewPassword(input.new_password, 'new_password', (await readCompany(caller)).name)
    confirm(input.new_password, input.confirm_password)
    const passwordHash = await hashPassword(input.new_password)
    // Keep `passwordSetBy`, because its giver may know the old password and make this change.
    await changeAccount(account, { passwordHash }, caller)
    await notify(account.email, 'passwordChanged', caller)
    return {}
  },

  'user/employee': async (_, { employee }) => showEmployee(employee),

  'user/view/all': async (_, caller) => {
    const { views, columns } = await readListChoices(caller)
    return { views, columns }
  },

  'user/view/save': async (input, caller) => {
    await saveView(caller, input)
    return {}
  },

  'user/view/delete': async (input, caller) => {
    await deleteView(caller, input)
    return {}
  },

  'user/column/update': async (input, caller) => {
    await hideColumns(caller, input)
    return {}
  },

  'user/email/code': async ({ email }, caller) => {
    await requireFree(email, caller.ip)
    return mailCode({ for: 'email', of: caller.session.account }, email, caller)
  },

  'user/email/update': async ({ email, code, nonce, password }, caller) => {
    const { session, ip } = caller
    const account = await checkPassword({ name: session.account, ip }, await accountOf(session.account), password)
    const purpose = { for: 'email', of: account.id } as const
    const codeUsed = await takeCode(purpose, email, { code, nonce }, caller.ip)
    await changeAccount(
      account,
      { email },
      caller,
      codeUsed,
      directory().insert(emailKey(hashSecret(email)), { account: account.id }, emailTaken),
      ...(account.email ? [directory().remove(emailKey(hashSecret(account.email)))] : []),
    )
    await Promise.all([forgiveCode(purpose, email, ip), notify(account.email, 'addressChanged', caller)])
    return {}
  },

  'user/invite/get': async ({ token }) => {
    const { company, employee, email } = await openInvitation(token)
    return {
      company_name: company.name,
      company_num: company.company_num,
      kind: employee ? ('employee' as const) : ('company' as const),
      ...(employee && {
        first_name: employee.first_name,
        last_name: employee.last_name,
        workno: employee.workno,
      }),
      ...(email && { email }),
      canJoinExisting: email === undefined || (await accountOfEmail(email)) !== undefined,
    }
  },

  'user/invite/code': async ({ token, email }, visitor) => {
    await openInvitation(token)
    await requireFree(email, visitor.ip)
    return mailCode({ for: 'invite', of: hashSecret(token) }, email, visitor)
  },

  'user/invite/join': join,
})
