import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { countRefused } from '../../../shared/refused-delivery.ts'
import { heldBefore, notKept } from '../../../shared/terminal/command-kind.ts'
import type { PathOutput } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import type { RowOf } from '../../read.ts'

// Texts for terminals, their commands and the results.

export type Device = RowOf<'device/grid'>
/** A terminal in the output of `device/get`. */
export type OneDevice = PathOutput<'device/get'>
export type Command = RowOf<'device/command/grid'>
export type Warning = Device['warnings'][number]

/** The address parameters of a terminal's page. */
export const addressParts = ['sn', 'tab', 'people', 'kind'] as const

export function DeviceState({ device }: { device: Pick<Device, 'state' | 'online'> }) {
  const { t } = useTranslation('device')
  const { state, online } = device
  if (state === 'needs approval') return <span className="tag danger">{t('state.needs approval')}</span>
  if (state === 'claimed') return <span className="tag warn">{t('state.claimed')}</span>
  return (
    <span className={online ? 'tag ok' : 'tag'}>
      <span className="dot" /> {t(online ? 'state.online' : 'state.offline')}
    </span>
  )
}

/** Describes the drift of a clock in the largest suitable unit. */
export const useDrift = () => {
  const { t } = useTranslation('device')
  const formats = useFormats()
  return useCallback(
    (seconds: number) => {
      if (seconds === 0) return t('drift.none')
      const size = Math.abs(seconds)
      const [count, unit] =
        size < 120
          ? [size, 'seconds' as const]
          : size < 7200
            ? [Math.round(size / 60), 'minutes' as const]
            : size < 172_800
              ? [Math.round(size / 3600), 'hours' as const]
              : [Math.round(size / 86_400), 'days' as const]
      const amount = t(`drift.${unit}`, { count, number: formats.number(count) })
      return t(seconds > 0 ? 'drift.ahead' : 'drift.behind', { amount })
    },
    [t, formats],
  )
}

export const useWarning = () => {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const driftOf = useDrift()
  return useCallback(
    (warning: Warning, { driftSeconds = 0, recovered }: Pick<Device, 'driftSeconds' | 'recovered'>) =>
      t(`warning.${warning}`, {
        drift: driftOf(driftSeconds),
        count: recovered?.count ?? 0,
        at: recovered ? formats.dayAndTime(recovered.at) : '',
      }),
    [t, formats, driftOf],
  )
}

/** Describes a refused connection with the terminal's serial number. Empty if the terminal has connected since. */
export const useRefusal = () => {
  const { t } = useTranslation('device')
  const formats = useFormats()
  return useCallback(
    ({ serialNumber, refused, lastSeenAt = '' }: Pick<OneDevice, 'serialNumber' | 'refused' | 'lastSeenAt'>) =>
      refused && refused.at > lastSeenAt
        ? t(`refusal.${refused.bare ? 'bare' : refused.reason}`, {
            at: formats.dayAndTime(refused.at),
            until: refused.until ? formats.dayAndTime(refused.until) : '',
            ip: refused.bare?.ip,
            what: [refused.bare?.model, refused.bare?.firmware].filter(Boolean).join(', ') || serialNumber,
          })
        : undefined,
    [t, formats],
  )
}

const firstFace = 20
const firstPalm = 30
const facePicture = 50
const fixedParts = { 10: 'password', 11: 'card', 12: 'fingers', 13: 'everything' } as const

/** Names a credential by its number in the protocol: a finger, a card, a face. */
export const usePart = () => {
  const { t } = useTranslation('device')
  return useCallback(
    (part: number | string) => {
      const number = Number(part)
      if (part === 'name' || Number.isNaN(number)) return t('part.name')
      if (number < 10) return t('part.finger', { number: number + 1 })
      if (number in fixedParts) return t(`part.${fixedParts[number as 10]}`)
      if (number === facePicture || (number >= firstFace && number < firstPalm)) return t('part.face')
      return t('part.palm')
    },
    [t],
  )
}

const commandNames = [
  'adduser',
  'checkregstatus',
  'deleteuser',
  'enableuser',
  'getalllog',
  'getnewlog',
  'getuserinfo',
  'getuserlist',
  'initsys',
  'opendoor',
  'reboot',
  'setdevinfo',
  'settime',
  'setuserinfo',
  'setusername',
] as const

/** Names a command. */
export const useCommandName = () => {
  const { t } = useTranslation('device')
  const partOf = usePart()
  return useCallback(
    ({ cmd, backupnum, door }: Pick<Command, 'cmd' | 'backupnum' | 'door'>) => {
      const name = commandNames.find(known => known === cmd)
      if (name === 'opendoor' && door !== undefined) return t('command.openDoorOf', { door })
      return name ? t(`command.${name}`, { part: partOf(backupnum ?? 'name') }) : t('command.other')
    },
    [t, partOf],
  )
}

const tones = {
  queued: 'tag warn',
  sent: 'tag info',
  done: 'tag ok',
  failed: 'tag danger',
  expired: 'tag',
  cancelled: 'tag',
}

export function CommandState({ command: { state } }: { command: Pick<Command, 'state'> }) {
  const { t } = useTranslation('device')
  return <span className={tones[state]}>{t(`commandState.${state}`)}</span>
}

/** The reason codes of AI Face terminals. The last code means that the item does not exist. */
const codes = ['1', '2', '3', '4', '5'] as const
/** The return codes of ADMS terminals for an enrolment, and for all other commands. */
const enrolCodes = ['2', '4', '5', '6', '7'] as const
const pushCodes = [
  '-2',
  '-3',
  '-9',
  '-10',
  '-11',
  '-12',
  '-30',
  '-1001',
  '-1003',
  '-1005',
  '-1006',
  '-1007',
  '-1008',
] as const

/** Each protocol has its own reason codes. */
const useReason = ({ protocol }: Pick<Device, 'protocol'>) => {
  const { t } = useTranslation('device')
  return useCallback(
    (cmd: string, reason: string | undefined): string | undefined => {
      if (protocol !== 'adms') {
        const code = codes.find(candidate => candidate === reason)
        return code ? t(`result.code.${code}`) : reason
      }
      const enrolled = cmd === 'adduser' ? enrolCodes.find(candidate => candidate === reason) : undefined
      if (enrolled) return t(`result.enrolCode.${enrolled}`)
      const pushed = pushCodes.find(candidate => candidate === reason)
      return pushed ? t(`result.pushCode.${pushed}`) : reason
    },
    [t, protocol],
  )
}

/** Describes the result of a command, or the reason why it waits. Empty if its state says everything. */
export const useResult = ({
  online,
  protocol,
  refusedDeliveries,
}: Pick<Device, 'online' | 'protocol' | 'refusedDeliveries'>) => {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const reasonOf = useReason({ protocol })
  return useCallback(
    ({ cmd, state, result, reason, deadline }: Pick<Command, 'cmd' | 'state' | 'result' | 'reason' | 'deadline'>) => {
      if (state === 'queued' && !online && deadline) {
        const isToday = dayIn(formats.timezone, new Date(deadline)) === formats.today()
        const at = isToday ? formats.timeWithSeconds(deadline) : formats.dayAndTime(deadline)
        return t('waiting.awayUntil', { at })
      }
      if (state === 'queued' && !online) return t('waiting.away')
      if (state === 'queued' && cmd === 'initsys')
        return refusedDeliveries > 0 ? t('waiting.refused', { count: refusedDeliveries }) : t('waiting.reset')
      if (state === 'queued' || state === 'sent') return t(`waiting.${state}`)
      if (!result || result === 'ok' || result === 'cancelled') return ''
      const refused = result === 'unmet' ? countRefused(reason) : undefined
      if (refused !== undefined) return t('result.refusedDeliveries', { count: refused })
      if (result === 'unmet' && cmd === 'initsys' && reason !== undefined)
        return t('result.unsent', { count: Number(reason) })
      if (result === 'refused' && reason === '5' && cmd === 'getuserinfo') return t('result.none')
      if (reason === heldBefore) return t('result.heldBefore')
      if (reason === notKept) return t('result.notKept')
      return t(result === 'refused' && reason ? 'result.refusedWith' : `result.${result}`, {
        reason: reasonOf(cmd, reason),
      })
    },
    [t, formats, online, refusedDeliveries, reasonOf],
  )
}

export const isOver = ({ state }: Pick<Command, 'state'>) => state !== 'queued' && state !== 'sent'

/** Formats a time with seconds, because the order of events within a minute matters. */
export const useMoment = () => {
  const formats = useFormats()
  return useCallback(
    (at: string, zone: string = formats.timezone) =>
      `${formats.day(dayIn(zone, new Date(at)))} ${formats.timeWithSeconds(at, zone)}`,
    [formats],
  )
}

/** Queues a command and follows its state. */
export type AskDevice = (action: () => Promise<{ command: string }>) => Promise<void>
