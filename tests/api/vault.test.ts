import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Company, companyKey } from '../../shared/company.ts'
import { cardKey, dataKeyKey, templateKey } from '../../shared/credential.ts'
import { employeeKey } from '../../shared/employee.ts'
import { openWorld, type World } from '../kit/world.ts'

// The vault of each person, as the kit opens it: for terminals that will send and want templates.

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
  const opened = await import('../../functions/kit/table.ts')
  save = opened.save
  table = opened.openTable(company)
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
  const person = { id: employee, first_name: 'V', last_name: workno, workno, department: 'd'.repeat(16), role: 3 }
  await save(table.insert(employeeKey(employee), person))
  return { table, company, employee }
}
beforeEach(async () => {
  owner = await newOwner()
})

const bytes = (text: string) => Buffer.from(text)
const finger = { kind: 'finger 0', algorithm: 'thbio3.0' }

describe('a vault', () => {
  test('opens what was sealed in it, as what it was sealed, for whom it was sealed', async () => {
    expect(await kit.findVault(owner)).toBeUndefined()
    const vault = await kit.openVault(owner)
    const sealed = vault.seal(finger, bytes('ridges'))
    expect(sealed.includes('ridges')).toBe(false)
    expect(vault.seal(finger, bytes('ridges'))).not.toEqual(sealed)
    const again = await kit.findVault(owner)
    expect(again?.open(finger, sealed).toString()).toBe('ridges')
    for (const other of [
      { ...finger, kind: 'finger 1' },
      { ...finger, algorithm: 'thbio1.0' },
    ])
      expect(() => vault.open(other, sealed)).toThrow()
    const changed = Buffer.from(sealed)
    changed[sealed.length - 1] = (changed.at(-1) ?? 0) ^ 1
    for (const wrong of [changed, sealed.subarray(0, 20), Buffer.alloc(0)])
      expect(() => vault.open(finger, wrong)).toThrow()
    const stranger = await kit.openVault(await newOwner())
    expect(() => stranger.open(finger, sealed)).toThrow()
  })

  test('is one, however many open it for the first time at once', async () => {
    const vaults = await Promise.all(Array.from({ length: 6 }, () => kit.openVault(owner)))
    const sealed = vaults.map(vault => vault.seal(finger, bytes('one')))
    for (const vault of vaults) for (const text of sealed) expect(vault.open(finger, text).toString()).toBe('one')
  })

  test('opens for nobody by a key that was moved, and not at all without one', async () => {
    await kit.openVault(owner)
    const other = await newOwner()
    const key = await table.get(dataKeyKey(owner.employee))
    if (!key) throw new Error('No key')
    await save(table.put(dataKeyKey(other.employee), key))
    await expect(kit.findVault(other)).rejects.toThrow()
    await shred.removeCredentials(owner)
    expect(await kit.findVault(owner)).toBeUndefined()
  })

  test('is made for employees only', async () => {
    const nobody = { ...owner, employee: 'n'.repeat(16) }
    await expect(kit.openVault(nobody)).rejects.toMatchObject({ code: 60004 })
    expect(await table.get(dataKeyKey(nobody.employee))).toBeUndefined()
  })
})

test('nothing is kept that was sealed by a key that is destroyed meanwhile', async () => {
  const other = await newOwner()
  const key = dataKeyKey(other.employee)
  const get: typeof table.get = async asked => {
    const found = await table.get(asked)
    if (asked.pk === key.pk && asked.sk === key.sk) await save(table.remove(key))
    return found
  }
  const late = { ...other, table: { ...table, get } }
  const finger = { kind: 'finger', sign: 0, algorithm: 'thbio3.0', bytes: bytes('ridges') } as const
  for (const keep of [
    () => credentials.saveCredential(late, { punchMode: 2, card: '9001' }, undefined),
    () => credentials.storeTemplate(late, finger),
  ]) {
    await kit.openVault(other)
    await expect(keep()).rejects.toMatchObject({ code: 60006 })
  }
  expect(await credentials.readCredential(other)).toBeUndefined()
  expect((await shred.readTemplates(other)).fingers).toEqual([])
})

test('templates are kept, read, taken the place of, and removed, small and large', async () => {
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
  const [one, two] = fingers
  if (!one || !two) throw new Error('No fingers')
  expect(await credentials.openTemplate(owner, one)).toEqual(bytes('first'))
  expect(await credentials.openTemplate(owner, two)).toEqual(large.bytes)
  // Put in another's place it is nothing.
  await expect(credentials.openTemplate(owner, { ...one, sign: 1 })).rejects.toThrow()

  await credentials.storeTemplate(owner, { ...large, bytes: bytes('second') })
  const now = await table.get(templateKey(owner.employee, 'finger', 1))
  if (!now) throw new Error('No finger')
  expect(now).not.toHaveProperty('file')
  expect(await credentials.openTemplate(owner, now)).toEqual(bytes('second'))
  expect(await credentials.openTemplate(owner, two).catch(() => undefined)).toBeUndefined()
  await shred.removeTemplate(owner, 'finger', 0)
  await shred.removeTemplate(owner, 'finger', 0)
  expect((await shred.readTemplates(owner)).fingers.map(({ sign }) => sign)).toEqual([1])
})

test('that two cards are the same can be told, and not what they are', async () => {
  const number = '4711'
  const tell = await kit.openDigest(owner)
  const digest = tell('card', number)
  expect((await kit.openDigest(await newOwner()))('card', number)).toBe(digest)
  expect(tell('password', number)).not.toBe(digest)
  const other = await kit.openDigest({ company: 'w'.repeat(16), table: await otherTable() })
  expect(other('card', number)).not.toBe(digest)
  for (const hash of ['sha256', 'sha1', 'md5'])
    expect(createHash(hash).update(number).digest('base64url')).not.toBe(digest)
  await credentials.saveCredential(owner, { punchMode: 2, card: number }, undefined)
  expect(await table.get(cardKey(digest))).toMatchObject({ employee: owner.employee })
})
const otherTable = async () => (await import('../../functions/kit/table.ts')).openTable('w'.repeat(16))
