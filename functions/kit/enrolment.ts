import { companyKey } from '../../shared/company.ts'
import {
  cardNumber,
  credentialKey,
  type FingerSign,
  fingerSigns,
  type Template,
  templateKey,
} from '../../shared/credential.ts'
import { deviceKey } from '../../shared/device.ts'
import { backupnums, deviceUserKey, newDeviceUser, noteHeld, ownMark, type Part } from '../../shared/device-user.ts'
import { type Employee, employeeKey, worknoKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { cleanPicture } from '../../shared/image.ts'
import type { HeldUser } from '../../shared/terminal/ai-face.ts'
import { again } from './again.ts'
import { openTemplate, readCredential, saveCredential, storeTemplate } from './credential.ts'
import { markOfSealed, markOfTemplate, unknownAlgorithm } from './device-user.ts'
import type { Owner } from './shred.ts'
import { openTable, save, type Table } from './table.ts'

// What somebody registered at a terminal: it is kept in the person's vault, and by its change the other terminals come to know it.

/** A finger of the longest kind has some 1,600 characters. */
const mostFingerLength = 8192

/** `own` where it is kept at the terminal alone; undefined where it is nothing anybody could keep. */
type Kept = typeof ownMark | { mark: string } | undefined

const isSame = async (owner: Owner, template: Template | undefined, bytes: Uint8Array, algorithm: string) => {
  const known = template?.algorithm === algorithm ? await openTemplate(owner, template) : undefined
  return known !== undefined && Buffer.compare(known, bytes) === 0
}

/** Keeps a finger or face; one that is kept already is not another one. */
const keepTemplate = async (
  owner: Owner,
  serialNumber: string,
  about: { kind: Template['kind']; sign: FingerSign; algorithm: string; bytes: Uint8Array },
): Promise<Kept> => {
  const company = await owner.table.get(companyKey())
  if (!company?.storesTemplates) return ownMark
  const known = await owner.table.get(templateKey(owner.employee, about.kind, about.sign))
  if (known && (await isSame(owner, known, about.bytes, about.algorithm))) return { mark: markOfTemplate(known) }
  return { mark: markOfTemplate(await storeTemplate(owner, { ...about, serialNumber })) }
}

const keepCard = (owner: Owner, digits: string): Promise<Kept> => {
  const card = cardNumber.safeParse(digits)
  return card.success ? keepDigits(owner, backupnums.card, card.data) : Promise.resolve(undefined)
}

/** Keeps a card or password, unless the card is in another hand. */
const keepDigits = async (owner: Owner, part: Part, digits: string): Promise<Kept> => {
  const name = part === backupnums.card ? 'card' : 'password'
  try {
    await again(async () => {
      const { punchMode = 0, card, password, version } = (await readCredential(owner)) ?? {}
      const now = { punchMode, card, password, [name]: digits }
      if (now.card !== card || now.password !== password) await saveCredential(owner, now, version)
    })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
  const sealed = (await owner.table.get(credentialKey(owner.employee)))?.[name]
  return sealed ? { mark: markOfSealed(sealed) } : undefined
}

const keep = async (owner: Owner, serialNumber: string, { backupnum, record }: HeldUser): Promise<Kept> => {
  const part = String(backupnum)
  if (part === backupnums.card) return keepCard(owner, record)
  if (part === backupnums.password)
    return /^\d{1,8}$/.test(record) ? keepDigits(owner, part, String(Number(record))) : undefined
  const sign = fingerSigns.find(one => one === backupnum)
  if (sign !== undefined && record.length <= mostFingerLength) {
    const { fingerAlgorithm: algorithm = unknownAlgorithm } = (await owner.table.get(deviceKey(serialNumber))) ?? {}
    return keepTemplate(owner, serialNumber, { kind: 'finger', sign, algorithm, bytes: Buffer.from(record, 'latin1') })
  }
  const picture =
    part === backupnums.face ? cleanPicture(Buffer.from(record.replace(/^data:[^,]*,/, ''), 'base64')) : undefined
  if (picture?.type !== 'image/jpeg') return ownMark
  return keepTemplate(owner, serialNumber, { kind: 'face', sign: 0, algorithm: picture.type, bytes: picture.bytes })
}

/** Whose number it is now: of a number that somebody gave up nothing is learnt. */
const findHolder = async (table: Table, number: string): Promise<Employee | undefined> => {
  const holder = await table.get(worknoKey(number))
  const employee = holder && (await table.get(employeeKey(holder.employee)))
  return employee?.workno === number ? employee : undefined
}

/**
 * Takes what a terminal says it holds of somebody; `by` asked for it, where somebody did. Of a number that is nobody's nothing is kept,
 * and nothing is taken off the terminal.
 */
export const takeHeld = async (
  { company, serialNumber, by }: { company: string; serialNumber: string; by?: string | undefined },
  held: HeldUser,
): Promise<void> => {
  const table = openTable(company, { device: serialNumber, ...(by && { employee: by }) })
  const employee = await findHolder(table, held.number)
  if (!employee || held.record === '') return
  const kept = await keep({ table, company, employee: employee.id }, serialNumber, held)
  const mark = kept === ownMark ? ownMark : kept?.mark
  await again(async () => {
    const [key, device] = [deviceUserKey(serialNumber, employee.id), await table.get(deviceKey(serialNumber))]
    if (!device) return
    const known = await table.get(key)
    const { emptiedAt } = device
    const before = known ?? {
      ...newDeviceUser(serialNumber, employee.id, held.number),
      ...(emptiedAt !== undefined && { emptiedAt }),
    }
    // Under another number they are taken away as they were, and this with them.
    if (before.number !== held.number) return
    const now = noteHeld(before, String(held.backupnum), { mark, admin: held.admin })
    await save(known ? table.replace(key, { ...now, version: known.version }) : table.insert(key, now))
  })
}
