import { randomUUID } from 'node:crypto'

/** A new address without digits, so that a search for an employee ID never finds it. */
export const freshEmail = (name: string): string =>
  `${name}-${randomUUID().replace(/\d/g, digit => 'ghijklmnop'[Number(digit)] ?? '')}@example.com`
