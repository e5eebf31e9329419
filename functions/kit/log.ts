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

/** An error as logged. */
export const faultOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** Logs an object: Lambda writes it as JSON under `message`; it would escape a string, which no metric filter reads. */
export const log = (line: Record<string, unknown> & { alarm?: AlarmName }) => {
  console.log(redact(line))
}
