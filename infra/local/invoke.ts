import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Context } from 'aws-lambda'
import { jobSeconds, scheduleSeconds, schedules } from '../../shared/jobs.ts'

// The local Lambda service: finds a handler, gives it a context, and ends a call that takes too long.

/** Calls a handler with an event. Rejects if the handler throws or exceeds its time limit. */
export type Lambda = (event: object) => Promise<unknown>

const context = (name: string, seconds: number): Context => {
  const endsAt = Date.now() + seconds * 1000
  const unused = () => undefined
  return {
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
    done: unused,
    fail: unused,
    succeed: unused,
  }
}

/** Formats an object as a log line in Lambda's JSON log format. */
export const logLine = (message: unknown): string =>
  JSON.stringify({ timestamp: new Date().toISOString(), level: 'INFO', message })

export const lambdaOf =
  (name: string, handler: (event: object, context: Context) => unknown, seconds: number): Lambda =>
  async event => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(`${name} did not answer within ${seconds} s`)), seconds * 1000)
    try {
      return await Promise.race([handler(event, context(name, seconds)), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

/** The existing handlers of a folder, by name. */
export const loadAll = async (room: 'functions' | 'events', names: string[]): Promise<Map<string, Lambda>> => {
  const lambdas = new Map<string, Lambda>()
  await Promise.all(
    names.map(async name => {
      const lambda = await loadLambda(room, name)
      if (lambda) lambdas.set(name, lambda)
    }),
  )
  return lambdas
}

/** The handler of a file. Undefined if the file does not exist. Complete the environment before the first call. */
export const loadLambda = async (room: 'functions' | 'events', name: string): Promise<Lambda | undefined> => {
  const file = new URL(`../../${room}/${name}.ts`, import.meta.url)
  if (!existsSync(file)) return undefined
  const { handler }: { handler?: (event: object, context: Context) => unknown } = await import(file.href)
  if (typeof handler !== 'function') throw new Error(`${room}/${name}.ts exports no handler.`)
  const unattendedSeconds = name in schedules ? scheduleSeconds : jobSeconds
  // API Gateway waits 29 seconds for a response.
  return lambdaOf(name, handler, room === 'functions' ? 29 : unattendedSeconds)
}
