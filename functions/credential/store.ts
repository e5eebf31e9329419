import {
  type Credential,
  cardKey,
  credentialKey,
  dataKeyKey,
  type Template,
  templateFileKey,
  templateKey,
} from '../../shared/credential.ts'
import { employeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { openFiles } from '../kit/files.ts'
import { newId } from '../kit/id.ts'
import { type Item, save, type Write } from '../kit/table.ts'
import type { Owner } from './shred.ts'
import { type Content, findVault, openDigest, openVault } from './vault.ts'

// A person's card, password, fingerprints and face. The server stores them encrypted, and decrypts them for permitted
// readers and the person's terminals.

const cardTaken = { code: 60022, fields: { card: 60022 } } as const
const personGone = { code: 60004, fields: { id: 60004 } } as const
/** The most base64 text in an item, which holds 400 KB. A longer template goes into a file. */
const mostItemBytes = 300 * 1024

const card: Content = { kind: 'card', algorithm: 'digits' }
const password: Content = { kind: 'password', algorithm: 'digits' }

export interface OpenCredential extends Omit<Credential, 'card' | 'password' | 'cardDigest'> {
  card?: string
  password?: string
  version: number
}

/**
 * The decrypted credential; undefined if the person never had one. Without a data key, card and password are missing.
 */
export const readCredential = async (owner: Owner): Promise<OpenCredential | undefined> => {
  const stored = await owner.table.get(credentialKey(owner.employee))
  if (!stored) return undefined
  const { card: sealedCard, password: sealedPassword, cardDigest: _, ...plain } = stored
  if (!sealedCard && !sealedPassword) return plain
  const vault = await findVault(owner)
  if (!vault) return plain
  const open = (content: Content, sealed: string) => vault.open(content, Buffer.from(sealed, 'base64')).toString()
  return {
    ...plain,
    ...(sealedCard && { card: open(card, sealedCard) }),
    ...(sealedPassword && { password: open(password, sealedPassword) }),
  }
}

/**
 * Saves how a person punches, at the version that the caller read (undefined for none), and returns the new version.
 * Throws 60022 if another person has the card, 60006 for a stale version, and 60004 for a deleted employee.
 */
export const saveCredential = async (
  owner: Owner,
  form: { punchMode: number; card?: string | undefined; password?: string | undefined },
  version: number | undefined,
): Promise<number> => {
  const { table, employee } = owner
  const key = credentialKey(employee)
  const before = await table.get(key)
  if (before?.version !== version) throw new Problem(60006)
  const vault = form.card || form.password ? await openVault(owner) : undefined
  const seal = (content: Content, plain: string) => vault?.seal(content, Buffer.from(plain)).toString('base64')
  const cardDigest = form.card && (await openDigest(owner))('card', form.card)
  const item: Credential = {
    employee,
    punchMode: form.punchMode,
    ...(form.card && { card: seal(card, form.card), cardDigest }),
    ...(form.password && { password: seal(password, form.password) }),
  }
  const isNewCard = cardDigest !== before?.cardDigest
  await save(
    before ? table.replace(key, { ...item, version: before.version }) : table.insert(key, item),
    table.require(employeeKey(employee), personGone),
    // Require the data key: a concurrent removal of the key would leave a secret that no code can decrypt.
    ...(vault ? [table.require(dataKeyKey(employee), { code: 60006 })] : []),
    ...(isNewCard && cardDigest ? [table.insert(cardKey(cardDigest), { employee }, cardTaken)] : []),
    ...(isNewCard && before?.cardDigest ? [table.remove(cardKey(before.cardDigest))] : []),
  )
  return (before?.version ?? 0) + 1
}

/** The writes that change only the punch mode; none if the person has it. `save` must also check the employee. */
export const writePunchMode = async (
  { table, employee }: Pick<Owner, 'table' | 'employee'>,
  punchMode: number,
): Promise<Write[]> => {
  const key = credentialKey(employee)
  const before = await table.get(key)
  if ((before?.punchMode ?? 0) === punchMode) return []
  return [before ? table.replace(key, { ...before, punchMode }) : table.insert(key, { employee, punchMode })]
}

const contentOf = ({ kind, sign, algorithm }: Pick<Template, 'kind' | 'sign' | 'algorithm'>): Content => ({
  kind: `${kind} ${sign}`,
  algorithm,
})

/** The decrypted template; undefined if an erasure destroyed its data key. */
export const openTemplate = async (owner: Owner, template: Template): Promise<Buffer | undefined> => {
  const { company, employee } = owner
  const [vault, sealed] = await Promise.all([
    findVault(owner),
    template.file
      ? openFiles(company).read(templateFileKey(employee, template.file))
      : Buffer.from(template.sealed ?? '', 'base64'),
  ])
  return vault && sealed && vault.open(contentOf(template), sealed)
}

/**
 * Stores a fingerprint or face in place of the previous one. The caller has checked that the company stores templates.
 */
export const storeTemplate = async (
  owner: Owner,
  { bytes, ...template }: Pick<Template, 'kind' | 'sign' | 'algorithm' | 'serialNumber'> & { bytes: Uint8Array },
): Promise<Item<Template>> => {
  const { table, company, employee } = owner
  const key = templateKey(employee, template.kind, template.sign)
  const before = await table.get(key)
  const sealed = (await openVault(owner)).seal(contentOf(template), bytes)
  const file = sealed.length * (4 / 3) > mostItemBytes ? newId() : undefined
  if (file)
    await openFiles(company).write(templateFileKey(employee, file), { type: 'application/octet-stream', bytes: sealed })
  const item: Template = {
    employee,
    ...template,
    ...(file ? { file } : { sealed: sealed.toString('base64') }),
    bytes: bytes.length,
    registeredAt: new Date().toISOString(),
  }
  try {
    await save(
      before ? table.replace(key, { ...item, version: before.version }) : table.insert(key, item),
      table.require(employeeKey(employee), personGone),
      table.require(dataKeyKey(employee), { code: 60006 }),
    )
  } catch (error) {
    if (file) await openFiles(company).remove(templateFileKey(employee, file))
    throw error
  }
  if (before?.file) await openFiles(company).remove(templateFileKey(employee, before.file))
  return { ...item, version: (before?.version ?? 0) + 1 }
}
