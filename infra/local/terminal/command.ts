import type { LogEntry, Memory, User } from './memory.ts'

// What the terminal does when the server asks something of it.

export type Fields = { [name: string]: unknown }

const usersPerPage = 40
const entriesPerPage = 50
const reason = { unknown: 1, format: 4, missing: 5 } as const

/** A list that is asked for page by page: `stn` true starts it, false goes on. It stays what it was when it was started. */
type Pages = (start: boolean, list: () => Fields[], size: number) => Fields

const startPages = (): Pages => {
  let list: Fields[] = []
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

/** Gives the terminal hands: a function from a command to the answer, undefined where the protocol has none (`reboot`). */
export function startAnswering(
  memory: Memory,
  onReboot: () => void,
): (command: string, fields: Fields) => Fields | undefined {
  const pages = new Map<string, Pages>()
  const paged = (command: string, fields: Fields, list: () => Fields[], size: number) => {
    const known = pages.get(command) ?? startPages()
    pages.set(command, known)
    return known(fields.stn !== false, list, size)
  }
  const numberIn = (fields: Fields) => (Number.isSafeInteger(Number(fields.enrollid)) ? Number(fields.enrollid) : 0)
  const withUser = (fields: Fields, act: (user: User) => Fields): Fields => {
    const user = memory.users.get(numberIn(fields))
    return user ? act(user) : { result: false, reason: reason.missing }
  }

  const setUser = (fields: Fields): Fields => {
    const enrollid = numberIn(fields)
    if (enrollid < 1) return { result: false, reason: reason.format }
    const known = memory.users.get(enrollid)
    memory.putUser({
      enrollid,
      name: typeof fields.name === 'string' ? fields.name : (known?.name ?? ''),
      admin: Number(fields.admin ?? known?.admin ?? 0),
      enabled: known?.enabled ?? true,
      records:
        fields.record === undefined
          ? { ...known?.records }
          : { ...known?.records, [String(fields.backupnum ?? 0)]: fields.record },
    })
    return { result: true, enrollid }
  }

  const deleteUser = (fields: Fields): Fields => {
    const backupnum = Number(fields.backupnum ?? 13)
    return withUser(fields, user => {
      const left = Object.entries(user.records).filter(([name]) =>
        backupnum === 12 ? Number(name) > 9 : Number(name) !== backupnum,
      )
      if (backupnum === 13) memory.deleteUser(user.enrollid)
      else memory.putUser({ ...user, records: Object.fromEntries(left) })
      return { result: true, enrollid: user.enrollid }
    })
  }

  const allLog = (fields: Fields): Fields[] => {
    const from = dayIn(fields.from) ?? '0000-00-00'
    const to = dayIn(fields.to) ?? '9999-99-99'
    return [...memory.log.values()]
      .filter(({ time }) => time.slice(0, 10) >= from && time.slice(0, 10) <= to)
      .map(onTheWire)
  }

  const answers: { [command: string]: (fields: Fields) => Fields } = {
    // A page that was asked for may be lost on its way, so entries stay unsent until the server acknowledges a `sendlog`.
    getnewlog: fields => paged('getnewlog', fields, () => memory.unacknowledged().map(onTheWire), entriesPerPage),
    getalllog: fields => paged('getalllog', fields, () => allLog(fields), entriesPerPage),
    getuserlist: fields =>
      paged(
        'getuserlist',
        fields,
        () =>
          [...memory.users.values()].flatMap(({ enrollid, admin, records }) =>
            Object.keys(records).map(backupnum => ({ enrollid, admin, backupnum: Number(backupnum) })),
          ),
        usersPerPage,
      ),
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
    enabledevice: () => ({ result: true }),
    disabledevice: () => ({ result: true }),
    checklive: () => ({ result: true }),
  }

  const clear = (what: 'log' | 'users'): Fields => {
    memory.clear(what)
    return { result: true }
  }

  return (command, fields) => {
    if (command === 'reboot') {
      onReboot()
      return undefined
    }
    const answer = Object.hasOwn(answers, command) ? answers[command] : undefined
    return { ret: command, ...(answer ? answer(fields) : { result: false, reason: reason.unknown }) }
  }
}

/** Entries as `sendlog` and `getnewlog` carry them. */
export const onTheWire = ({ enrollid, time, mode, inout, event }: LogEntry): Fields => ({
  enrollid,
  time,
  mode,
  inout,
  event,
})

/** Servers write dates without leading zeros. */
function dayIn(value: unknown): string | undefined {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})/.exec(String(value))
  return parts
    ?.slice(1)
    .map(part => part.padStart(2, '0'))
    .join('-')
}
