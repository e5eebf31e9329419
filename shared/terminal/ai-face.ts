import { inUnit } from '../degrees.ts'

// Translates the JSON frames of AiFace terminals. The caller supplies clock, time zone and storage. Both sides send
// requests with `cmd` and responses with `ret`, which repeats the command's name. Frames have no numbers, so only one
// command is in flight at a time. Browsers use the same path and send the two `home.*` commands.

/** The unvalidated fields of a parsed frame. */
export type Fields = { readonly [name: string]: unknown }

export const frameLimitBytes = 128 * 1024
const depthLimit = 8
const nameLength = 40

export type Frame =
  | { kind: 'browser'; command: 'home.ping' }
  | { kind: 'browser'; command: 'home.login'; token: string }
  | { kind: 'request'; command: string; fields: Fields }
  | { kind: 'reply'; command: string; ok: boolean; fields: Fields }
  | { kind: 'unknown'; reason: 'too large' | 'not JSON' | 'not an object' | 'too deep' | 'no command' }

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads one text frame. Never throws: an unreadable frame is `unknown` with a reason. Some firmware puts raw control
 * characters into names. `inFlight` is the pending command, because some firmware answers it with `cmd` in place of
 * `ret`.
 */
export function readFrame(text: string, inFlight?: string): Frame {
  if (isTooLarge(text)) return { kind: 'unknown', reason: 'too large' }
  const value = parse(text) ?? parse(text.replaceAll(/\p{Cc}/gu, ' '))
  if (value === undefined) return { kind: 'unknown', reason: 'not JSON' }
  if (!isFields(value)) return { kind: 'unknown', reason: 'not an object' }
  if (isTooDeep(value)) return { kind: 'unknown', reason: 'too deep' }
  const answered = nameIn(value.ret)
  if (answered) return { kind: 'reply', command: answered, ok: value.result !== false, fields: value }
  const command = nameIn(value.cmd) ?? nameIn(value.command)
  if (!command) return { kind: 'unknown', reason: 'no command' }
  if (command === 'home.ping') return { kind: 'browser', command }
  if (command === 'home.login') return { kind: 'browser', command, token: textIn(value.token, 200) ?? '' }
  if (command === inFlight && ['result', 'count', 'record', 'records'].some(name => Object.hasOwn(value, name))) {
    return { kind: 'reply', command, ok: value.result !== false, fields: value }
  }
  return { kind: 'request', command, fields: value }
}

/** The content of `reg`, in which only the serial number is always present. */
export interface Registration {
  sn: string
  cpusn?: string
  mac?: string
  model?: string
  firmware?: string
  /** The format of the terminal's fingerprint templates. */
  fingerAlgorithm?: string
  /** The numbers of users, fingerprint templates, faces and records on the terminal. */
  counts: { users?: number; templates?: number; faces?: number; records?: number }
  /** The number of undelivered records. */
  unsent?: number
  /** The terminal's clock, `YYYY-MM-DDTHH:mm:ss`. */
  localTime?: string
  /** The terminal reports model and firmware in `devinfo`, as the protocol requires. */
  hasDevinfo: boolean
  /** The company number and communication password, from terminals that can send them. */
  companyNumber?: string
  password?: string
}

/** Normalises a serial number for keys. Undefined if the number is invalid. */
export function readSerialNumber(value: unknown): string | undefined {
  const text = textIn(value, 32)
  return text && /^[A-Za-z0-9._-]+$/.test(text) ? text.toUpperCase() : undefined
}

/** Reads `reg`. Undefined without a usable serial number. Some firmware puts model and firmware beside `devinfo`. */
export function readRegistration(fields: Fields): Registration | undefined {
  const sn = readSerialNumber(fields.sn)
  if (!sn) return undefined
  const info = isFields(fields.devinfo) ? fields.devinfo : {}
  return {
    sn,
    cpusn: textIn(fields.cpusn, 64),
    mac: textIn(info.mac ?? fields.mac, 32),
    model: textIn(info.modelname ?? fields.modelname, 64),
    firmware: textIn(info.firmware ?? fields.firmware, 64),
    fingerAlgorithm: textIn(info.fpalgo ?? fields.fpalgo, 32),
    counts: {
      users: countIn(info.useduser),
      templates: countIn(info.usedfp),
      faces: countIn(info.usedface),
      records: countIn(info.usedlog),
    },
    unsent: countIn(info.usednewlog),
    localTime: timeIn(info.time ?? fields.time),
    hasDevinfo: isFields(fields.devinfo),
    companyNumber: textIn(fields.company_num, 32),
    password: textIn(fields.comm_pwd, 32),
  }
}

/** One credential on a terminal: a finger, face, card or password. */
export interface HeldUser {
  number: string
  backupnum: number
  /** The name, which the terminal may have truncated. */
  name?: string
  /** The administrator level on the terminal; 1 and 2 are administrators. */
  admin?: number
  /** Digits, the text of a template, or a picture in Base64. */
  record: string
  /** The algorithm of the template. Absent if the terminal did not report it. */
  algorithm?: string
}

const highestBackupnum = 99

/** Reads `senduser` or the reply to `getuserinfo`. Undefined if it contains no credential. */
export function readHeldUser(fields: Fields): HeldUser | undefined {
  const listed = readListedUser(fields)
  const { record } = fields
  if (!listed || (typeof record !== 'string' && typeof record !== 'number')) return undefined
  return { ...listed, name: textIn(fields.name, 200), record: String(record).trim() }
}

export type ListedUser = Omit<HeldUser, 'name' | 'record'>

function readListedUser(fields: Fields): ListedUser | undefined {
  const number = numberIn(fields.enrollid)
  const backupnum = countIn(fields.backupnum)
  if (number === undefined || number === doorNumber || number === strangerNumber) return undefined
  if (backupnum === undefined || backupnum > highestBackupnum) return undefined
  return { number, backupnum, admin: countIn(fields.admin) }
}

/**
 * Reads a page of the reply to `getuserlist`. The meaning of `to` depends on the firmware, but an empty page always
 * ends the list.
 */
export function readUserList(fields: Fields): { users: ListedUser[]; isLast: boolean } {
  const rows = Array.isArray(fields.record) ? fields.record.filter(isFields) : []
  const [to, count] = [countIn(fields.to), countIn(fields.count)]
  return {
    users: rows.flatMap(row => readListedUser(row) ?? []),
    isLast: rows.length === 0 || (to !== undefined && count !== undefined && to >= count),
  }
}

/** One record of a terminal's log. `localTime` is the terminal's clock, `YYYY-MM-DDTHH:mm:ss`. */
export type LogRecord =
  | ({ kind: 'punch'; number: string } & LogDetails)
  | ({ kind: 'door' | 'stranger' } & LogDetails)
  /**
   * A record that is no valid punch. The server keeps it unchanged, without pictures, so that a manager can review it.
   */
  | { kind: 'quarantine'; reason: 'bad record' | 'bad number' | 'bad time' | 'too old' | 'unread'; raw: unknown }
  /** A record with a time in the future, which shows how far the clock is ahead. */
  | { kind: 'quarantine'; reason: 'in the future'; localTime: string; raw: unknown }

export interface LogDetails {
  localTime: string
  /** The code as the terminal sent it. Its meaning depends on the firmware. */
  mode?: number
  inout?: number
  event?: number
  verifymode?: number
  /** Tenths of a degree Celsius. */
  temperature?: number
  mask?: boolean
}

export interface Log {
  /** The count in the frame, which the reply echoes. A page counts the records of all pages. */
  count: number
  logindex?: number
  records: LogRecord[]
}

const doorNumber = '0'
const strangerNumber = '99999999'
const firstYear = 2015

/** The records of a frame under either field name. A single record becomes a list. */
const rowsIn = ({ record, records }: Fields): unknown[] => [record, records].flatMap(rows => rows ?? [])

/** Whether a row belongs to a user list: it has a `backupnum` and no time. */
const isOfPeople = (row: unknown): boolean => isFields(row) && 'backupnum' in row && !('time' in row)

/** Requests whose `record` is a credential or code, or whose `count` does not count log records. */
const otherRequests = new Set([
  ...['reg', 'senduser', 'senduserpic', 'sendimage', 'sendqrcode', 'sendpin', 'sendgps'],
  ...['checklive', 'otacheck', 'otaget', 'talkcall', 'vicheckonline'],
])

/** Whether a frame lists log records. Its command does not matter. */
const listsLog = (fields: Fields): boolean => rowsIn(fields).some(row => typeof row === 'object' && !isOfPeople(row))

const isTimed = (row: unknown): boolean =>
  isFields(row) && !isOfPeople(row) && Object.keys(row).some(name => /time|date/i.test(name))

/** Whether a frame lists apparent records under an unknown field. */
const listsElsewhere = ({ record: _, records: __, ...others }: Fields): boolean =>
  Object.values(others).some(value => Array.isArray(value) && value.some(isTimed))

/** Whether a frame contains rows that look like records. Its command does not matter. */
export const bringsLog = (fields: Fields): boolean =>
  listsLog(fields) || (!isOfPeople(fields) && listsElsewhere(fields))

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/**
 * Whether a request may contain log records. Firmware uses other names than `sendlog` too, and terminals forget
 * acknowledged records. So an unknown request with a count, a time, a list or an object may contain records.
 */
export function mayBringLog(command: string, fields: Fields): boolean {
  if (command === 'sendlog' || bringsLog(fields)) return true
  if (otherRequests.has(command) || [fields, ...rowsIn(fields)].some(isOfPeople)) return false
  const { record, records, count, enrollid, time } = fields
  const counts = count !== undefined && count !== null && countIn(count) !== 0
  // A text without a time is a credential or a code.
  const isLine = [record, records].some(value => typeof value === 'string' && /\d[-/]\d{1,2}[-/]\d.*\d:\d/.test(value))
  return counts || isLine || Object.values(fields).some(isFilled) || (enrollid !== undefined && time !== undefined)
}

/**
 * Reads the records of a push, or of a reply to `getnewlog` or `getalllog`. `localNow` is the current time in the
 * terminal's zone, `YYYY-MM-DDTHH:mm:ss`. Quarantines a record more than a day ahead of `localNow`.
 */
export function readLog(fields: Fields, localNow: string): Log {
  const count = countIn(fields.count)
  const listed = rowsIn(fields)
  const hasList = Array.isArray(fields.record) || Array.isArray(fields.records)
  const isPage = fields.ret !== undefined || isPageCommand(String(fields.cmd))
  // A page counts the records of all pages. A terminal would resend any other frame forever, so the server keeps the
  // whole frame.
  const isOwed = listsElsewhere(fields) || (hasList ? !isPage && Boolean(count) : isPage ? Boolean(count) : count !== 0)
  const rows = listed.length === 0 && isOwed ? [fields] : listed
  const latest = dayAfter(localNow)
  return {
    count: count ?? rows.length,
    logindex: integerIn(fields.logindex),
    records: rows.map(row => readRecord(row, latest)),
  }
}

function readRecord(row: unknown, latest: string): LogRecord {
  if (!isFields(row)) return { kind: 'quarantine', reason: 'bad record', raw: withoutPictures(row) }
  const number = numberIn(row.enrollid)
  if (number === undefined) return { kind: 'quarantine', reason: 'bad number', raw: withoutPictures(row) }
  const localTime = timeIn(row.time)
  if (localTime === undefined) return { kind: 'quarantine', reason: 'bad time', raw: withoutPictures(row) }
  if (Number(localTime.slice(0, 4)) < firstYear)
    return { kind: 'quarantine', reason: 'too old', raw: withoutPictures(row) }
  if (localTime > latest) return { kind: 'quarantine', reason: 'in the future', localTime, raw: withoutPictures(row) }
  const details: LogDetails = {
    localTime,
    mode: integerIn(row.mode),
    inout: integerIn(row.inout),
    event: integerIn(row.event),
    verifymode: integerIn(row.verifymode),
    temperature: temperatureIn(row.temp ?? row.temperature),
    mask: flagIn(row.mask),
  }
  if (number === doorNumber) return { kind: 'door', ...details }
  if (number === strangerNumber) return { kind: 'stranger', ...details }
  return { kind: 'punch', number, ...details }
}

// Replies. `localNow` is the current time in the terminal's zone, from which the terminal sets its clock.

/** The same refusal for every serial number, so that it reveals nothing. */
export const notRegistered = 'did not reg'

/** Accepts `reg`. Tells the terminal not to push users or pictures, because API Gateway limits a frame to 32 KB. */
export const acceptRegistration = (localNow: string): Fields => ({
  ret: 'reg',
  result: true,
  cloudtime: cloudTime(localNow),
  nosenduser: true,
  nosendimage: true,
})

/** Refuses `reg`. The terminal shows the reason on its screen. */
export const refuseRegistration = (reason: string = notRegistered): Fields => ({ ret: 'reg', result: false, reason })

type Echo = Pick<Log, 'count' | 'logindex'>

/** Acknowledges every record of a push, which the terminal then forgets. Newer firmware requires `mark`. */
export const acceptLog = (command: string, { count, logindex }: Echo, localNow: string): Fields => ({
  ret: command,
  result: true,
  count,
  logindex,
  cloudtime: cloudTime(localNow),
  mark: true,
})

/**
 * Reads the fields to echo from a push with invalid JSON, for example because of a quote in a name. Without an
 * acknowledgement, the terminal would resend the push forever and deliver nothing else.
 */
export function readBrokenLog(text: string): (Echo & { command: string }) | undefined {
  const command = /"(?:cmd|command)"\s*:\s*"([^"\\]{1,40})"/.exec(text)?.[1]
  const integer = (name: string) => integerIn(new RegExp(`"${name}"\\s*:\\s*"?(\\d{1,15})\\b`).exec(text)?.[1])
  const count = integer('count')
  return command === undefined || count === undefined ? undefined : { command, count, logindex: integer('logindex') }
}

/** Refuses a push that the server could not store completely. The terminal sends it again. */
export const refuseLog = (command: string, { count, logindex }: Echo): Fields => ({
  ret: command,
  result: false,
  count,
  logindex,
  reason: 1,
})

/**
 * Replies to every other request, so that the terminal keeps the connection. Undefined if the terminal expects no
 * reply.
 */
export function answerRequest(command: string, fields: Fields, localNow: string): Fields | undefined {
  const cloudtime = cloudTime(localNow)
  switch (command) {
    case 'sendgps':
      return undefined
    case 'senduser':
      return { ret: command, result: true, enrollid: fields.enrollid, backupnum: fields.backupnum, cloudtime }
    case 'sendqrcode':
    case 'sendpin':
      return { ret: command, result: true, access: 0, message: '', cloudtime }
    case 'otacheck':
    case 'otaget':
    case 'talkcall':
    case 'vicheckonline':
      return { ret: command, result: false }
    default:
      return { ret: command, result: true, cloudtime }
  }
}

/** Requests undelivered records: the first page, then each next page until an empty page. */
export const askNewLog = (isFirstPage: boolean): Fields => ({ cmd: 'getnewlog', stn: isFirstPage })

/** The terminal answers both commands page by page. */
export type PageCommand = 'getnewlog' | 'getalllog'
export const isPageCommand = (command: string): command is PageCommand =>
  command === 'getnewlog' || command === 'getalllog'

/** Requests a page. `getalllog` also returns delivered records, for a range of days. */
export const askLog = (
  command: PageCommand,
  isFirstPage: boolean,
  { from, to }: { from?: string | undefined; to: string },
): Fields =>
  command === 'getnewlog' ? askNewLog(isFirstPage) : { cmd: command, stn: isFirstPage, from: from ?? to, to }

/** Replies to a browser's `home.ping` or `home.login`. */
export const answerBrowser = (command: 'home.ping' | 'home.login', result: boolean): Fields => ({
  ret: command,
  result,
})

const cloudTime = (localNow: string) => localNow.replace('T', ' ')

// Single values. Some firmware sends numbers as strings, or strings as numbers.

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Whether a text exceeds the limit. A UTF-16 unit takes one to three bytes in UTF-8, so most texts need no encoding.
 */
function isTooLarge(text: string): boolean {
  if (text.length > frameLimitBytes) return true
  if (text.length * 3 <= frameLimitBytes) return false
  return new TextEncoder().encode(text).length > frameLimitBytes
}

/**
 * Whether a value is nested too deeply. Checks level by level, because with recursion the input would choose the stack
 * depth.
 */
function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depthLimit) return true
    level = level.flatMap(item => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > 0 && value.length <= nameLength ? value : undefined
}

function textIn(value: unknown, length: number): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text.length > 0 && text.length <= length ? text : undefined
}

function integerIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined
}

/** A non-negative integer, as a number or as digits. */
export function countIn(value: unknown): number | undefined {
  const integer = integerIn(value)
  return integer !== undefined && integer >= 0 ? integer : undefined
}

/** The user number on the terminal, without leading zeros: 7, "7" and "007" are the same user. */
function numberIn(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined
  if (typeof value !== 'string' || !/^\d{1,18}$/.test(value)) return undefined
  return value.replace(/^0+(?=\d)/, '')
}

/** A valid calendar time, as `YYYY-MM-DDTHH:mm:ss`. Some firmware drops leading zeros of month, day and hour. */
function timeIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2})[ T]+(\d{1,2}):(\d{1,2}):(\d{1,2})$/.exec(value.trim())
  if (!parts) return undefined
  const [year = '', ...rest] = parts.slice(1)
  const [month, day, hour, minute, second] = rest.map(part => part.padStart(2, '0'))
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const instant = Date.parse(`${time}Z`)
  return Number.isFinite(instant) && civil(instant) === time ? time : undefined
}

/**
 * Whether a temperature is plausible for a forehead in Celsius. Fahrenheit readings start above this range. Values
 * outside it are no measurements.
 */
const isWarm = (celsius: number) => celsius >= 20 && celsius <= 50

function temperatureIn(value: unknown): number | undefined {
  const degrees = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof degrees !== 'number') return undefined
  if (isWarm(degrees)) return Math.round(degrees * 10)
  const celsius = inUnit(degrees, 0)
  return isWarm(celsius) ? Math.round(celsius * 10) : undefined
}

function flagIn(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === '1') return true
  if (value === false || value === 0 || value === '0') return false
  return undefined
}

/** Formats a time for calculations that treat local times as UTC, because UTC days all have 24 hours. */
const civil = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 19)

const dayAfter = (localTime: string) => civil(Date.parse(`${localTime}Z`) + 86_400_000)

const pictures = new Set(['image', 'photo'])

/** Removes pictures, because they are large, personal and unused. */
function withoutPictures(row: unknown): unknown {
  if (!isFields(row)) return row
  return Object.fromEntries(Object.entries(row).filter(([name]) => !pictures.has(name)))
}
