import { timingSafeEqual } from 'node:crypto'
import type { Company } from '../../shared/company.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device, Hardware } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { networkOf } from '../kit/address.ts'
import { hashSecret } from '../kit/id.ts'
import { limit, type Rate, secondsToWait } from '../kit/rate.ts'
import { unseal } from '../kit/secrets.ts'
import { change } from '../kit/table/change.ts'
import type { Table } from '../kit/table.ts'

// How a terminal proves its identity, in any protocol.

/** A terminal's proof besides its serial number: from its path and from its messages. */
export interface Proof {
  path: { companyNumber?: string | undefined; pathSecretHash?: string | undefined }
  said: { companyNumber?: string | undefined; password?: string | undefined }
  ip: string
}

const isSame = (a: string, b: string) => {
  const [hashA, hashB] = [Buffer.from(hashSecret(a)), Buffer.from(hashSecret(b))]
  return timingSafeEqual(hashA, hashB)
}

/**
 * Remembers proofs in this process only, because the server must not store a hash of a keypad password. A proof holds
 * for one edition of the terminal, one company password and one network. Otherwise an attacker could guess without
 * limit, because the server counts only wrong passwords.
 */
const proven = new Map<string, string>()
const mostProven = 10_000

/**
 * Why the server refuses a terminal. After too many attempts `until` is set, and the server compares no password before
 * then.
 */
export type Refusal = Omit<NonNullable<Device['refused']>, 'at'>

export const wrongPath: Refusal = { reason: 'path' }
const wrongPassword: Refusal = { reason: 'password' }

/** The counter of a password attempt: one for the terminal's last network, one for all other networks together. */
const guessesAt = ({ serialNumber, ip: last }: Device, { id }: Company, network: string): Rate => {
  const key = `${id}#${serialNumber}`
  const isAtHome = last !== undefined && networkOf(last) === network
  return { scope: 'comm_pwd', key: isAtHome ? `${key}#${network}` : key, times: 5, minutes: 15 }
}

/**
 * Why the server refuses a terminal; undefined after the proof that its company requires. Counts a password before the
 * comparison and uncounts a right one, so parallel guesses gain nothing. Guesses from other networks never lock out a
 * terminal on its own network. Skips a proof that this process has already accepted, so polls cost nothing.
 */
export const refusalOf = async (
  device: Device,
  company: Company,
  { path, said: message, ip }: Proof,
  now: number,
): Promise<Refusal | undefined> => {
  const { authentication, pathSecretHash, serialNumber, edition } = device
  // A terminal that dials another company's address belongs to that company, even if this company claimed its serial
  // number.
  if (authentication === 'claim')
    return path.companyNumber === undefined || path.companyNumber === company.company_num ? undefined : wrongPath
  if (authentication === 'claim+path')
    return pathSecretHash !== undefined &&
      path.pathSecretHash !== undefined &&
      path.companyNumber === company.company_num &&
      isSame(path.pathSecretHash, pathSecretHash)
      ? undefined
      : wrongPath
  const { companyNumber, password } = message
  if (companyNumber !== company.company_num || password === undefined || company.comm_pwd === undefined)
    return wrongPassword
  const network = networkOf(ip)
  const key = `${company.id}#${serialNumber}`
  const proof = hashSecret(JSON.stringify([edition, company.comm_pwd, password, network]))
  if (proven.get(key) === proof) return undefined
  let forgive: () => Promise<void>
  try {
    forgive = await limit(guessesAt(device, company, network))
  } catch (error) {
    const seconds = secondsToWait(error)
    if (seconds === undefined) throw error
    return { reason: 'tries', until: new Date(now + seconds * 1000).toISOString() }
  }
  const expected = await unseal(company.comm_pwd, { company: company.id, purpose: 'comm_pwd' })
  if (!isSame(password, expected)) return wrongPassword
  await forgive()
  if (proven.size >= mostProven) proven.clear()
  proven.set(key, proof)
  return undefined
}

/** Counts refusals; returns whether there were too many to answer. */
export const isRefusedTooOften = async (sn: string, ip: string): Promise<boolean> => {
  try {
    await limit(
      { scope: 'reg', key: sn, times: 10, minutes: 1 },
      { scope: 'reg-ip', key: networkOf(ip), times: 60, minutes: 1 },
    )
    return false
  } catch (error) {
    if (error instanceof Problem) return true
    throw error
  }
}

/**
 * The interval at which the server records repeated refusals. The server always records that a terminal reached the
 * limit.
 */
const notedMilliseconds = 60_000

/**
 * Records a failed proof for this serial number; the answer to the terminal reveals nothing. If firmware without paths
 * sends no proof, the server also records its description, so that a manager can accept it.
 */
export const noteRefusal = async (
  table: Table,
  device: Device,
  { path, ...refusal }: Refusal & Pick<Proof, 'path'>,
  hardware: Hardware,
  now: number,
): Promise<void> => {
  const isNoted = ({ refused }: Device) =>
    refused !== undefined &&
    now - Date.parse(refused.at) < notedMilliseconds &&
    (refusal.reason !== 'tries' || refused.reason === 'tries')
  if (isNoted(device)) return
  const isBare = refusal.reason === 'path' && path.companyNumber === undefined && path.pathSecretHash === undefined
  const bare = device.state === 'claimed' && isBare ? { bare: hardware } : {}
  const refused = { at: new Date(now).toISOString(), ...refusal, ...bare }
  await change(table, deviceKey(device.serialNumber), current =>
    isNoted(current) ? undefined : { ...current, refused },
  )
}
