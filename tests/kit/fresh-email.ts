import { randomUUID } from 'node:crypto'

/** Holds no digits, so that a search for an employee ID never finds the address. */
export const freshEmail = (name: string): string =>
  `${name}-${randomUUID().replace(/\d/g, digit => 'ghijklmnop'[Number(digit)] ?? '')}@example.com`
