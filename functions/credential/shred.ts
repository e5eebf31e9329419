import {
  cardKey,
  credentialKey,
  dataKeyKey,
  type FingerSign,
  type Template,
  templateFileKey,
  templateKey,
} from '../../shared/credential.ts'
import { openFiles } from '../kit/files.ts'
import { type Item, save, type Table } from '../kit/table.ts'

// Removes credentials without decrypting them, so a function that only removes them needs no right to read them.

/** The person who owns the credentials, and their company. */
export interface Owner {
  table: Table
  company: string
  employee: string
}

/** A person's stored finger and face templates, still encrypted. */
export const readTemplates = async ({ table, employee }: Pick<Owner, 'table' | 'employee'>) => {
  const { pk } = templateKey(employee, 'finger', 0)
  const [fingers = [], faces = []] = await Promise.all(
    (['finger', 'face'] as const).map(kind => table.all<Template>({ pk, prefix: `${kind}#` })),
  )
  return { fingers, face: faces[0] }
}

const removeAll = async ({ table, company, employee }: Owner, templates: Item<Template>[]) => {
  for (const { kind, sign, file } of templates) {
    if (file) await openFiles(company).remove(templateFileKey(employee, file))
    await save(table.remove(templateKey(employee, kind, sign)))
  }
}

/** Removes a template. Idempotent. */
export const removeTemplate = async (owner: Owner, kind: Template['kind'], sign: FingerSign): Promise<void> => {
  const template = await owner.table.get(templateKey(owner.employee, kind, sign))
  if (template) await removeAll(owner, [template])
}

/**
 * Removes all of a person's credentials, the data key first: without the key no code can decrypt a remaining copy.
 * Frees the card for another person. Idempotent.
 */
export const removeCredentials = async (owner: Owner): Promise<void> => {
  const { table, employee } = owner
  await save(table.remove(dataKeyKey(employee)))
  const { fingers, face } = await readTemplates(owner)
  await removeAll(owner, face ? [...fingers, face] : fingers)
  const credential = await table.get(credentialKey(employee))
  if (!credential) return
  await save(
    table.remove(credentialKey(employee), credential.version),
    ...(credential.cardDigest ? [table.remove(cardKey(credential.cardDigest))] : []),
  )
}
