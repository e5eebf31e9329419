import { type Device, isClockWrong, type Protocol, type Warning } from '../device.ts'

/**
 * The managed websocket ends a connection that is silent for ten minutes, those that come by HTTP ask twice a minute, and being seen is
 * written down about once a minute: who was not seen for longer is offline.
 */
const onlineMinutes = { 'ai-face': 12, adms: 3 } as const satisfies Record<Protocol, number>

export const isOnline = ({ connection, lastSeenAt, protocol = 'ai-face' }: Device, now: number) =>
  connection !== undefined &&
  lastSeenAt !== undefined &&
  now - Date.parse(lastSeenAt) < onlineMinutes[protocol] * 60_000

/** So long it is told that records had been kept back: nobody can do anything about it, and where it does not happen again it is over. */
const recoveredDays = 7

const wasRecovered = ({ recovered }: Device, now: number) =>
  recovered !== undefined && now - Date.parse(recovered.at) < recoveredDays * 86_400_000

/** Who does not tell all its records when it is asked for them so often is asked by the hour, and when it registers. */
export const mostAllAsked = 5

const allAskedMilliseconds = 3_600_000

export const isAllDue = ({ allAsked }: Device, now: number): boolean =>
  allAsked === undefined || allAsked.times < mostAllAsked || !(now - Date.parse(allAsked.at) < allAskedMilliseconds)

/** It was asked for what may be lost, again and again, and did not tell all of it. */
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
]
