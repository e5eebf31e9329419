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

// What a terminal remembers when its power is cut: its log, which entries the server has acknowledged, its people, its
// settings and how far its clock stands off. It is a journal of one line per event, read back and shortened at each start.

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
  /** By `backupnum`: fingerprints 0–9, password 10, card 11, faces 20–27 and 50, … */
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
  /** No entry ever has the number of one that was cleared. */
  | { nextIndex: number }

export interface Memory {
  /** Oldest first. */
  readonly log: ReadonlyMap<number, LogEntry>
  readonly users: ReadonlyMap<number, User>
  readonly settings: Readonly<Record<string, unknown>>
  /** Whether the clock was ever set by a server. */
  readonly isClockSet: boolean
  unacknowledged(): LogEntry[]
  /** How many these are. */
  readonly waiting: number
  /** The terminal's clock, `YYYY-MM-DD HH:mm:ss`. */
  time(): string
  setTime(time: string): void
  /** On the disk when this returns. */
  record(entries: Omit<LogEntry, 'index'>[]): LogEntry[]
  acknowledge(entries: LogEntry[]): void
  putUser(user: User): void
  deleteUser(enrollid: number): void
  changeSettings(settings: Record<string, unknown>): void
  clear(what: 'log' | 'users'): void
  close(): void
}

/** Opens the memory of one terminal, `<folder>/<sn>.jsonl`. Throws one clear sentence where that cannot be. */
export function openMemory(
  folder: string,
  sn: string,
  /** A clock that is off by `skewSeconds` whatever sets it, or was `behindSeconds` behind when the power came back. */
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
      // The last line of a terminal whose power was cut while it wrote; nobody was told that it is kept.
    }
  }
  const kept: Line[] = [
    ...(clockOffset === undefined ? [] : [{ clockOffset }]),
    { settings },
    { nextIndex },
    ...[...users.values()].map(user => ({ user })),
    ...[...log.values()].map(entry =>
      waiting.has(entry.index) ? { log: entry } : { log: entry, acknowledged: true as const },
    ),
  ]
  writeFileSync(`${path}.new`, kept.map(line => `${JSON.stringify(line)}\n`).join(''))
  renameSync(`${path}.new`, path)
  const file = openSync(path, 'a')
  let isClosed = false

  const write = (...lines: Line[]) => {
    if (isClosed) return
    writeSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    fdatasyncSync(file)
    for (const line of lines) apply(line)
  }
  /** Until a server sets it, the clock shows this machine's time. */
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
      // Seconds are lost on the way: only a difference that is more than that is worth setting the clock.
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
    changeSettings: given => write({ settings: given }),
    clear: what => write({ cleared: what }),
    close() {
      isClosed = true
      closeSync(file)
      rmSync(lock, { force: true })
    },
  }
}

/** Two programs playing the same terminal would write over each other's journal. */
function takeLock(path: string, sn: string): string {
  const holder = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  if (holder && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Terminal ${sn} is already running on this machine (process ${holder}); give another one with --sn.`,
    )
  }
  writeFileSync(path, String(process.pid))
  return path
}
