import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { enrolMilliseconds, templateOf } from './command.ts'
import type { LogEntry, Memory, User } from './memory.ts'

// A terminal of the PUSH protocol (ADMS): its text lines about itself, its users and its log, and the server's orders.
// `tests/given/terminal/adms/conversation.json` holds a conversation, and a test compares the simulation with it.

const make = {
  model: 'K40 Pro',
  firmware: 'Ver 8.0.4.3-20180516',
  pushVersion: '2.4.1',
  fingerAlgorithm: 10,
  faceAlgorithm: 7,
}
const returned = { ok: 0, unknown: -1, missing: -1003, format: -1002 } as const

/** Verification codes by the modes of the simulator: finger, card, face. */
const verified: { [mode: number]: number } = { 1: 1, 2: 2, 3: 15 }

/** One line of the table ATTLOG. */
export const attendanceLine = ({ enrollid, time, inout, mode }: LogEntry): string =>
  [enrollid, time, inout, verified[mode] ?? mode, 0, 0].join('\t')

const superAdministrator = 14
const slots = { password: '10', card: '11' } as const

/** A user as a line of the table OPERLOG. */
const userLine = ({ enrollid, name, admin, records }: User): string => {
  const { [slots.card]: card, [slots.password]: password } = records
  return [
    `USER PIN=${enrollid}`,
    `Name=${name}`,
    `Pri=${admin ? superAdministrator : 0}`,
    `Passwd=${password ?? ''}`,
    `Card=${card ? `[${card}]` : ''}`,
    'Grp=1',
    'TZ=0000000100000000',
    'Verify=0',
  ].join('\t')
}

const isFinger = (slot: string) => Number(slot) <= 9

const fingerLine = (enrollid: number, slot: string, record: unknown): string =>
  [
    `BIODATA Pin=${enrollid}`,
    `No=${slot}`,
    'Index=0',
    'Valid=1',
    'Duress=0',
    'Type=1',
    `MajorVer=${make.fingerAlgorithm}`,
    'MinorVer=0',
    'Format=0',
    `Tmp=${record}`,
  ].join('\t')

const countsOf = ({ users, log }: Memory) => ({
  users: users.size,
  fingers: [...users.values()].flatMap(({ records }) => Object.keys(records).filter(isFinger)).length,
  entries: log.size,
})

/**
 * The `options` text that describes the terminal. The serial number determines the MAC address, so it never changes.
 */
export const describeSelf = (sn: string, memory: Memory): string => {
  const chip = createHash('sha256').update(sn).digest('hex')
  const { users, fingers, entries } = countsOf(memory)
  return [
    `~DeviceName=${make.model}`,
    `MAC=${['02', ...(chip.slice(16, 26).match(/../g) ?? [])].join(':')}`,
    `TransactionCount=${entries}`,
    '~MaxAttLogCount=10',
    `UserCount=${users}`,
    '~MaxUserCount=30',
    'PhotoFunOn=0',
    '~MaxFingerCount=30',
    `FPCount=${fingers}`,
    'FaceCount=0',
    `FPVersion=${make.fingerAlgorithm}`,
    `FaceVersion=${make.faceAlgorithm}`,
    `FWVersion=${make.firmware}`,
    `PushVersion=Ver ${make.pushVersion}`,
  ].join(',')
}

/** The `INFO` parameter that the terminal sends with each poll. */
export const tellInfo = (memory: Memory): string => {
  const { users, fingers, entries } = countsOf(memory)
  const { firmware, fingerAlgorithm, faceAlgorithm } = make
  return [firmware, users, fingers, entries, '192.168.1.201', fingerAlgorithm, faceAlgorithm, 12, 0, 110].join(',')
}

export const beginning = { options: 'all', language: '69', pushver: make.pushVersion, PushOptionsFlag: '1' }

/** The settings in the response to the terminal's first request. */
export interface Told {
  /** The last log index that the server has. 0 requests all entries. */
  stamp: number
  delaySeconds: number
  zoneMinutes: number
}

/**
 * The server sends zones of whole hours in hours, and all other zones in minutes. A number up to this limit means
 * hours.
 */
const mostHours = 14

/** Reads the response to the terminal's first request. Throws for any other text. */
export const readTold = (text: string): Told => {
  const [first = '', ...lines] = text.split(/\r?\n/)
  if (!first.startsWith('GET OPTION FROM:'))
    throw new Error('The response of the server does not follow the ADMS protocol.')
  const options = new Map(lines.map(line => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]))
  const number = (name: string) => Number.parseInt(options.get(name) ?? '', 10) || 0
  const zone = number('TimeZone')
  return {
    stamp: number('ATTLOGStamp'),
    delaySeconds: Math.max(1, number('Delay')),
    zoneMinutes: Math.abs(zone) <= mostHours ? zone * 60 : zone,
  }
}

/** An order of the server. The result repeats the order's number. */
export interface Order {
  number: string
  words: string
}

export const readOrders = (text: string): Order[] =>
  text.split(/\r?\n/).flatMap(line => {
    const [, number, words] = /^C:([^:]+):(.*)$/.exec(line) ?? []
    return number === undefined || words === undefined ? [] : [{ number, words }]
  })

export const answerLine = ({ number, words }: Order, code: number): string =>
  `ID=${number}&Return=${code}&CMD=${words.split(' ')[0]}`

export type PeopleTable = 'OPERLOG' | 'BIODATA'

export interface Surroundings {
  /** Uploads these lines before the result, even after a broken connection. */
  tell(table: PeopleTable, lines: string[]): void
  /** Delivers all these entries again, even entries that the server has acknowledged. */
  deliver(entries: LogEntry[]): void
  /** Aborts the wait for a person who enrols. */
  signal: AbortSignal
}

/** The terminal's step after the result: begin again, deliver new entries, or restart as after power-on. */
export type Afterwards = 'begin' | 'deliver' | 'restart'

export interface Done {
  code: number
  afterwards?: Afterwards
}

/** Executes one order. */
export async function obey(words: string, memory: Memory, { tell, deliver, signal }: Surroundings): Promise<Done> {
  const [, verb = '', rest = ''] = /^((?:DATA \w+ \w+|[A-Z_]+(?: (?:DATA|LOG|OPTION))?))\s*(.*)$/s.exec(words) ?? []
  const fields = new Map(rest.split('\t').map(pair => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]))
  const pin = Number(fields.get('PIN'))
  const isNumbered = Number.isSafeInteger(pin) && pin > 0
  const user = memory.users.get(pin)
  const put = (change: Partial<User>) =>
    memory.putUser({ ...(user ?? { enrollid: pin, name: '', admin: 0, enabled: true, records: {} }), ...change })
  const holding = (slot: string, record: string | undefined) => {
    const { [slot]: _, ...others } = user?.records ?? {}
    return record ? { ...others, [slot]: record } : others
  }

  const deeds: { [verb: string]: () => Done | Promise<Done> } = {
    'DATA UPDATE USERINFO': () => {
      if (!isNumbered) return { code: returned.format }
      const [name, admin] = [fields.get('Name'), fields.get('Pri')]
      let records = user?.records ?? {}
      for (const [field, slot] of [
        ['Passwd', slots.password],
        ['Card', slots.card],
      ] as const) {
        const value = fields.get(field)
        const { [slot]: _, ...others } = records
        if (value !== undefined) records = value ? { ...others, [slot]: value } : others
      }
      put({
        ...(name !== undefined && { name }),
        ...(admin !== undefined && { admin: Number(admin) ? 1 : 0 }),
        records,
      })
      return { code: returned.ok }
    },
    'DATA DELETE USERINFO': () => {
      if (user) memory.deleteUser(pin)
      return { code: returned.ok }
    },
    'DATA UPDATE FINGERTMP': () => {
      const [slot, template] = [fields.get('FID') ?? '', fields.get('TMP')]
      if (!isNumbered || !isFinger(slot) || template?.length !== Number(fields.get('Size')))
        return { code: returned.format }
      put({ records: holding(slot, template) })
      return { code: returned.ok }
    },
    'DATA DELETE FINGERTMP': () => {
      if (user) put({ records: holding(fields.get('FID') ?? '', undefined) })
      return { code: returned.ok }
    },
    'DATA QUERY ATTLOG': () => {
      const [from = '', to = '9'] = [fields.get('StartTime'), fields.get('EndTime')]
      const entries = [...memory.log.values()].filter(({ time }) => time >= from && time <= to)
      deliver(entries)
      return { code: entries.length }
    },
    'DATA QUERY USERINFO': () => {
      if (!user) return { code: returned.missing }
      tell('OPERLOG', [userLine(user)])
      const fingers = Object.entries(user.records).filter(([slot]) => isFinger(slot))
      if (fingers.length > 0)
        tell(
          'BIODATA',
          fingers.map(([slot, record]) => fingerLine(pin, slot, record)),
        )
      return { code: 1 }
    },
    // Simulates an enrolment.
    ENROLL_FP: async () => {
      const slot = fields.get('FID') ?? ''
      if (!isNumbered || !isFinger(slot)) return { code: returned.format }
      await wait(enrolMilliseconds, undefined, { signal, ref: false })
      const record = templateOf(pin, Number(slot))
      put({ records: holding(slot, record) })
      tell('OPERLOG', [`OPLOG 6\t0\t${memory.time()}\t${pin}\t${slot}\t0\t0`])
      tell('BIODATA', [fingerLine(pin, slot, record)])
      return { code: returned.ok }
    },
    CHECK: () => ({ code: returned.ok, afterwards: 'begin' }),
    LOG: () => ({ code: returned.ok, afterwards: 'deliver' }),
    AC_UNLOCK: () => ({ code: returned.ok }),
    REBOOT: () => ({ code: returned.ok, afterwards: 'restart' }),
    'SET OPTION': () => {
      memory.changeSettings(Object.fromEntries(fields))
      return { code: returned.ok }
    },
    'CLEAR LOG': () => {
      memory.clear('log')
      return { code: returned.ok }
    },
    'CLEAR DATA': () => {
      memory.clear('log')
      memory.clear('users')
      return { code: returned.ok, afterwards: 'begin' }
    },
  }
  return Object.hasOwn(deeds, verb) ? ((await deeds[verb]?.()) ?? { code: 0 }) : { code: returned.unknown }
}
