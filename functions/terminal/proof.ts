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
  /** The terminal's IP address. */
  ip: string
}

const isSame = (a: string, b: string) => {
  const [hashA, hashB] = [Buffer.from(hashSecret(a)), Buffer.from(hashSecret(b))]
  return timingSafeEqual(hashA, hashB)
}

/**
 * Remembers proofs in this process only, because a keypad password must have no stored hash. A proof holds for the
 * same edition of the terminal, the same company password and the same network. Otherwise a guesser could try any
 * number of passwords, because only wrong ones are counted.
 */
const proven = new Map<string, string>()
const mostProven = 10_000

/** Why a terminal is refused. After too many attempts `until` is set, and no password is compared before then. */
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
 * Why a terminal is refused, if its proof is not the one its company requires. A password is counted before the
 * comparison and uncounted if it is right, so parallel guesses gain nothing. Guesses from elsewhere never lock out a
 * terminal on its own network. A terminal proven in this process is neither counted nor compared again, so its polls
 * cost nothing.
 */
export const refusalOf = async (
  device: Device,
  company: Company,
  { path, said: message, ip }: Proof,
  now: number,
): Promise<Refusal | undefined> => {
  const { authentication, pathSecretHash, serialNumber, edition } = device
  // A terminal that dials another company's address belongs to that company, even if this one has claimed its number.
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

/** How often repeated refusals are recorded; reaching the limit is always recorded. */
const notedMilliseconds = 60_000

/**
 * Records that a device failed to prove itself with this serial number; the answer to it reveals nothing. If it sent
 * no proof at all (firmware without paths), its description is recorded until one is accepted.
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
