import { templateKey } from '../../shared/credential.ts'
import type { Device } from '../../shared/device.ts'
import { employeeKey } from '../../shared/employee.ts'
import { fullName } from '../../shared/person-name.ts'
import type { Fields } from '../../shared/terminal/ai-face.ts'
import type { Command } from '../../shared/terminal/command.ts'
import { profileNamed } from '../../shared/terminal/profile.ts'
import { backupnums, deviceUserKey, namePart, type Part } from '../../shared/terminal/user.ts'
import type { Owner } from '../credential/shred.ts'
import { openTemplate, readCredential } from '../credential/store.ts'
import type { Table } from '../kit/table.ts'
import { readStaff, readWanted } from './user.ts'

// Composes the command that sets a user at the moment of sending. So the queue holds no secret, and data of a former
// employee never reaches a terminal.

export interface ComposedUser {
  fields: Fields
  /** The terminal's content after this command. */
  holds: Record<Part, string>
}

/** Returns undefined if the person or the credential no longer exists. */
export const composeUser = async (
  { table, company, device }: { table: Table; company: string; device: Device },
  { body }: Pick<Command, 'body'>,
): Promise<ComposedUser | undefined> => {
  const employee = String(body.employee)
  const part = body.backupnum === undefined ? namePart : String(body.backupnum)
  const [staff, person, user] = await Promise.all([
    readStaff(table),
    table.get(employeeKey(employee)),
    table.get(deviceUserKey(device.serialNumber, employee)),
  ])
  const wanted = staff && (await readWanted(staff, device, person))
  const mark = wanted?.marks[part]
  if (!person || !wanted || mark === undefined || Number(wanted.number) !== body.enrollid) return undefined
  const name = fullName(person)
  const enrollid = Number(wanted.number)
  const holds = { [namePart]: wanted.marks[namePart] ?? '', [part]: mark }
  const admin = user?.admin ?? 0
  if (part === namePart) {
    const { plainUser } = profileNamed(device.profile)
    const named = { count: 1, record: [{ enrollid, name }] }
    return { fields: plainUser ? { enrollid, name, admin, ...plainUser } : named, holds }
  }
  const record = await readRecord({ table, company, employee }, part)
  if (record === undefined) return undefined
  return { fields: { enrollid, name, backupnum: Number(part), admin, record }, holds }
}

/** The decrypted credentials in the terminal's format. */
const readRecord = async (owner: Owner, part: Part): Promise<string | number | undefined> => {
  const { table, employee } = owner
  if (part === backupnums.card || part === backupnums.password) {
    const credential = await readCredential(owner)
    const digits = part === backupnums.card ? credential?.card : credential?.password
    return digits === undefined ? undefined : Number(digits)
  }
  const isFace = part === backupnums.face
  const key = isFace ? templateKey(employee, 'face', 0) : templateKey(employee, 'finger', part === '1' ? 1 : 0)
  const template = await table.get(key)
  const opened = template && (await openTemplate(owner, template))
  return opened?.toString(isFace ? 'base64' : 'latin1')
}
