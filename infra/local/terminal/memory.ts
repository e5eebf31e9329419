import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './process.ts'

// The persistent memory of a terminal: its log, acknowledged entries, users, settings and clock offset. The file is a
// journal with one line per event. Each start reads and compacts it.

export interface LogEntry {
  index: number
  enrollid: number
  /** `YYYY-MM-DD HH:mm:ss` on the terminal's clock. */
  time: string
  mode: number
  inout: number
  event: number
}

export interface User {
  enrollid: number
  name: string
  admin: number
  enabled: boolean
  /** The credentials by `backupnum`: fingerprints 0–9, password 10, card 11, faces 20–27 and 50, … */
  records: { [backupnum: string]: unknown }
}

/** One line of the journal. */
type Line =
  | { log: LogEntry; acknowledged?: true }
  | { acknowledged: number[] }
  | { user: User }
  | { deletedUser: number }
  | { settings: Record<string, unknown> }
  | { clockOffset: number }
  | { cleared: 'log' | 'users' }
  /** Keeps the next entry number, so that a new entry never reuses a cleared number. */
  | { nextIndex: number }

export interface Memory {
  /** The log, oldest entry first. */
  readonly log: ReadonlyMap<number, LogEntry>
  readonly users: ReadonlyMap<number, User>
  readonly settings: Readonly<Record<string, unknown>>
  /** Whether a server has ever set the clock. */
  readonly isClockSet: boolean
  unacknowledged(): LogEntry[]
  /** The number of unacknowledged entries. */
  readonly waiting: number
  /** The terminal's clock, `YYYY-MM-DD HH:mm:ss`. */
  time(): string
  setTime(time: string): void
  /** Adds entries, and stores them on disk before it returns. */
  record(entries: Omit<LogEntry, 'index'>[]): LogEntry[]
  acknowledge(entries: LogEntry[]): void
  putUser(user: User): void
  deleteUser(enrollid: number): void
  changeSettings(settings: Record<string, unknown>): void
  clear(part: 'log' | 'users'): void
  close(): void
}

/** Opens the memory of one terminal, `<folder>/<sn>.jsonl`. Throws one sentence if another process uses it. */
export function openMemory(
  folder: string,
  sn: string,
  /** `skewSeconds` is a permanent error of the clock. `behindSeconds` delays the clock until the server sets it. */
  { skewSeconds = 0, behindSeconds = 0 }: { skewSeconds?: number; behindSeconds?: number } = {},
): Memory {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${sn}.jsonl`)
  const lock = takeLock(join(folder, `${sn}.lock`), sn)

  const log = new Map<number, LogEntry>()
  const waiting = new Set<number>()
  const users = new Map<number, User>()
  let settings: Record<string, unknown> = {}
  let clockOffset: number | undefined
  let nextIndex = 1

  const apply = (line: Line) => {
    if ('log' in line) {
      log.set(line.log.index, line.log)
      if (!line.acknowledged) waiting.add(line.log.index)
      nextIndex = Math.max(nextIndex, line.log.index + 1)
    } else if ('acknowledged' in line) for (const index of line.acknowledged) waiting.delete(index)
    else if ('user' in line) users.set(line.user.enrollid, line.user)
    else if ('deletedUser' in line) users.delete(line.deletedUser)
    else if ('settings' in line) settings = { ...settings, ...line.settings }
    else if ('clockOffset' in line) clockOffset = line.clockOffset
    else if ('nextIndex' in line) nextIndex = line.nextIndex
    else if (line.cleared === 'users') users.clear()
    else {
      log.clear()
      waiting.clear()
    }
  }

  for (const text of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    try {
      if (text) apply(JSON.parse(text))
    } catch {
      // A power cut truncated the last line. The terminal never reported that entry as stored.
    }
  }
  const compacted: Line[] = [
    ...(clockOffset === undefined ? [] : [{ clockOffset }]),
    { settings },
    { nextIndex },
    ...[...users.values()].map(user => ({ user })),
    ...[...log.values()].map(entry =>
      waiting.has(entry.index) ? { log: entry } : { log: entry, acknowledged: true as const },
    ),
  ]
  writeFileSync(`${path}.new`, compacted.map(line => `${JSON.stringify(line)}\n`).join(''))
  renameSync(`${path}.new`, path)
  const file = openSync(path, 'a')
  let isClosed = false

  const write = (...lines: Line[]) => {
    if (isClosed) return
    writeSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    fdatasyncSync(file)
    for (const line of lines) apply(line)
  }
  /** Until a server sets the clock, the clock shows this machine's time. */
  const offset = () => clockOffset ?? -new Date().getTimezoneOffset() * 60_000
  if (behindSeconds) clockOffset = offset() - behindSeconds * 1000

  return {
    log,
    users,
    get settings() {
      return settings
    },
    get isClockSet() {
      return clockOffset !== undefined
    },
    get waiting() {
      return waiting.size
    },
    unacknowledged: () => [...waiting].flatMap(index => log.get(index) ?? []),
    time: () => new Date(Date.now() + offset()).toISOString().slice(0, 19).replace('T', ' '),
    setTime(time) {
      const shown = Date.parse(`${time.replace(' ', 'T')}Z`)
      if (Number.isNaN(shown)) return
      const wanted = shown - Date.now() + skewSeconds * 1000
      // A transmission takes up to two seconds, so sets the clock only for a larger difference.
      if (clockOffset === undefined || Math.abs(wanted - clockOffset) > 2_000) write({ clockOffset: wanted })
    },
    record(entries) {
      const lines = entries.map((entry, i) => ({ log: { index: nextIndex + i, ...entry } }))
      if (lines.length > 0) write(...lines)
      return lines.map(line => line.log)
    },
    acknowledge(entries) {
      if (entries.length > 0) write({ acknowledged: entries.map(entry => entry.index) })
    },
    putUser: user => write({ user }),
    deleteUser: enrollid => write({ deletedUser: enrollid }),
    changeSettings: changed => write({ settings: changed }),
    clear: part => write({ cleared: part }),
    close() {
      isClosed = true
      closeSync(file)
      rmSync(lock, { force: true })
    },
  }
}

/** Locks the terminal. Two processes with the same terminal would overwrite each other's journal. */
function takeLock(path: string, sn: string): string {
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  if (holder && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Terminal ${sn} is already running on this machine (process ${holder}); choose another serial number with --sn.`,
    )
  }
  writeFileSync(path, String(process.pid))
  return path
}
