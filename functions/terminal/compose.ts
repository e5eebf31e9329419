import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { employeeKey } from '../../shared/employee.ts'
import type { Fields } from '../../shared/terminal/ai-face.ts'
import type { Command } from '../../shared/terminal/command.ts'
import { type Profile, profileNamed } from '../../shared/terminal/profile.ts'
import type { Table } from '../kit/table.ts'
import { composeUser } from './compose-user.ts'
import { desiredSettings } from './settings.ts'

// Composes the message of a command at the moment of sending. Only the message contains secrets, because many people
// read the queue and the server keeps commands for a month.

export interface Composing {
  table: Table
  company: string
  device: Device
  profile: Profile
  command: Command
}

/**
 * The message, and the terminal's content after it. `unsupported` if the terminal's profile lacks the command;
 * undefined if the command has nothing left to do.
 */
export type Composed = { message: Fields; holds?: Command['holds'] } | 'unsupported' | undefined

/** Reads the employee again: the employee may have another employee ID now, or no longer exist. */
const composeEnrolment = async ({ table, profile, command }: Composing): Promise<Composed> => {
  if (!profile.enrolls && command.cmd !== 'getuserinfo') return 'unsupported'
  const employee = await table.get(employeeKey(String(command.body.employee)))
  if (!employee) return undefined
  const { cmd, body } = command
  const message = { cmd, enrollid: Number(employee.workno), backupnum: body.backupnum }
  return { message: cmd === 'adduser' ? { ...message, admin: 0 } : message }
}

/** Reads the device again, because it may have changed since the caller read it. */
const composeSettings = async ({ table, device, command }: Composing): Promise<Composed> => {
  const current = await table.get(deviceKey(device.serialNumber))
  return current && { message: { cmd: command.cmd, ...(await desiredSettings(table, current)) } }
}

const composePerson = async (of: Composing): Promise<Composed> => {
  const composed = await composeUser(of, of.command)
  return composed && { message: { cmd: of.command.cmd, ...composed.fields }, holds: composed.holds }
}

const composers: { readonly [cmd: string]: (of: Composing) => Promise<Composed> } = {
  adduser: composeEnrolment,
  checkregstatus: composeEnrolment,
  getuserinfo: composeEnrolment,
  setdevinfo: composeSettings,
  getuserlist: async () => ({ message: { cmd: 'getuserlist', stn: true } }),
  setuserinfo: composePerson,
  setusername: composePerson,
}

export const compose = async (of: Omit<Composing, 'profile'>): Promise<Composed> => {
  const { cmd, body } = of.command
  const composer = Object.hasOwn(composers, cmd) ? composers[cmd] : undefined
  return composer ? composer({ ...of, profile: profileNamed(of.device.profile) }) : { message: { cmd, ...body } }
}
