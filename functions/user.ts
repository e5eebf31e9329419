import { randomInt } from 'node:crypto'
import { accountKey, emailKey, isStrongPassword, mailedCodeKey } from '../shared/account.ts'
import { companyKey, companyNumberKey, zoneKey, zonesKey } from '../shared/company.ts'
import { departmentKey, departmentNameKey } from '../shared/department.ts'
import { Problem } from '../shared/errors.ts'
import { roles } from '../shared/permissions.ts'
import { userPaths } from '../shared/user.ts'
import type { Visitor } from './kit/caller.ts'
import { addEmployee, showEmployee } from './kit/employee.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { log } from './kit/log.ts'
import { sendMail } from './kit/mail.ts'
import { hashPassword, verifyPassword } from './kit/password.ts'
import { forgive, limit } from './kit/rate.ts'
import { continueSession, endSession, endSessionsOf, startSession } from './kit/session.ts'
import { accountOf, checkPassword, mayManage, membershipsOf } from './kit/sign-in.ts'
import { directory, openTable, save } from './kit/table.ts'
import { hashSecret } from './kit/token.ts'
import { say } from './kit/words.ts'

const codeMinutes = 10
const resendSeconds = 60

const confirmed = (password: string, again: string) => {
  if (password !== again) throw new Problem(21013, { confirm_password: 21013 })
}

/** A company number people type: eight digits that are not taken. */
const newCompanyNumber = async (): Promise<string> => {
  const number = String(randomInt(10_000_000, 100_000_000))
  return (await directory().get(companyNumberKey(number))) ? newCompanyNumber() : number
}

/** An address may ask for so many codes; those that were used do not count. */
const codesOf = (ip: string) => ({ scope: 'code-ip', key: ip, times: 20, minutes: 60 })

/** Takes a mailed code. It is void after five wrong tries, after its time, and after it was used. */
const useCode = async (email: string, code: string) => {
  const key = mailedCodeKey('register', hashSecret(email))
  const mailed = await directory().get(key)
  if (!mailed || mailed.triesLeft < 1) throw new Problem(60012, { code: 60012 })
  // The try is taken off before the code is looked at, so that parallel guesses do not share one.
  await save(directory().replace(key, { ...mailed, triesLeft: mailed.triesLeft - 1 }, { code: 60008 }))
  if (!(await verifyPassword(code, mailed.codeHash))) throw new Problem(60012, { code: 60012 })
  return directory().remove(key, mailed.version + 1)
}

const mailCode = async (email: string, { ip, language }: Visitor) => {
  const hash = hashSecret(email)
  const key = mailedCodeKey('register', hash)
  const before = await directory().get(key)
  if (before && Date.now() - Date.parse(before.sentAt) < resendSeconds * 1000) throw new Problem(60008)
  await limit({ scope: 'code', key: hash, times: 5, minutes: 60 }, codesOf(ip))
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await save(
    directory().put(key, {
      codeHash: await hashPassword(code),
      triesLeft: 5,
      sentAt: new Date().toISOString(),
      expiresAt: Math.floor(Date.now() / 1000) + codeMinutes * 60,
    }),
  )
  await sendMail({ to: email, ...say(language, 'code', { code, minutes: codeMinutes }) })
}

export const handler = lambda(userPaths, {
  'user/register/code': async ({ email }, visitor) => {
    if (await directory().get(emailKey(hashSecret(email)))) {
      await limit({ scope: 'register-ip', key: visitor.ip, times: 60, minutes: 60 })
      throw new Problem(21003, { email: 21003 })
    }
    await mailCode(email, visitor)
    return { resendSeconds }
  },

  'user/register': async (input, { ip }) => {
    const { email, password } = input
    if (!input.terms) throw new Problem(60014, { terms: 60014 })
    if (!isStrongPassword(password)) throw new Problem(21012, { password: 21012 })
    confirmed(password, input.confirm_password)
    const codeUsed = await useCode(email, input.code)

    const [company, department, employee, account] = [newId(), newId(), newId(), newId()]
    const company_num = await newCompanyNumber()
    const table = openTable(company)
    await save(
      codeUsed,
      directory().insert(emailKey(hashSecret(email)), { account }, { code: 21003, fields: { email: 21003 } }),
      directory().insert(accountKey(account), {
        id: account,
        email,
        passwordHash: await hashPassword(password),
        memberships: [{ company, employee }],
      }),
      directory().insert(companyNumberKey(company_num), { company }),
      directory().insert(zoneKey(input.timezone, company), { company }),
      directory().put(zonesKey(input.timezone), { zone: input.timezone }),
      table.insert(companyKey(), {
        id: company,
        name: input.company_name,
        company_num,
        timezone: input.timezone,
        dateformat_id: 3,
        timeformat_id: 2,
        timeUnit: [0, 0, 0, 0, 0],
        dayShards: 1,
        createdAt: new Date().toISOString(),
      }),
      table.insert(departmentKey(department), { id: department, name: input.company_name, isDefault: true }),
      table.insert(departmentNameKey(input.company_name), { department }),
      ...addEmployee(table, {
        id: employee,
        first_name: input.first_name,
        last_name: input.last_name,
        workno: '1',
        department,
        email,
        role: roles.administrator,
        account,
        isOwner: true,
      }),
    )
    // A courtesy, which must not make a fault of what is done.
    await forgive(codesOf(ip)).catch(error => log({ forgive: 'failed', fault: String(error) }))
    const who = { company, employee, type: 'management' as const }
    return {
      token: await startSession(who, { id: account, version: 1 }),
      redirect: 0,
      company_id: company,
    }
  },

  'user/login': async ({ email, password }, { ip }) => {
    const pointer = await directory().get(emailKey(hashSecret(email)))
    const account = await checkPassword({ name: hashSecret(email), ip }, await accountOf(pointer?.account), password)
    const memberships = await membershipsOf(account)
    const membership = memberships.find(({ employee }) => mayManage(employee))
    if (!membership) throw new Problem(memberships.some(({ employee }) => employee.role === roles.none) ? 21021 : 21023)
    const { company, employee } = membership
    const token = await startSession({ company, employee: employee.id, type: 'management' }, account)
    return { token, redirect: 0, company_id: company }
  },

  'user/login/off': async (_, { tokenHash }) => {
    await endSession(tokenHash)
    return {}
  },

  'user/login/switch': async (_, caller) => {
    if (!mayManage(caller.employee)) throw new Problem(21022)
    return { token: await continueSession(caller, { type: 'management' }) }
  },

  'user/password/update': async (input, { session, company, employee, tokenHash, ip }) => {
    const account = await checkPassword({ name: session.account, ip }, await accountOf(session.account), input.password)
    if (!isStrongPassword(input.new_password)) throw new Problem(21012, { new_password: 21012 })
    confirmed(input.new_password, input.confirm_password)
    await save(
      directory().replace(accountKey(account.id), { ...account, passwordHash: await hashPassword(input.new_password) }),
    )
    for (const member of account.memberships)
      await endSessionsOf(
        member.company,
        member.employee,
        member.company === company && member.employee === employee.id ? tokenHash : undefined,
      )
    return {}
  },

  'user/employee': async (_, { employee }) => showEmployee(employee),
})
