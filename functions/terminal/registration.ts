import { type Company, companyKey } from '../../shared/company.ts'
import { type Connection, connectionKey, type DialogueStep } from '../../shared/connection.ts'
import { type Claim, claimHours, dueTerminalKey, openTerminalKey, serialNumberKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { type Device, isClockWrong } from '../../shared/device.ts'
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

// Registers a websocket terminal: checks its proof, binds it to the company that claimed it, and asks the first
// questions.

const second = 1000
const hour = 3600 * second
/** Delays the full read: after an outage hundreds of terminals return at once, and new records come first. */
const lostMilliseconds = 2 * second

/** The connection and time of a message. */
export interface Sender {
  id: string
  connection: Item<Connection>
  now: number
}

/** The reply. A terminal without a reply keeps its records. */
export type Answer = Fields | undefined

const differs = (device: Device, { cpusn, mac }: Registration) =>
  device.protocol === 'adms' ||
  (device.cpusn !== undefined && device.cpusn !== cpusn) ||
  (device.mac !== undefined && device.mac !== mac)

/** Whether a bound terminal contradicts its earlier hardware data. The terminal may add data that it never reported. */
const isOtherHardware = (device: Device, registration: Registration) =>
  device.state !== 'claimed' && differs(device, registration)

/** Whether the hardware differs from the hardware that a manager accepted by serial number alone. */
const isUnseen = (device: Device, registration: Registration) =>
  device.state === 'claimed' && device.authentication === 'claim' && differs(device, registration)

/** Gives one answer for an unknown serial number, another company's serial number and a missing proof. */
const refuse = async ({ id, connection: { ip } }: Sender, sn: string, reason?: string): Promise<Answer> => {
  if (await isRefusedTooOften(sn, ip)) {
    await disconnect(id)
    return undefined
  }
  return refuseRegistration(reason)
}

/** The seconds that the terminal's clock is ahead, if the terminal reports its time. */
const driftOf = ({ localTime }: Registration, zone: string, now: number): number | undefined =>
  localTime === undefined
    ? undefined
    : Math.round((Date.parse(`${localTime}Z`) - Date.parse(`${localTimeAt(zone, now)}Z`)) / second)

/**
 * The steps after a registration: unconfirmed settings, a wrong clock, enabling, and new records. If the terminal may
 * have lost a page since `lostFrom`, a delayed request for all records since then follows.
 */
const stepsFor = (
  device: Device,
  settings: Fields,
  { lostFrom, notBefore }: { lostFrom: string | undefined; notBefore: string },
): [DialogueStep, ...DialogueStep[]] =>
  [
    // Send settings first, because a picture above the websocket's limit ends the connection.
    ...(JSON.stringify(settings) === device.settings ? [] : [{ command: 'setdevinfo' as const }]),
    ...(isClockWrong(device.driftSeconds) ? [{ command: 'settime' as const }] : []),
    ...(profileNamed(device.profile).isDisabledForUsers ? [{ command: 'enabledevice' as const }] : []),
    { command: 'getnewlog' as const },
    ...(lostFrom === undefined ? [] : [{ command: 'getalllog' as const, from: lostFrom, notBefore }]),
  ] as [DialogueStep, ...DialogueStep[]]

/** A terminal that has proven its identity, with its company. */
interface Admitted {
  table: Table
  owner: Item<Claim>
  device: Item<Device>
  company: Company
  registration: Registration
}

/** Checks a registration; a refusal may carry a reason for the terminal to show. */
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
  // The bound terminal keeps working, so that other hardware with its serial number cannot silence it.
  if (isOtherHardware(device, registration)) {
    const at = new Date(now).toISOString()
    await awaitApproval(table, sn, { at, ...hardware })
    return { refusal: 'needs approval' }
  }
  return { table, owner, device, company, registration }
}

const boundDevice = (
  previous: Item<Device>,
  registration: Registration,
  { id, connection, now }: Sender,
  zone: string,
) => {
  const { cpusn, mac, model, firmware, fingerAlgorithm, counts, unsent, hasDevinfo } = registration
  const at = new Date(now).toISOString()
  return {
    ...previous,
    ...counts,
    unsent,
    counted: { since: at, upTo: at, unsent: unsent ?? 0 },
    wroteAt: undefined,
    model: model ?? previous.model,
    firmware: firmware ?? previous.firmware,
    cpusn: previous.cpusn ?? cpusn,
    mac: previous.mac ?? mac,
    ip: connection.ip,
    protocol: 'ai-face' as const,
    profile: profileOf({ model, firmware, hasDevinfo }),
    fingerAlgorithm: fingerAlgorithm ?? previous.fingerAlgorithm,
    driftSeconds: driftOf(registration, zone, now),
    state: previous.state === 'claimed' ? ('bound' as const) : previous.state,
    firstOnlineAt: previous.firstOnlineAt ?? at,
    lastSeenAt: at,
    connection: id,
    isSilent: undefined,
    generation: previous.generation + 1,
    reconcileFrom: previous.reconcileFrom ?? chooseReconcileDay(previous, zone),
  }
}

/**
 * Binds terminal and connection in one save, and adds the terminal to the periodic round. Returns undefined if a
 * manager approved other hardware meanwhile.
 */
const bind = async (
  sender: Sender,
  { table, owner, company, registration }: Admitted,
  previous: Item<Device> | undefined,
) => {
  if (!previous || isOtherHardware(previous, registration)) return undefined
  const { id, connection, now } = sender
  const zone = previous.timezone ?? company.timezone
  const { serialNumber: sn } = previous
  const bound = boundDevice(previous, registration, sender, zone)
  const lastId = previous.connection === polls ? undefined : previous.connection
  const lastConnection = lastId === undefined ? undefined : await directory().get(connectionKey(lastId))
  const left = lastId === undefined ? {} : unanswered(previous, lastConnection, zone)
  const lostFrom = left.reconcileFrom ?? previous.reconcileFrom
  const device = { ...bound, ...left }
  // If the company changes its settings after this read, the next check sends them.
  const settings = settingsIn(company, device)
  const notBefore = new Date(now + lostMilliseconds).toISOString()
  const [first, ...steps] = stepsFor(device, settings, { lostFrom, notBefore })
  const { message, asked: question } = await questionOf(table, device, zone, first, now, settings)
  const terminal = {
    ...connection,
    ...(connection.asked && lateOf(connection.asked)),
    kind: 'terminal' as const,
    company: owner.company,
    ...{ sn, zone, profile: device.profile, generation: device.generation },
    ...{ steps, asked: { ...question, at: device.lastSeenAt } },
    ...(question.settings !== undefined && { settings: question.settings }),
    ...(device.refusedDeliveries && { hasRefused: true }),
  }
  await save(
    ...bindTo(table, owner)(previous, device),
    // Save this request with the binding, before the server sends any user.
    ...(previous.state === 'claimed' ? [askForUsers(table, sn, { isFirst: true })] : []),
    directory().putAnew(openTerminalKey(sn), { company: owner.company, serialNumber: sn, connection: id, zone }),
    directory().replace(connectionKey(id), terminal),
    // Rewrite the old connection: from now on it can request no further page.
    ...(lastConnection && lastId !== undefined && lastId !== id
      ? [directory().replace(connectionKey(lastId), lastConnection)]
      : []),
    // If no message triggers the full read, the poll job starts it within a minute.
    ...(lostFrom === undefined
      ? []
      : [directory().putAnew(dueTerminalKey(sn), { company: owner.company, serialNumber: sn, dueAt: notBefore })]),
  )
  return { device, zone, message, isSetUp: question.settings !== undefined, before: previous.connection }
}

/** Whether this terminal may use the connection: a connection belongs to a browser or to one terminal, for ever. */
const isFreeFor = ({ kind, sn }: Connection, wanted: string) => kind === 'new' || (kind === 'terminal' && sn === wanted)

/** Answers `reg` and asks the first question. Returns undefined if it pushed the answer. */
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
    // The company may have changed the required proof meanwhile.
    const anew = await admit({ ...sender, connection: current }, registration)
    return 'refusal' in anew ? undefined : bind({ ...sender, connection: current }, anew, anew.device)
  })
  if (bound === 'gone') return undefined
  if (!bound) return refuse(sender, sn)
  const { zone, before } = bound
  if (before !== undefined && before !== id) await disconnect(before)
  // If the company changed its zone meanwhile, that change did not reach this connection.
  if (!bound.device.timezone && (await table.get(companyKey()))?.timezone !== zone) {
    await disconnect(id)
    return undefined
  }
  // Push the answer, because the first question must follow it. Send the command that stops pictures together with the
  // answer. The backlog follows immediately, and a picture in the backlog may end the connection.
  const accepting = push(id, acceptRegistration(localTimeAt(zone, now)))
  if (!bound.isSetUp) await accepting
  await Promise.all([accepting, push(id, bound.message)])
  return undefined
}
