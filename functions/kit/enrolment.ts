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
import {
  backupnums,
  type DeviceUser,
  deviceUserKey,
  heardMark,
  noteHeld,
  ownMark,
  type Part,
} from '../../shared/device-user.ts'
import { type Employee, employeeKey, fullName, worknoKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { fold } from '../../shared/fold.ts'
import { cleanPicture } from '../../shared/image.ts'
import type { HeldUser, ListedUser } from '../../shared/terminal/ai-face.ts'
import { again } from './again.ts'
import { openTemplate, readCredential, saveCredential, storeTemplate } from './credential.ts'
import {
  enlist,
  firstUser,
  isWanted,
  markOfSealed,
  markOfTemplate,
  readStaff,
  unknownAlgorithm,
} from './device-user.ts'
import type { Owner } from './shred.ts'
import { openTable, save, type Table } from './table.ts'

// What somebody registered at a terminal: it is kept in the person's vault, and by its change the other terminals come to know it.

/** A finger of the longest kind has some 1,600 characters; some terminals put a single digit where there is none. */
const [leastFingerLength, mostFingerLength] = [8, 8192]

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

const keep = async (owner: Owner, serialNumber: string, held: HeldUser): Promise<Kept> => {
  const { backupnum, record } = held
  const part = String(backupnum)
  if (part === backupnums.card) return keepCard(owner, record)
  if (part === backupnums.password)
    return /^\d{1,8}$/.test(record) ? keepDigits(owner, part, String(Number(record))) : undefined
  const sign = fingerSigns.find(one => one === backupnum)
  if (sign !== undefined && record.length >= leastFingerLength && record.length <= mostFingerLength) {
    const { fingerAlgorithm = unknownAlgorithm } = (await owner.table.get(deviceKey(serialNumber))) ?? {}
    const algorithm = held.algorithm ?? fingerAlgorithm
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

/** A terminal may hold somebody else under a number of ours, from before it was ours. */
const isNamedSo = (employee: Employee, { name = '' }: HeldUser): boolean =>
  fold(fullName(employee)).startsWith(fold(name))

/**
 * Takes what a terminal says it holds of somebody; `by` asked for it at this terminal, where somebody did. Of a number that is nobody's
 * nothing is kept, and nothing is taken off the terminal. What nobody asked for is taken only of people the terminal has to know,
 * and only from one that proves itself: whoever knows no more than its serial number could open every door with a card of theirs.
 */
export const takeHeld = async (
  { company, serialNumber, by }: { company: string; serialNumber: string; by?: string | undefined },
  held: HeldUser,
): Promise<void> => {
  const table = openTable(company, { device: serialNumber, ...(by && { employee: by }) })
  const [employee, device] = await Promise.all([findHolder(table, held.number), table.get(deviceKey(serialNumber))])
  if (!employee || !device || held.record === '') return
  if (!by) {
    const staff = await readStaff(table)
    if (!staff || !isWanted(staff, device, employee) || !isNamedSo(employee, held)) return
  }
  const isBelieved = by !== undefined || device.authentication !== 'claim'
  const kept = isBelieved ? await keep({ table, company, employee: employee.id }, serialNumber, held) : ownMark
  const mark = kept === ownMark ? ownMark : kept?.mark
  await again(async () => {
    const [key, device] = [deviceUserKey(serialNumber, employee.id), await table.get(deviceKey(serialNumber))]
    if (!device) return
    const known = await table.get(key)
    const before = known ?? firstUser(device, employee)
    // Under another number they are taken away as they were, and this with them.
    if (before.number !== held.number) return
    const now = noteHeld(before, String(held.backupnum), { mark, admin: held.admin })
    await save(known ? table.replace(key, { ...now, version: known.version }) : table.insert(key, now))
  })
}

const asked: ReadonlySet<Part> = new Set([...fingerSigns.map(String), backupnums.password, backupnums.card])

/**
 * Takes what a terminal lists of the people it has to know: what nobody here has seen is asked for, as long as it is of a kind that is
 * kept and small enough to come in one frame. What it held when it was ours first may be of somebody else with that number: it stays
 * there, and is learnt by nobody.
 */
export const takeListed = async (
  company: string,
  { serialNumber, isFirst }: { serialNumber: string; isFirst: boolean },
  users: ListedUser[],
): Promise<void> => {
  const table = openTable(company)
  const [staff, settings, device] = await Promise.all([
    readStaff(table),
    table.get(companyKey()),
    table.get(deviceKey(serialNumber)),
  ])
  if (!staff || !device) return
  const isKept = (part: Part) => asked.has(part) && (settings?.storesTemplates === true || Number(part) > 9)
  const markOf = (part: Part) => (!isFirst && isKept(part) ? heardMark : ownMark)
  const heard: string[] = []
  for (const [number, list] of Map.groupBy(users, user => user.number)) {
    const employee = await findHolder(table, number)
    if (!employee || !isWanted(staff, device, employee)) continue
    const isNew = await again(async () => {
      const key = deviceUserKey(serialNumber, employee.id)
      const known = await table.get(key)
      const before = known ?? (isFirst ? firstUser(device, employee) : undefined)
      const news =
        before?.number === number ? list.filter(one => before.holds[String(one.backupnum)] === undefined) : []
      if (!before || news.length === 0) return false
      const now = news.reduce<DeviceUser>((user, { backupnum, admin }) => {
        const part = String(backupnum)
        return noteHeld(user, part, { mark: markOf(part), admin })
      }, before)
      await save(known ? table.replace(key, { ...now, version: known.version }) : table.insert(key, now))
      return true
    })
    if (isNew) heard.push(employee.id)
  }
  if (heard.length > 0) await enlist(staff, device, heard)
}
