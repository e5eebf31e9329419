import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { api, type Path, type PathCall, type PathOutput } from '../../shared/api.ts'
import type { Declaration } from '../../shared/contract.ts'
import type { Fields } from '../../shared/errors.ts'
import { addDays } from '../../shared/local-day.ts'
import { freshEmail } from './fresh-email.ts'
import { keptMailTo } from './kept-mail.ts'
import { marker } from './marker.ts'

// A caller of the API over HTTP, like any other program.

export interface Answer<T = unknown> {
  status: number
  code: number
  data: T
  message?: string
  fields?: Fields
  about?: unknown
  requestId?: string
}

export interface Signed {
  token?: string
  headers?: Record<string, string>
}

export interface Client {
  address: string
  /** Returns the response, whatever its status and code. */
  ask<P extends Path>(path: P, input: PathCall<P>, signed?: Signed): Promise<Answer<PathOutput<P>>>
  /** Returns the data of a successful response. Fails on any other code and on data without the declared shape. */
  call<P extends Path>(path: P, input: PathCall<P>, signed?: Signed): Promise<PathOutput<P>>
  /** Sends any body to any path. */
  send(path: string, body: string, headers?: Record<string, string>): Promise<Answer>
}

export const client = (address: string): Client => {
  const send = async (path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${address}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-version': '2.0', 'x-language': 'en', ...headers },
      body,
    })
    const text = await response.text()
    expect(text, `${path} tells what is another company's`).not.toContain(marker)
    return { status: response.status, ...(JSON.parse(text) as Omit<Answer, 'status'>) }
  }
  const ask: Client['ask'] = async (path, input, { token, headers } = {}) => {
    const declaration: Declaration = api[path]
    return (await send(path, JSON.stringify(input), {
      ...(token && { 'x-token': token }),
      ...(declaration.writes && { 'idempotency-key': randomUUID() }),
      ...(declaration.needsTimezone && { 'x-timezone': 'Europe/Athens' }),
      ...headers,
    })) as Answer<PathOutput<typeof path>>
  }
  return {
    address,
    send,
    ask,
    call: async (path, input, signed) => {
      const answer = await ask(path, input, signed)
      expect(answer, `${path} ${JSON.stringify(answer)}`).toMatchObject({ status: 200, code: 0 })
      return api[path].output.parse(answer.data) as PathOutput<typeof path>
    },
  }
}

export const strongPassword = 'Rhubarb#42'

export interface Registered {
  token: string
  company: string
  company_num: string
  email: string
  department: string
  owner: string
}

/** Registers a person and a company, with the mailed code. */
export const register = async (
  api: Client,
  { company_name = 'Olive & Sons', timezone = 'Europe/Athens' }: { company_name?: string; timezone?: string } = {},
): Promise<Registered> => {
  const email = freshEmail('owner')
  const { token, company_id } = await api.call('user/register', {
    email,
    ...(await askCode(api, 'user/register/code', { email })),
    password: strongPassword,
    confirm_password: strongPassword,
    first_name: 'Olga',
    last_name: 'Owner',
    company_name,
    timezone,
    terms: true,
  })
  const { company, employee } = await api.call('auth/get', {}, { token })
  const { list } = await api.call('department/all', {}, { token })
  return {
    token,
    company: company_id,
    company_num: company.company_num,
    email,
    department: list[0]?.id ?? '',
    owner: employee.id,
  }
}

/**
 * Makes a company count days without a shift from the first to the last punch, as companies did before they could count
 * pairs. Tests that add punches one by one need this rule.
 */
export const countFirstToLast = async (api: Client, by: Signed): Promise<void> => {
  const { since: _since, former: _former, ...params } = await api.call('attparams/index', {}, by)
  const from = addDays(new Date().toISOString().slice(0, 10), -200)
  await api.call('attparams/update', { ...params, pairsWithoutShift: false, from }, by)
}

export type Person = Omit<PathCall<'employee/add'>, 'password'>

/**
 * Adds an employee and accepts the mailed invitation. The employee signs in with the returned e-mail and
 * `strongPassword`. The employee's role decides whether the token is for the management or the employee platform.
 */
export const invite = async (
  api: Client,
  by: Signed,
  person: Person,
): Promise<{ id: string; email: string; token: string }> => {
  const email = person.email ?? freshEmail('invited')
  const { id } = await api.call('employee/add', { ...person, email }, by)
  const { sent: sentIds } = await api.call('employee/send_qrcode', { ids: [id] }, by)
  expect(sentIds).toEqual([id])
  const { token = '' } = await api.call('user/invite/join', {
    token: await mailedInvitation(api.address, email),
    account: 'new',
    password: strongPassword,
    confirm_password: strongPassword,
    terms: true,
  })
  return { id, email, token }
}

/**
 * The last text mailed to an address. For a deployed stage without mail, reads the text from the table of the stage.
 */
export const mailTo = async (address: string, email: string): Promise<string> => {
  if (process.env.TEST_TABLE) return keptMailTo(process.env.TEST_TABLE, email)
  const response = await fetch(`${address}/outbox?format=json`)
  const mails = (await response.json()) as { to: string; text: string }[]
  return mails.findLast(({ to }) => to === email)?.text ?? 'no mail'
}

/** The last six digits mailed to an address. */
export const mailedCode = async (address: string, email: string): Promise<string> =>
  /\b\d{6}\b/.exec(await mailTo(address, email))?.[0] ?? 'no code'

type CodePath = 'user/register/code' | 'user/forgot' | 'user/email/code' | 'user/invite/code'
/** Requests a mailed code, reads the mail, and returns the code with the nonce of the request. */
export const askCode = async <P extends CodePath>(
  api: Client,
  path: P,
  input: PathCall<P> & { email: string },
  by?: Signed,
) => {
  const { nonce } = await api.call(path, input, by)
  return { code: await mailedCode(api.address, input.email.toLowerCase()), nonce }
}

/** The secret of the last invitation mailed to an address. */
export const mailedInvitation = async (address: string, email: string): Promise<string> =>
  invitationIn(await mailTo(address, email))
export const invitationIn = (text: string): string => /\/join#([\w-]{43})(?![\w-])/.exec(text)?.[1] ?? 'no invitation'

/**
 * Retries until the check passes. After `seconds` it fails with the last difference. It asks less and less often,
 * because its questions slow the work for which it waits.
 */
export const eventually = async <T>(read: () => Promise<T>, check: (value: T) => void, seconds = 30): Promise<T> => {
  const since = Date.now()
  for (;;) {
    const value = await read()
    try {
      check(value)
      return value
    } catch (error) {
      const waited = Date.now() - since
      if (waited > seconds * 1000) throw error
      await new Promise(resolve => setTimeout(resolve, Math.min(250, 50 + waited / 10)))
    }
  }
}
