import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Company, companyKey } from '../../shared/company.ts'
import { cardKey, dataKeyKey, templateKey } from '../../shared/credential.ts'
import { employeeKey } from '../../shared/employee.ts'
import { openWorld, type World } from '../kit/world.ts'

// The vault of an employee’s credentials, tested through the functions behind the terminals.

let world: World
let table: import('../../functions/kit/table.ts').Table
let save: typeof import('../../functions/kit/table.ts').save
let kit: typeof import('../../functions/credential/vault.ts')
let credentials: typeof import('../../functions/credential/store.ts')
let shred: typeof import('../../functions/credential/shred.ts')
let people = 0

const company = 'v'.repeat(16)
const settings: Company = {
  ...{ id: company, name: 'Vault', company_num: '3', timezone: 'Europe/Athens', dateformat_id: 3, timeformat_id: 2 },
  ...{ timeUnit: [0, 0, 0, 0, 0], createdAt: '2026-01-01T00:00:00Z' },
}

beforeAll(async () => {
  world = await openWorld()
  Object.assign(process.env, world.environment)
  const kitTable = await import('../../functions/kit/table.ts')
  save = kitTable.save
  table = kitTable.openTable(company)
  kit = await import('../../functions/credential/vault.ts')
  credentials = await import('../../functions/credential/store.ts')
  shred = await import('../../functions/credential/shred.ts')
  await save(table.insert(companyKey(), settings))
})
afterAll(() => world.close())

let owner: import('../../functions/credential/shred.ts').Owner
const newOwner = async () => {
  const workno = String(100 + people++)
  const employee = `v${workno}`.padEnd(16, '0')
  const item = { id: employee, first_name: 'V', last_name: workno, workno, department: 'd'.repeat(16), role: 3 }
  await save(table.insert(employeeKey(employee), item))
  return { table, company, employee }
}
beforeEach(async () => {
  owner = await newOwner()
})

const bytes = (text: string) => Buffer.from(text)
const finger = { kind: 'finger 0', algorithm: 'thbio3.0' }

describe('a vault', () => {
  test('opens sealed data only as the same kind and for the same employee', async () => {
    expect(await kit.findVault(owner)).toBeUndefined()
    const vault = await kit.openVault(owner)
    const sealed = vault.seal(finger, bytes('ridges'))
    expect(sealed.includes('ridges')).toBe(false)
    expect(vault.seal(finger, bytes('ridges'))).not.toEqual(sealed)
    const reopened = await kit.findVault(owner)
    expect(reopened?.open(finger, sealed).toString()).toBe('ridges')
    for (const other of [
      { ...finger, kind: 'finger 1' },
      { ...finger, algorithm: 'thbio1.0' },
    ])
      expect(() => vault.open(other, sealed)).toThrow()
    const altered = Buffer.from(sealed)
    altered[sealed.length - 1] = (altered.at(-1) ?? 0) ^ 1
    for (const invalid of [altered, sealed.subarray(0, 20), Buffer.alloc(0)])
      expect(() => vault.open(finger, invalid)).toThrow()
    const stranger = await kit.openVault(await newOwner())
    expect(() => stranger.open(finger, sealed)).toThrow()
  })

  test('gets one key, even if several callers open it at once for the first time', async () => {
    const vaults = await Promise.all(Array.from({ length: 6 }, () => kit.openVault(owner)))
    const sealed = vaults.map(vault => vault.seal(finger, bytes('one')))
    for (const vault of vaults) for (const text of sealed) expect(vault.open(finger, text).toString()).toBe('one')
  })

  test('does not open with a moved key or without a key', async () => {
    await kit.openVault(owner)
    const other = await newOwner()
    const key = await table.get(dataKeyKey(owner.employee))
    if (!key) throw new Error('No key')
    await save(table.put(dataKeyKey(other.employee), key))
    await expect(kit.findVault(other)).rejects.toThrow()
    await shred.removeCredentials(owner)
    expect(await kit.findVault(owner)).toBeUndefined()
  })

  test('exists for employees only', async () => {
    const unknown = { ...owner, employee: 'n'.repeat(16) }
    await expect(kit.openVault(unknown)).rejects.toMatchObject({ code: 60004 })
    expect(await table.get(dataKeyKey(unknown.employee))).toBeUndefined()
  })
})

test('the store refuses a credential if its key is destroyed before the save', async () => {
  const other = await newOwner()
  const key = dataKeyKey(other.employee)
  const get: typeof table.get = async requestedKey => {
    const storedKey = await table.get(requestedKey)
    if (requestedKey.pk === key.pk && requestedKey.sk === key.sk) await save(table.remove(key))
    return storedKey
  }
  const racing = { ...other, table: { ...table, get } }
  const finger = { kind: 'finger', sign: 0, algorithm: 'thbio3.0', bytes: bytes('ridges') } as const
  for (const store of [
    () => credentials.saveCredential(racing, { punchMode: 2, card: '9001' }, undefined),
    () => credentials.storeTemplate(racing, finger),
  ]) {
    await kit.openVault(other)
    await expect(store()).rejects.toMatchObject({ code: 60006 })
  }
  expect(await credentials.readCredential(other)).toBeUndefined()
  expect((await shred.readTemplates(other)).fingers).toEqual([])
})

test('the store keeps, reads, replaces and removes small and large templates', async () => {
  const small = { kind: 'finger', sign: 0, algorithm: 'thbio3.0', serialNumber: 'T1', bytes: bytes('first') } as const
  const large = { kind: 'finger', sign: 1, algorithm: 'thbio3.0', bytes: Buffer.alloc(400_000, 'large') } as const
  await credentials.storeTemplate(owner, small)
  await credentials.storeTemplate(owner, large)
  const { fingers, face } = await shred.readTemplates(owner)
  expect(face).toBeUndefined()
  expect(fingers).toMatchObject([
    { sign: 0, serialNumber: 'T1', sealed: expect.any(String) },
    { sign: 1, file: expect.any(String) },
  ])
  const [firstFinger, secondFinger] = fingers
  if (!firstFinger || !secondFinger) throw new Error('No fingers')
  expect(await credentials.openTemplate(owner, firstFinger)).toEqual(bytes('first'))
  expect(await credentials.openTemplate(owner, secondFinger)).toEqual(large.bytes)
  // A template that is moved to another finger cannot be opened.
  await expect(credentials.openTemplate(owner, { ...firstFinger, sign: 1 })).rejects.toThrow()

  await credentials.storeTemplate(owner, { ...large, bytes: bytes('second') })
  const replaced = await table.get(templateKey(owner.employee, 'finger', 1))
  if (!replaced) throw new Error('No finger')
  expect(replaced).not.toHaveProperty('file')
  expect(await credentials.openTemplate(owner, replaced)).toEqual(bytes('second'))
  expect(await credentials.openTemplate(owner, secondFinger).catch(() => undefined)).toBeUndefined()
  await shred.removeTemplate(owner, 'finger', 0)
  await shred.removeTemplate(owner, 'finger', 0)
  expect((await shred.readTemplates(owner)).fingers.map(({ sign }) => sign)).toEqual([1])
})

test('a digest shows whether two cards are equal, but not their numbers', async () => {
  const number = '4711'
  const digestOf = await kit.openDigest(owner)
  const digest = digestOf('card', number)
  expect((await kit.openDigest(await newOwner()))('card', number)).toBe(digest)
  expect(digestOf('password', number)).not.toBe(digest)
  const otherDigestOf = await kit.openDigest({ company: 'w'.repeat(16), table: await openOtherTable() })
  expect(otherDigestOf('card', number)).not.toBe(digest)
  for (const hash of ['sha256', 'sha1', 'md5'])
    expect(createHash(hash).update(number).digest('base64url')).not.toBe(digest)
  await credentials.saveCredential(owner, { punchMode: 2, card: number }, undefined)
  expect(await table.get(cardKey(digest))).toMatchObject({ employee: owner.employee })
})
const openOtherTable = async () => (await import('../../functions/kit/table.ts')).openTable('w'.repeat(16))
