import { type Device, isClockWrong, type Protocol, type Warning } from '../device.ts'

/**
 * A terminal is offline after this time. API Gateway closes a silent websocket after ten minutes, and ADMS terminals
 * poll twice a minute. The server saves `lastSeenAt` about once a minute.
 */
const onlineMinutes = { 'ai-face': 12, adms: 3 } as const satisfies Record<Protocol, number>

export const isOnline = ({ connection, lastSeenAt, protocol = 'ai-face' }: Device, now: number) =>
  connection !== undefined &&
  lastSeenAt !== undefined &&
  now - Date.parse(lastSeenAt) < onlineMinutes[protocol] * 60_000

/** The warning about recovered records expires after this time, because it needs no action. */
const recoveredDays = 7

const wasRecovered = ({ recovered }: Device, now: number) =>
  recovered !== undefined && now - Date.parse(recovered.at) < recoveredDays * 86_400_000

/** After this many incomplete answers, the server requests all records once an hour and at registration. */
export const mostAllAsked = 5

const allAskedMilliseconds = 3_600_000

export const isAllDue = ({ allAsked }: Device, now: number): boolean =>
  allAsked === undefined || allAsked.times < mostAllAsked || !(now - Date.parse(allAsked.at) < allAskedMilliseconds)

/** Whether the terminal never returned all records that may be lost. */
export const owesRecords = ({ reconcileFrom, allAsked }: Device) =>
  reconcileFrom !== undefined && allAsked !== undefined && allAsked.times >= mostAllAsked

export const warningsOf = (device: Device, now: number): Warning[] => [
  ...(device.authentication === 'claim' ? (['unproven'] as const) : []),
  ...(isClockWrong(device.driftSeconds) ? (['clock'] as const) : []),
  ...(wasRecovered(device, now) ? (['recovered'] as const) : []),
  ...(owesRecords(device) ? (['owed'] as const) : []),
  ...(device.state !== 'claimed' && device.protocol === 'ai-face' && device.settings === undefined
    ? (['settings'] as const)
    : []),
  ...(device.state === 'needs approval' ? (['otherHardware'] as const) : []),
  ...(device.heldPeople && device.isOwnNumbering === undefined ? (['numbering'] as const) : []),
]
