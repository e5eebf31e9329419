import { type Account, accountKey, emailKey } from '../../shared/account.ts'
import type { PathInput, PathOutput } from '../../shared/api.ts'
import { type Department, departmentKey } from '../../shared/department.ts'
import { type Employee, employeeKey } from '../../shared/employee.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import { invitedKey } from '../../shared/invitation.ts'
import { languageToKeep } from '../../shared/language.ts'
import { roles } from '../../shared/permissions.ts'
import { searchText } from '../../shared/search.ts'
import { tableSchema } from '../../shared/table.ts'
import { nextNumber } from '../employee/number.ts'
import { named } from '../employee/reading.ts'
import { addEmployee, changeEmployee } from '../employee/store.ts'
import { actorOf, isGone, type Visitor } from '../kit/caller.ts'
import { hashSecret, newId } from '../kit/id.ts'
import { endSessionsOf, startSession } from '../kit/session.ts'
import { again, wasSlower } from '../kit/table/change.ts'
import { directory, type Item, openTable, save, type Table, type Where, type Write } from '../kit/table.ts'
import { hasJoined, isTrustedAddress, type Opened, openInvitation } from './invitation.ts'
import { forgiveCode, limitGuesses, takeCode } from './mailed-code.ts'
import { checkNewPassword, confirm, hashPassword } from './password.ts'
import { accountOf, accountOfEmail, checkPassword, isDisabled, mayManage } from './sign-in.ts'

// Joins a company by an invitation, with a new sign-in or with the existing one of the person.

type Form = PathInput<'user/invite/join'>

/** The future sign-in of the person. */
interface SignIn {
  /** A verified address; undefined for a sign-in by employee ID only. */
  email?: string
  /** The person's existing account. */
  own?: Item<Account>
  /** The password of a new account. */
  passwordHash?: string
  writes: Write[]
}

const missing = (form: Form, names: (keyof Form)[]): Fields =>
  Object.fromEntries(names.filter(name => form[name] === undefined).map(name => [name, 60001]))

/** The company's invitation needs names and an address. An employee's invitation contains them. */
const checkForm = (form: Form, { employee }: Opened) => {
  const fields = {
    ...(employee ? {} : missing(form, ['first_name', 'last_name', 'email'])),
    ...(form.account === 'new' ? missing(form, ['confirm_password']) : {}),
  }
  if (Object.keys(fields).length > 0) throw new Problem(10002, fields)
}

const purposeOf = ({ token }: Form) => ({ for: 'invite', of: hashSecret(token) }) as const

const newSignIn = async (form: Form, opened: Opened, { ip }: Visitor): Promise<SignIn> => {
  if (!form.terms) throw new Problem(60014, { terms: 60014 })
  await checkNewPassword(form.password, 'password', opened.company.name)
  confirm(form.password, form.confirm_password)
  const email = form.email ?? opened.email
  const isVerified = email === undefined || email === opened.email
  const { code, nonce } = form
  const mailed = code !== undefined && nonce !== undefined ? { code, nonce } : undefined
  if (!isVerified && !mailed) throw new Problem(10002, missing(form, ['code', 'nonce']))
  if (email !== undefined && (await accountOfEmail(email))) {
    await limitGuesses(ip)
    throw new Problem(21003, { email: 21003 })
  }
  const purpose = purposeOf(form)
  const writes = email !== undefined && !isVerified && mailed ? [await takeCode(purpose, email, mailed, ip)] : []
  return { ...(email !== undefined && { email }), passwordHash: await hashPassword(form.password), writes }
}

const ownSignIn = async (form: Form, opened: Opened, { ip }: Visitor): Promise<SignIn> => {
  const email = form.email ?? opened.email
  if (email === undefined) throw new Problem(21001, { email: 21001 })
  const own = await checkPassword({ name: hashSecret(email), ip }, await accountOfEmail(email), form.password)
  return { email, own, writes: [] }
}

/** The ids of employees with this address. The query scans all employees but returns only matches. */
const idsByEmail = async ({ table, employee }: Opened, email: string | undefined): Promise<string[]> => {
  if (employee || email === undefined) return []
  const { pk } = employeeKey('')
  const where: Where[] = [[tableSchema.search, 'contains', searchText(email)]]
  const matches = await table.all<Employee>({ pk, where, only: ['id', 'email'] })
  return matches.flatMap(person => (person.email === email ? [person.id] : []))
}

/** The employee who has this address now; undefined if none or several have it. */
const findByEmail = async (table: Table, ids: string[], email: string | undefined) => {
  const people = await table.getMany(ids.map(employeeKey))
  const [first, ...others] = people.filter(person => person !== undefined && person.email === email)
  return others.length > 0 ? undefined : first
}

/** The person who joins: the invited employee, the owner of the address, or a new person who waits for a role. */
const whoJoins = async (form: Form, opened: Opened, email: string | undefined, candidates: string[]) => {
  const { table } = opened
  if (opened.employee) return { before: opened.employee, given: opened.account }
  const before = await findByEmail(table, candidates, email)
  const given = await accountOf(before?.account)
  if (before && (isDisabled(before) || (await isGone(table, before)))) throw new Problem(21021)
  if (before && !hasJoined(before, given) && (await isTrustedAddress(table, before))) return { before, given }
  const departments = await table.all<Department>({ pk: departmentKey('').pk })
  const fresh: Employee = await named(
    {
      id: newId(),
      first_name: form.first_name ?? '',
      last_name: form.last_name ?? '',
      workno: await nextNumber(table),
      department: departments.find(({ isDefault }) => isDefault)?.id ?? '',
      role: roles.none,
      isWaiting: true,
      ...(email !== undefined && { email }),
    },
    opened.company,
  )
  return { fresh }
}

/**
 * The account of the person from now on, and its writes. `given` is the account that a company created before. Throws
 * 60032 if a manager would sign in with a password that another person may know.
 */
const settleAccount = async (
  signIn: SignIn,
  { company, by }: Pick<Opened, 'by'> & { company: string },
  person: Employee,
  given: Item<Account> | undefined,
): Promise<{ account: { id: string; version: number }; writes: Write[] }> => {
  const { own, email, passwordHash = '' } = signIn
  const membership = { company, employee: person.id }
  if (own) {
    const current = await accountOf(own.id)
    if (current?.passwordHash !== own.passwordHash) throw new Problem(21022)
    if (current.memberships.some(other => other.company === company)) throw new Problem(60031)
    if (current.passwordSetBy && mayManage(person)) throw new Problem(60032, { password: 60032 })
    return {
      account: { id: current.id, version: current.version + 1 },
      writes: [
        directory().replace(accountKey(current.id), { ...current, memberships: [...current.memberships, membership] }),
        // The given account has no address and has become superfluous.
        ...(given ? [directory().remove(accountKey(given.id), given.version)] : []),
      ],
    }
  }
  const id = given?.id ?? newId()
  // A verified address proves that its reader chose the password. Without an address, the maker of the link may have
  // opened it.
  const passwordSetBy = email === undefined && by !== undefined ? { company, employee: by } : undefined
  const changes = { ...(email !== undefined && { email }), passwordHash, passwordSetBy }
  const taken = { code: 21003, fields: { email: 21003 } } as const
  return {
    account: { id, version: (given?.version ?? 0) + 1 },
    writes: [
      given
        ? directory().replace(accountKey(id), { ...given, ...changes })
        : directory().insert(accountKey(id), { id, ...changes, memberships: [membership] }),
      ...(email === undefined ? [] : [directory().insert(emailKey(hashSecret(email)), { account: id }, taken)]),
    ],
  }
}

/**
 * The employee who may have joined in the person's place: the maker of the link, or else the author of the address. New
 * people can only have joined themselves.
 */
const giverOf = ({ by, email }: Opened, before: Employee | undefined, id: string): string | undefined => {
  if (!before) return id
  return by !== undefined && email === undefined ? by : before.emailSetBy
}

const joinOnce = async (
  form: Form,
  signIn: SignIn,
  visitor: Visitor,
  candidates: string[],
): Promise<PathOutput<'user/invite/join'>> => {
  const opened = await openInvitation(form.token)
  const { company } = opened
  const { before, given, fresh } = await whoJoins(form, opened, signIn.email, candidates)
  const person = before ?? fresh
  const { account, writes } = await settleAccount(signIn, { ...opened, company: company.id }, person, given)
  const table = openTable(company.id, actorOf(visitor, person.id))
  const { passwordSetAt: _, ...kept } = person
  const employee = {
    ...languageToKeep(visitor.language),
    ...kept,
    account: account.id,
    passwordSetBy: giverOf(opened, before, person.id),
    ...(signIn.own === undefined && { passwordSetAt: new Date().toISOString() }),
    ...(given && { sessionsSince: new Date().toISOString() }),
  }
  await save(
    ...opened.use(table),
    ...signIn.writes,
    ...writes,
    ...(before
      ? [
          ...changeEmployee(table, before, { ...employee, version: before.version }),
          table.remove(invitedKey(before.id)),
        ]
      : addEmployee(table, employee)),
  )
  if (given) await endSessionsOf(company.id, person.id)
  const type = mayManage(person) ? ('management' as const) : ('user' as const)
  const entry = { company: company.id, employee: person.id, type }
  return {
    ...(person.role !== roles.none && { token: await startSession(entry, account) }),
    type,
    company_id: company.id,
    company_num: company.company_num,
    workno: person.workno,
    isWaiting: person.role === roles.none,
  }
}

export const join = async (form: Form, visitor: Visitor): Promise<PathOutput<'user/invite/join'>> => {
  const opened = await openInvitation(form.token)
  checkForm(form, opened)
  const signIn = await (form.account === 'new' ? newSignIn : ownSignIn)(form, opened, visitor)
  const candidates = await idsByEmail(opened, signIn.email)
  // Retry if a concurrent joining took the employee ID.
  const isTaken = (error: unknown) => error instanceof Problem && error.code === 59014
  const joined = await again(
    () => joinOnce(form, signIn, visitor, candidates),
    error => wasSlower(error) || isTaken(error),
  )
  if (signIn.writes.length > 0 && signIn.email !== undefined)
    await forgiveCode(purposeOf(form), signIn.email, visitor.ip)
  return joined
}
