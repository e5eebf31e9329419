import { argon2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkNewPassword, hashPassword, isOutdated, verifyPassword } from '../../functions/user/password.ts'
import { Problem } from '../../shared/errors.ts'

const parameters = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/

test('hashPassword uses argon2id with the OWASP parameters and a new salt each time', async () => {
  const [first, second] = [await hashPassword('Rhubarb#42'), await hashPassword('Rhubarb#42')]
  expect(first).toMatch(parameters)
  expect(second).toMatch(parameters)
  expect(first).not.toBe(second)
  for (const stored of [first, second]) {
    expect(await verifyPassword('Rhubarb#42', stored)).toBe(true)
    expect(await verifyPassword('rhubarb#42', stored)).toBe(false)
    expect(isOutdated(stored)).toBe(false)
  }
})

test('a password matches in any Unicode composition, and every character of a long password counts', async () => {
  const composed = await hashPassword('Caf\u00e9#2026')
  expect(await verifyPassword('Cafe\u0301#2026', composed)).toBe(true)
  const longPassword = 'Ab1#'.repeat(32)
  expect(await verifyPassword(`${longPassword.slice(0, -1)}!`, await hashPassword(longPassword))).toBe(false)
})

test('a password matches a hash with other parameters, and that hash counts as outdated', async () => {
  const salt = Buffer.alloc(16, 7)
  const options = { message: 'Rhubarb#42', nonce: salt, parallelism: 1, tagLength: 32, memory: 12288, passes: 3 }
  const withoutPadding = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const stored = `$argon2id$v=19$m=12288,t=3,p=1$${withoutPadding(salt)}$${withoutPadding(argon2Sync('argon2id', options))}`
  expect(await verifyPassword('Rhubarb#42', stored)).toBe(true)
  expect(await verifyPassword('Rhubarb#43', stored)).toBe(false)
  expect(isOutdated(stored)).toBe(true)
})

test('a missing or malformed hash verifies no password', async () => {
  for (const stored of [undefined, '', 'Rhubarb#42', '$argon2id$v=19$m=19456,t=2,p=1$$'])
    expect(await verifyPassword('Rhubarb#42', stored), stored).toBe(false)
})

const codeOf = async (password: string, company?: string) => {
  try {
    await checkNewPassword(password, 'password', company)
    return 0
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(error.fields).toEqual({ password: error.code })
    return error.code
  }
}

test.each([
  ['Ab1#xy', undefined, 0],
  ['Ab1#x', undefined, 21012],
  ['ab1#xyz', undefined, 21012],
  ['AB1#XYZ', undefined, 21012],
  ['Abc#xyz', undefined, 21012],
  ['Abc1xyz', undefined, 21012],
  ['Αβγ1#δε', undefined, 0],
  ['Password1!', undefined, 60030],
  ['!P4$$w0rd2026', undefined, 60030],
  ['Letmein#99', undefined, 60030],
  ['My Password is 1 long sentence!', undefined, 0],
  ['Olive#2026', 'Olive & Sons', 60030],
  ['OliveSons#1', 'Olive & Sons', 60030],
  ['0l1ve#Sons', 'Olive & Sons', 60030],
  ['Olive#2026', 'Rhubarb Ltd', 0],
  ['Zx9#olive-tree', 'Olive & Sons', 0],
  ['Café#2026', 'Café Noir', 60030],
] as const)('%s in the company %s: %i', async (password, company, code) => {
  expect(await codeOf(password, company)).toBe(code)
})
