import { type Company, companyKey } from '../../shared/company.ts'
import { type Connection, connectionKey, type DialogueStep } from '../../shared/connection.ts'
import { type Claim, claimHours, dueTerminalKey, openTerminalKey, serialNumberKey } from '../../shared/device/claim.ts'
import { type Device, deviceKey, isClockWrong } from '../../shared/device.ts'
import {
  acceptRegistration,
  type Fields,
  type Registration,
  readRegistration,
  refuseRegistration,
} from '../../shared/terminal/ai-face.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { profileNamed, profileOf } from '../../shared/terminal/profile.ts'
import { disconnect, polls, push } from '../kit/push.ts'
import { again } from '../kit/table/change.ts'
import { directory, type Item, openTable, save, type Table } from '../kit/table.ts'
import { awaitApproval } from './approval.ts'
import { bindTo } from './claim.ts'
import { isRefusedTooOften, noteRefusal, refusalOf, wrongPath } from './proof.ts'
import { settingsIn } from './settings.ts'
import { chooseReconcileDay, lateOf, questionOf, unanswered } from './talk.ts'
import { askForUsers } from './user.ts'

// A terminal of the websocket family registers: it proves itself, is bound to the company that claimed it, and is led through what it
// has to be asked first.

const second = 1000
const hour = 3600 * second
/** After an outage hundreds come back at once: what they have not delivered comes before what may have been lost. */
const lostMilliseconds = 2 * second

/** Where a message came from, and when. */
export interface Sender {
  id: string
  connection: Item<Connection>
  now: number
}

/** What is sent back; without one a terminal keeps its records. */
export type Answer = Fields | undefined

const differs = (device: Device, { cpusn, mac }: Registration) =>
  device.protocol === 'adms' ||
  (device.cpusn !== undefined && device.cpusn !== cpusn) ||
  (device.mac !== undefined && device.mac !== mac)

/** What a terminal once said of its hardware, after it was bound, it must go on saying; what it never said it may say later. */
const isOtherHardware = (device: Device, registration: Registration) =>
  device.state !== 'claimed' && differs(device, registration)

/** Who is to be let in by the serial number alone is whom somebody has seen. */
const isUnseen = (device: Device, registration: Registration) =>
  device.state === 'claimed' && device.authentication === 'claim' && differs(device, registration)

/** Never says whether the serial number is unknown, another company's, or not proven. */
const refuse = async ({ id, connection: { ip } }: Sender, sn: string, reason?: string): Promise<Answer> => {
  if (await isRefusedTooOften(sn, ip)) {
    await disconnect(id)
    return undefined
  }
  return refuseRegistration(reason)
}

/** By how much its clock is ahead, where it says what that shows. */
const driftOf = ({ localTime }: Registration, zone: string, now: number): number | undefined =>
  localTime === undefined
    ? undefined
    : Math.round((Date.parse(`${localTime}Z`) - Date.parse(`${localTimeAt(zone, now)}Z`)) / second)

/**
 * What a terminal is led through that has registered: what it was not told of its settings, being there for people again, and what it
 * has not delivered; `lostFrom` is from where on a page may have been lost: all since then is asked for when there was time for what is new.
 */
const stepsFor = (
  device: Device,
  settings: Fields,
  { lostFrom, notBefore }: { lostFrom: string | undefined; notBefore: string },
): [DialogueStep, ...DialogueStep[]] =>
  [
    // First of all: a picture larger than the managed websocket takes ends the connection.
    ...(JSON.stringify(settings) === device.settings ? [] : [{ command: 'setdevinfo' as const }]),
    ...(isClockWrong(device.driftSeconds) ? [{ command: 'settime' as const }] : []),
    ...(profileNamed(device.profile).isDisabledForUsers ? [{ command: 'enabledevice' as const }] : []),
    { command: 'getnewlog' as const },
    ...(lostFrom === undefined ? [] : [{ command: 'getalllog' as const, from: lostFrom, notBefore }]),
  ] as [DialogueStep, ...DialogueStep[]]

/** A terminal that has proven itself, and whose it is. */
interface Admitted {
  table: Table
  owner: Item<Claim>
  device: Item<Device>
  company: Company
  registration: Registration
}

/** Whether a terminal is let in; with a reason, where it is to show one. */
const admit = async (
  { connection, now }: Sender,
  registration: Registration,
): Promise<Admitted | { refusal: string | undefined }> => {
  const stranger = { refusal: undefined }
  const { sn, cpusn, mac, model, firmware } = registration
  const owner = await directory().get(serialNumberKey(sn))
  if (!owner) return stranger
  const table = openTable(owner.company)
  const [device, company] = await Promise.all([table.get(deviceKey(sn)), table.get(companyKey())])
  if (!device || !company) return stranger
  const { ip } = connection
  const hardware = { ip, protocol: 'ai-face' as const, cpusn, mac, model, firmware }
  const refusal =
    (await refusalOf(device, company, { path: connection, said: registration, ip }, now)) ??
    (isUnseen(device, registration) ? wrongPath : undefined)
  if (refusal) {
    await noteRefusal(table, device, { ...refusal, path: connection }, hardware, now)
    return stranger
  }
  if (device.state === 'claimed' && now - Date.parse(device.claimedAt) > claimHours * hour) return stranger
  // The terminal it was bound to goes on working, so that a stranger with its serial number cannot silence it.
  if (isOtherHardware(device, registration)) {
    const at = new Date(now).toISOString()
    await awaitApproval(table, sn, { at, ...hardware })
    return { refusal: 'needs approval' }
  }
  return { table, owner, device, company, registration }
}

/** What the terminal is from now on. */
const boundDevice = (
  known: Item<Device>,
  registration: Registration,
  { id, connection, now }: Sender,
  zone: string,
) => {
  const { cpusn, mac, model, firmware, fingerAlgorithm, counts, unsent, hasDevinfo } = registration
  const at = new Date(now).toISOString()
  return {
    ...known,
    ...counts,
    unsent,
    counted: { since: at, upTo: at, unsent: unsent ?? 0 },
    wroteAt: undefined,
    model: model ?? known.model,
    firmware: firmware ?? known.firmware,
    cpusn: known.cpusn ?? cpusn,
    mac: known.mac ?? mac,
    ip: connection.ip,
    protocol: 'ai-face' as const,
    profile: profileOf({ model, firmware, hasDevinfo }),
    fingerAlgorithm: fingerAlgorithm ?? known.fingerAlgorithm,
    driftSeconds: driftOf(registration, zone, now),
    state: known.state === 'claimed' ? ('bound' as const) : known.state,
    firstOnlineAt: known.firstOnlineAt ?? at,
    lastSeenAt: at,
    connection: id,
    isSilent: undefined,
    generation: known.generation + 1,
    reconcileFrom: known.reconcileFrom ?? chooseReconcileDay(known, zone),
  }
}

/**
 * Binds the terminal, and its connection to it, both or neither; whoever goes through the terminals finds it. Undefined where another
 * one was let in meanwhile.
 */
const bind = async (
  sender: Sender,
  { table, owner, company, registration }: Admitted,
  known: Item<Device> | undefined,
) => {
  if (!known || isOtherHardware(known, registration)) return undefined
  const { id, connection, now } = sender
  const zone = known.timezone ?? company.timezone
  const { serialNumber: sn } = known
  const bound = boundDevice(known, registration, sender, zone)
  const lastId = known.connection === polls ? undefined : known.connection
  const last = lastId === undefined ? undefined : await directory().get(connectionKey(lastId))
  const left = lastId === undefined ? {} : unanswered(known, last, zone)
  const lostFrom = left.reconcileFrom ?? known.reconcileFrom
  const device = { ...bound, ...left }
  // The next check sends changes of the company since then.
  const settings = settingsIn(company, device)
  const notBefore = new Date(now + lostMilliseconds).toISOString()
  const [first, ...steps] = stepsFor(device, settings, { lostFrom, notBefore })
  const { message, asked } = await questionOf(table, device, zone, first, now, settings)
  const terminal = {
    ...connection,
    ...(connection.asked && lateOf(connection.asked)),
    kind: 'terminal' as const,
    company: owner.company,
    ...{ sn, zone, profile: device.profile, generation: device.generation },
    ...{ steps, asked: { ...asked, at: device.lastSeenAt } },
    ...(asked.settings !== undefined && { settings: asked.settings }),
    ...(device.refusedDeliveries && { hasRefused: true }),
  }
  await save(
    ...bindTo(table, owner)(known, device),
    // Queued with the approval, before any user is sent.
    ...(known.state === 'claimed' ? [askForUsers(table, sn, { isFirst: true })] : []),
    directory().putAnew(openTerminalKey(sn), { company: owner.company, serialNumber: sn, connection: id, zone }),
    directory().replace(connectionKey(id), terminal),
    // A page requested over the old connection may be lost; from now on none is.
    ...(last && lastId !== undefined && lastId !== id ? [directory().replace(connectionKey(lastId), last)] : []),
    // If no message triggers it, the next minute does.
    ...(lostFrom === undefined
      ? []
      : [directory().putAnew(dueTerminalKey(sn), { company: owner.company, serialNumber: sn, dueAt: notBefore })]),
  )
  return { device, zone, message, isSetUp: asked.settings !== undefined, before: known.connection }
}

/** Whether this connection may be this terminal: a connection belongs to a browser or to one terminal, for ever. */
const isFreeFor = ({ kind, sn }: Connection, wanted: string) => kind === 'new' || (kind === 'terminal' && sn === wanted)

/** Answers `reg` and asks the first question; a pushed answer is not returned. */
export const register = async (sender: Sender, fields: Fields): Promise<Answer> => {
  const { id, connection, now } = sender
  const registration = readRegistration(fields)
  const sn = registration?.sn ?? '?'
  if (!registration || connection.hasOrigin || !isFreeFor(connection, sn)) return refuse(sender, sn)
  const admitted = await admit(sender, registration)
  if ('refusal' in admitted) return refuse(sender, sn, admitted.refusal)
  const { table } = admitted
  const bound = await again(async tries => {
    if (tries === 1) return bind(sender, admitted, admitted.device)
    const current = await directory().get(connectionKey(id))
    if (!current) return 'gone'
    if (!isFreeFor(current, sn)) return undefined
    // The required proof may have changed meanwhile.
    const anew = await admit({ ...sender, connection: current }, registration)
    return 'refusal' in anew ? undefined : bind({ ...sender, connection: current }, anew, anew.device)
  })
  if (bound === 'gone') return undefined
  if (!bound) return refuse(sender, sn)
  const { zone, before } = bound
  if (before !== undefined && before !== id) await disconnect(before)
  // If the company's zone changed meanwhile, that change missed this connection.
  if (!bound.device.timezone && (await table.get(companyKey()))?.timezone !== zone) {
    await disconnect(id)
    return undefined
  }
  // Pushed and not returned, because the first question must follow the answer. The command that stops pictures goes
  // with the answer, because the terminal sends its backlog at once, and a picture may end the connection.
  const isTold = push(id, acceptRegistration(localTimeAt(zone, now)))
  if (!bound.isSetUp) await isTold
  await Promise.all([isTold, push(id, bound.message)])
  return undefined
}
