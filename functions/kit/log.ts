const secretName = /password|secret|token|code|hash|comm_pwd|authorization/i

/** Takes out of anything logged what must not be read there. */
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

/** One JSON line; the cloud's log reads it as fields. */
export const log = (line: Record<string, unknown>) => {
  console.log(JSON.stringify(redact({ at: new Date().toISOString(), ...line })))
}
