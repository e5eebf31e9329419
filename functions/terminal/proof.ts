import { timingSafeEqual } from 'node:crypto'
import type { Company } from '../../shared/company.ts'
import { type Device, deviceKey, type Hardware } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { networkOf } from '../kit/address.ts'
import { hashSecret } from '../kit/id.ts'
import { limit, type Rate, secondsToWait } from '../kit/rate.ts'
import { unseal } from '../kit/secrets.ts'
import { change } from '../kit/table/change.ts'
import type { Table } from '../kit/table.ts'

// What a terminal proves itself with, whatever protocol it speaks.

/** What it brought besides its serial number: in the path it came by, and in what it said. */
export interface Proof {
  path: { companyNumber?: string | undefined; pathSecretHash?: string | undefined }
  said: { companyNumber?: string | undefined; password?: string | undefined }
  /** The address it came from. */
  ip: string
}

const isSame = (one: string, other: string) => {
  const [a, b] = [Buffer.from(hashSecret(one)), Buffer.from(hashSecret(other))]
  return timingSafeEqual(a, b)
}

/**
 * What terminals proved themselves with, in this process alone: of a password that can be typed at a keypad no hash is to lie anywhere.
 * It counts for the same edition of the terminal, the same password of the company, and who comes from the same network: otherwise
 * anybody could try as many passwords as they like, for only the wrong ones are counted.
 */
const proven = new Map<string, string>()
const mostProven = 10_000

/** Why a terminal is not let in; where it tried too often, until when nothing is compared. */
export type Refusal = Omit<NonNullable<Device['refused']>, 'at'>

export const wrongPath: Refusal = { reason: 'path' }
const wrongPassword: Refusal = { reason: 'password' }

/** What a password is counted by before it is compared: the network the terminal came from last by itself, all others together. */
const guessesAt = ({ serialNumber, ip: last }: Device, { id }: Company, network: string): Rate => {
  const key = `${id}#${serialNumber}`
  const isAtHome = last !== undefined && networkOf(last) === network
  return { scope: 'comm_pwd', key: isAtHome ? `${key}#${network}` : key, times: 5, minutes: 15 }
}

/**
 * Why the terminal is refused, where it does not bring what its company asks for besides the claimed serial number. A password is counted
 * before it is compared, and forgiven where it is right: who guesses at many places at once has no more tries. No stranger's guesses keep
 * a terminal out that comes from where it came from. Who has proven itself in this process is not counted and not compared again, so that
 * its polls cost nothing.
 */
export const refusalOf = async (
  device: Device,
  company: Company,
  { path, said, ip }: Proof,
  now: number,
): Promise<Refusal | undefined> => {
  const { authentication, pathSecretHash, serialNumber, edition } = device
  // Who dials another company's address is that company's still, whoever has claimed its number since.
  if (authentication === 'claim')
    return path.companyNumber === undefined || path.companyNumber === company.company_num ? undefined : wrongPath
  if (authentication === 'claim+path')
    return pathSecretHash !== undefined &&
      path.pathSecretHash !== undefined &&
      path.companyNumber === company.company_num &&
      isSame(path.pathSecretHash, pathSecretHash)
      ? undefined
      : wrongPath
  const { companyNumber, password } = said
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

/** Counts who is refused; whether it was too often for an answer. */
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

/** Whoever tries on and on is written down so often, and once more where it has tried too often. */
const notedMilliseconds = 60_000

/**
 * Writes down that something came by this serial number and did not prove itself; the answer to it says nothing of that. What a terminal
 * is that brought nothing, as firmware that takes no path, is written down with it until one is let in.
 */
export const noteRefusal = async (
  table: Table,
  device: Device,
  { path, ...refusal }: Refusal & Pick<Proof, 'path'>,
  hardware: Hardware,
  now: number,
): Promise<void> => {
  const isKnown = ({ refused }: Device) =>
    refused !== undefined &&
    now - Date.parse(refused.at) < notedMilliseconds &&
    (refusal.reason !== 'tries' || refused.reason === 'tries')
  if (isKnown(device)) return
  const isBare = refusal.reason === 'path' && path.companyNumber === undefined && path.pathSecretHash === undefined
  const bare = device.state === 'claimed' && isBare ? { bare: hardware } : {}
  const refused = { at: new Date(now).toISOString(), ...refusal, ...bare }
  await change(table, deviceKey(device.serialNumber), known => (isKnown(known) ? undefined : { ...known, refused }))
}
