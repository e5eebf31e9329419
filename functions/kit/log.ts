import type { AlarmName } from '../../shared/alarm.ts'

const secretName = /password|secret|token|code|hash|comm_pwd|authorization/i

/** Removes secrets from logged values. */
export const redact = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(redact)
    : value && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [
            name,
            secretName.test(name) && name !== 'code' ? '…' : redact(inner),
          ]),
        )
      : value

/** The stack of an error, or its message, for the log. */
export const faultOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/**
 * Logs an object, because Lambda writes objects as JSON under `message`. Lambda would escape a string, and no metric
 * filter could read it.
 */
export const log = (line: Record<string, unknown> & { alarm?: AlarmName }) => {
  console.log(redact(line))
}
