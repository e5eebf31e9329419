import { createHash } from 'node:crypto'
import type { LogEntry, Memory, User } from './memory.ts'
import { type Profile, profiles } from './profile.ts'

// The commands of the server and their replies.

export type Fields = { [name: string]: unknown }

const usersPerPage = 40
const entriesPerPage = 50
const reason = { unknown: 1, failed: 3, format: 4, missing: 5 } as const
/** The simulated person needs this long to present a finger or face for enrolment. */
export const enrolMilliseconds = 1_500

/**
 * A list in pages. With `stn` true the list starts; with false it continues. The terminal fixes the list at its start.
 */
type Pages<T> = (
  start: boolean,
  list: () => T[],
  size: number,
) => { result: true; count: number; from: number; to: number; record: T[] }

const startPages = <T>(): Pages<T> => {
  let list: T[] = []
  let position = 0
  return (start, read, size) => {
    if (start) {
      list = read()
      position = 0
    }
    const record = list.slice(position, position + size)
    if (record.length === 0) return { result: true, count: 0, from: 0, to: 0, record }
    const from = position
    position += record.length
    return { result: true, count: list.length, from, to: position - 1, record }
  }
}

export interface Hands {
  /** The reply; undefined if the protocol has no reply to the command (`reboot`). */
  answer(command: string, fields: Fields): Fields | undefined
  /** Cancels a running enrolment. */
  drop(): void
}

/** Answers commands. Calls `onEnrolled` after a finished enrolment. */
export function startAnswering(
  memory: Memory,
  onReboot: () => void,
  { profile = profiles.new, onEnrolled = () => {} }: { profile?: Profile; onEnrolled?: (user: Fields) => void } = {},
): Hands {
  let isDisabled = false
  let enrolling: { timer: NodeJS.Timeout; isDone: boolean } | undefined
  const [newPages, allPages, userPages] = [startPages<LogEntry>(), startPages<LogEntry>(), startPages<Fields>()]
  const isFirst = ({ stn }: Fields) => stn !== false
  const numberIn = (fields: Fields) => (Number.isSafeInteger(Number(fields.enrollid)) ? Number(fields.enrollid) : 0)
  const withUser = (fields: Fields, act: (user: User) => Fields): Fields => {
    const user = memory.users.get(numberIn(fields))
    return user ? act(user) : { result: false, reason: reason.missing }
  }

  const setUser = (fields: Fields): Fields => {
    const enrollid = numberIn(fields)
    if (profile.wantsDisabling && !isDisabled) return { result: false, reason: reason.failed }
    if (enrollid < 1) return { result: false, reason: reason.format }
    const existing = memory.users.get(enrollid)
    memory.putUser({
      enrollid,
      name: typeof fields.name === 'string' ? fields.name : (existing?.name ?? ''),
      admin: Number(fields.admin ?? existing?.admin ?? 0),
      enabled: existing?.enabled ?? true,
      records:
        fields.record === undefined
          ? { ...existing?.records }
          : { ...existing?.records, [String(fields.backupnum ?? 0)]: fields.record },
    })
    return { result: true, enrollid }
  }

  const deleteUser = (fields: Fields): Fields => {
    const backupnum = Number(fields.backupnum ?? 13)
    return withUser(fields, user => {
      const remaining = Object.entries(user.records).filter(([name]) =>
        backupnum === 12 ? Number(name) > 9 : Number(name) !== backupnum,
      )
      if (backupnum === 13) memory.deleteUser(user.enrollid)
      else memory.putUser({ ...user, records: Object.fromEntries(remaining) })
      return { result: true, enrollid: user.enrollid }
    })
  }

  /** Simulates an enrolment: after a delay the terminal holds the template. */
  const enrol = (fields: Fields): Fields => {
    const enrollid = numberIn(fields)
    const backupnum = Number(fields.backupnum ?? 0)
    if (!profile.canEnrol) return { result: false, reason: reason.unknown }
    if (enrollid < 1) return { result: false, reason: reason.format }
    clearTimeout(enrolling?.timer)
    const timer = setTimeout(() => {
      enrolling = { timer, isDone: true }
      const existing = memory.users.get(enrollid)
      const { name, admin } = { name: existing?.name ?? '', admin: Number(fields.admin ?? existing?.admin ?? 0) }
      const record = templateOf(enrollid, backupnum)
      const records = { ...existing?.records, [String(backupnum)]: record }
      memory.putUser({ enrollid, name, admin, enabled: existing?.enabled ?? true, records })
      onEnrolled({ enrollid, name, backupnum, admin, record })
    }, enrolMilliseconds)
    timer.unref()
    enrolling = { timer, isDone: false }
    return { result: true, enrollid, backupnum }
  }

  const allLog = (fields: Fields): Fields => {
    const from = dayIn(fields.from) ?? '0000-00-00'
    const to = dayIn(fields.to) ?? '9999-99-99'
    const isWanted = ({ time }: LogEntry) => time.slice(0, 10) >= from && time.slice(0, 10) <= to
    const page = allPages(isFirst(fields), () => [...memory.log.values()].filter(isWanted), entriesPerPage)
    return { ...page, record: page.record.map(entry => onTheWire(entry, memory, profile)) }
  }
  const newLog = (fields: Fields): Fields => {
    const page = newPages(isFirst(fields), () => memory.unacknowledged(), entriesPerPage)
    // The network may lose a page. Some firmware ignores the loss. Other firmware keeps the entries until the server
    // acknowledges them in a `sendlog`.
    if (profile.forgetsPages) memory.acknowledge(page.record)
    return { ...page, record: page.record.map(entry => onTheWire(entry, memory, profile)) }
  }
  const userList = (fields: Fields): Fields =>
    userPages(
      isFirst(fields),
      () =>
        [...memory.users.values()].flatMap(({ enrollid, admin, records }) =>
          Object.keys(records).map(backupnum => ({ enrollid, admin, backupnum: Number(backupnum) })),
        ),
      usersPerPage,
    )

  const answers: { [command: string]: (fields: Fields) => Fields } = {
    getnewlog: newLog,
    getalllog: allLog,
    getuserlist: userList,
    getuserinfo: fields =>
      withUser(fields, ({ enrollid, name, admin, records }) => {
        const backupnum = Number(fields.backupnum ?? 0)
        const record = records[String(backupnum)]
        return record === undefined
          ? { result: false, reason: reason.missing }
          : { result: true, enrollid, name, backupnum, admin, record }
      }),
    setuserinfo: setUser,
    deleteuser: deleteUser,
    getusername: fields => withUser(fields, ({ enrollid, name }) => ({ result: true, enrollid, record: name })),
    setusername: fields => {
      for (const row of Array.isArray(fields.record) ? fields.record : [])
        setUser({ enrollid: row?.enrollid, name: row?.name })
      return { result: true }
    },
    enableuser: fields =>
      withUser(fields, user => {
        memory.putUser({ ...user, enabled: Number(fields.enflag ?? fields.enable ?? 1) !== 0 })
        return { result: true, enrollid: user.enrollid }
      }),
    cleanuser: () => clear('users'),
    cleanlog: () => clear('log'),
    cleanadmin: () => {
      for (const user of memory.users.values()) if (user.admin) memory.putUser({ ...user, admin: 0 })
      return { result: true }
    },
    initsys: () => {
      clear('log')
      return clear('users')
    },
    settime: fields => {
      memory.setTime(String(fields.cloudtime ?? fields.time))
      return { result: true }
    },
    gettime: () => ({ result: true, time: memory.time() }),
    getdevinfo: () => ({ result: true, ...memory.settings }),
    setdevinfo: ({ cmd, devinfo, ...settings }) => {
      memory.changeSettings({ ...settings, ...(typeof devinfo === 'object' ? devinfo : {}) })
      return { result: true }
    },
    opendoor: () => ({ result: true }),
    enabledevice: () => {
      isDisabled = false
      return { result: true }
    },
    disabledevice: () => {
      isDisabled = true
      return { result: true }
    },
    adduser: enrol,
    checkregstatus: () => ({
      result: enrolling?.isDone === true,
      ...(!enrolling?.isDone && { reason: reason.missing }),
    }),
    canceladduser: () => {
      clearTimeout(enrolling?.timer)
      enrolling = undefined
      return { result: true }
    },
    checklive: () => ({ result: true }),
  }

  const clear = (part: 'log' | 'users'): Fields => {
    memory.clear(part)
    return { result: true }
  }

  return {
    answer(command, fields) {
      if (command === 'reboot') {
        onReboot()
        return undefined
      }
      const answer = Object.hasOwn(answers, command) ? answers[command] : undefined
      return {
        [profile.answersWith]: command,
        ...(answer ? answer(fields) : { result: false, reason: reason.unknown }),
      }
    },
    drop: () => clearTimeout(enrolling?.timer),
  }
}

/** A simulated template. The same person and finger give the same text. */
export const templateOf = (enrollid: number, backupnum: number): string => {
  const part = createHash('sha256').update(`${enrollid} ${backupnum}`).digest('hex')
  // A card is a number.
  if (backupnum === 11) return String(1 + Number.parseInt(part.slice(0, 7), 16))
  // A face exceeds the frame limit of the managed websocket.
  return part.repeat(backupnum === 50 ? 900 : 12)
}

/** An entry in the format of `sendlog` and `getnewlog`. */
export function onTheWire(entry: LogEntry, memory: Memory, profile: Profile): Fields {
  const { enrollid, time, inout, event } = entry
  const mode = profile.modes[entry.mode] ?? entry.mode
  const name = { ...(profile.saysName && { name: memory.users.get(enrollid)?.name ?? '' }) }
  if (!profile.isTextual) return { enrollid, ...name, time, mode, inout, event }
  const [texts, shown] = [
    { mode: `${mode}`, inout: `${inout}`, event: `${event}` },
    time.replaceAll(/\b0(?=\d[- :])/g, ''),
  ]
  return { enrollid: `${enrollid}`, ...name, time: shown, ...texts }
}

/** Servers write dates without leading zeros. */
function dayIn(value: unknown): string | undefined {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})/.exec(String(value))
  return parts
    ?.slice(1)
    .map(part => part.padStart(2, '0'))
    .join('-')
}
