import middy from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type * as z from 'zod'
import {
  type Declaration,
  type Declarations,
  type Input,
  mostCallBytes,
  type Output,
  timezone,
} from '../../shared/contract.ts'
import { errorAnswer, Problem, statusOf } from '../../shared/errors.ts'
import { addressOf } from './address.ts'
import { type Caller, permit, recognise, type SignedIn, type Visitor } from './caller.ts'
import { isApiKey, recogniseKey } from './lambda/apikey.ts'
import { bodyOf } from './lambda/body.ts'
import { fieldsOf } from './lambda/fields.ts'
import { answerOnce } from './lambda/idempotency.ts'
import { log } from './log.ts'
import { readSession } from './session.ts'

// Wraps every path: reads the event, session, permission and input, answers, and logs.

/** The compile-time form of `opensToKeys`. */
type OpensToKeys<D extends Declaration> = D extends { isPersonal: true } | { answersSecret: true }
  ? false
  : D['who'] extends 'manager' | readonly unknown[]
    ? true
    : false
export type CallerOf<D extends Declaration> = D['who'] extends 'anyone'
  ? Visitor
  : OpensToKeys<D> extends true
    ? Caller
    : SignedIn
export type Handler<D extends Declaration> = (input: Input<D>, caller: CallerOf<D>) => Promise<Output<D>>
export type Handlers<D extends Declarations> = { [P in keyof D]: Handler<D[P]> }

type Result = APIGatewayProxyStructuredResultV2

/** The state of one call. Each middleware adds its part. */
interface Call {
  path: string
  body: string
  startedAt: number
  declaration?: Declaration
  visitor: Visitor
  caller?: Caller
  input?: unknown
}
type Event = APIGatewayProxyEventV2 & { call?: Call }
interface CallState {
  event: Event
  context: Context
  response: Result | null
  error: Error | null
}

const languages = ['en', 'zh', 'es', 'el']
const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

const answer = (statusCode: number, body: unknown, more: Record<string, string> = {}): Result => ({
  ...{ statusCode, headers: { ...headers, ...more } },
  body: JSON.stringify(body),
})

/** The `retry-after` header with the seconds until the next allowed call. */
const waitOf = ({ code, about }: Problem): Record<string, string> => {
  const { seconds } = Object(about) as { seconds?: number }
  return code === 60008 && seconds !== undefined ? { 'retry-after': String(seconds) } : {}
}

const callOf = (event: Event): Call => {
  const { rawPath, requestContext, headers } = event
  const path = rawPath.replace(/^\/api\//, '')
  event.call ??= {
    path,
    body: bodyOf(event).toString(),
    startedAt: performance.now(),
    visitor: {
      path,
      requestId: requestContext.requestId,
      ip: addressOf(headers, requestContext.http.sourceIp),
      language: languageOf(headers['x-language']),
      timezone: headers['x-timezone'],
    },
  }
  return event.call
}

/** The session token or API key, from either of its two headers. */
const tokenIn = (headers: Event['headers']): string | undefined =>
  headers['x-token'] ?? /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]

/** Every `zh-…` is zh; an unknown language is English. */
const languageOf = (header = 'en') => {
  const language = header.slice(0, 2).toLowerCase()
  return languages.includes(language) ? language : 'en'
}

/**
 * Turns every error into an answer with its code. An error other than a Problem is a server fault, and its answer shows
 * only the request's id.
 */
const answers = {
  after: (state: CallState) => {
    state.response = answer(200, { code: 0, data: state.response ?? {} })
  },
  onError: (state: CallState) => {
    const { visitor } = callOf(state.event)
    const problem = state.error instanceof Problem ? state.error : new Problem(60011)
    const body = errorAnswer(problem)
    state.response = answer(
      statusOf(problem.code),
      problem.code === 60011 ? { ...body, requestId: visitor.requestId } : body,
      waitOf(problem),
    )
  },
}

/** Writes one log line for each request. Only this line contains the text of a fault. */
const logged = (() => {
  const line = (state: CallState) => {
    const { path, startedAt, visitor, caller } = callOf(state.event)
    const { error } = state
    log({
      requestId: visitor.requestId,
      path,
      ...(caller && { company: caller.company, [caller.apiKey ? 'apiKey' : 'employee']: caller.employee.id }),
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      code: error instanceof Problem ? error.code : error ? 60011 : 0,
      ...(error && !(error instanceof Problem) && { fault: error.stack ?? String(error) }),
    })
  }
  return { after: line, onError: line }
})()

const declared = (paths: Declarations) => ({
  before: ({ event }: CallState) => {
    const call = callOf(event)
    const { 'x-api-version': version = '2.0', 'content-length': length } = event.headers
    const isCall = event.requestContext.http.method === 'POST' && Object.hasOwn(paths, call.path)
    const declaration = isCall ? paths[call.path] : undefined
    if (!declaration) throw new Problem(60009)
    if (Number(length ?? 0) > mostCallBytes || Buffer.byteLength(call.body) > mostCallBytes) throw new Problem(60010)
    if (!/^2(\.\d+)?$/.test(version)) throw new Problem(20001, { 'X-Api-Version': 20001 })
    if (declaration.needsTimezone && !timezone.safeParse(call.visitor.timezone).success)
      throw new Problem(20001, { 'X-Timezone': 20001 })
    call.declaration = declaration
  },
})

const session = {
  before: async ({ event }: CallState) => {
    const call = callOf(event)
    const { declaration, visitor } = call
    if (!declaration || declaration.who === 'anyone') return
    const token = tokenIn(event.headers)
    call.caller = isApiKey(token)
      ? await recogniseKey(visitor, token, declaration)
      : await recognise(visitor, await readSession(token))
  },
}

const permission = {
  before: ({ event }: CallState) => {
    const { declaration, caller } = callOf(event)
    if (declaration && caller) permit(declaration.who, caller)
  },
}

const input = {
  before: ({ event }: CallState) => {
    const call = callOf(event)
    if (call.declaration) call.input = readInput(call.declaration.input, call.body)
  },
}

/**
 * One Lambda: the declared paths of a group with their handlers. A missing or misspelt path does not compile. The
 * exported handler takes an API Gateway HTTP event (payload 2.0) and returns `{code, data}`.
 */
export const lambda = <D extends Declarations>(paths: D, handlers: Handlers<D>) => {
  const run = async (event: Event): Promise<unknown> => {
    const call = callOf(event)
    const handler = handlers[call.path] as (input: unknown, caller: Visitor) => Promise<unknown>
    const { declaration, caller } = call
    const key = event.headers['idempotency-key']
    if (declaration?.writes && caller && key !== undefined)
      return answerOnce(
        caller,
        {
          key,
          path: call.path,
          body: call.body,
          token: tokenIn(event.headers) ?? '',
          keep: !declaration.answersSecret,
        },
        () => handler(call.input, caller),
      )
    return handler(call.input, caller ?? call.visitor)
  }
  return middy<Event, Result>()
    .use(answers)
    .use(logged)
    .use(declared(paths))
    .use(session)
    .use(permission)
    .use(input)
    .handler(run as (event: Event) => Promise<Result>)
}

/** The field whose text contains half a surrogate pair, which the table cannot store; undefined if there is none. */
const findBroken = (value: unknown, field = ''): string | undefined => {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : field || 'body'
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const broken = findBroken(inner, field ? `${field}.${key}` : key)
    if (broken) return broken
  }
  return undefined
}

/** Checks a body against its declared shape; throws a Problem that names each field. */
export const readInput = (shape: z.ZodType, body: string | undefined): unknown => {
  let json: unknown
  try {
    json = body ? JSON.parse(body) : {}
  } catch {
    throw new Problem(10002, { body: 10002 })
  }
  // `reportInput` is necessary to distinguish missing values from wrong types.
  const parsed = shape.safeParse(json, { reportInput: true })
  if (parsed.success) {
    // Searches only input of the declared shape, which has a limited depth.
    const broken = findBroken(parsed.data)
    if (broken) throw new Problem(10002, { [broken]: 10002 })
    return parsed.data
  }
  const fields = fieldsOf(parsed.error)
  const codes = Object.values(fields)
  // Answers with a code of the specification. Other codes only explain 10002.
  const own = codes.find(code => code !== 10002 && code < 60000)
  throw new Problem(own ?? 10002, fields)
}
