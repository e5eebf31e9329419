import { inUnit } from '../degrees.ts'

// What a terminal of the AiFace family says over its websocket (JSON text frames), and what it understands. Text in,
// meaning out; meaning in, the message out, whose JSON is the text. No clock, no zone, no store: the caller knows those.
//
// Either side asks with `cmd` and answers with `ret`, which repeats the name. There are no message numbers, so one command is
// in flight at a time. Browsers share the socket's path and send the two `home.*` commands.

/** The fields of a frame after JSON, nothing checked yet. */
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
 * Reads one text frame; some firmware puts tabs and the like into names as they are. Never throws: whatever cannot be understood is `unknown` with the reason.
 * `inFlight` is the command the terminal still owes an answer to: some firmware answers with `cmd` in place of `ret`.
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

/** What a terminal says about itself in `reg`. Only the serial number is certain to be there. */
export interface Registration {
  sn: string
  cpusn?: string
  mac?: string
  model?: string
  firmware?: string
  /** How it writes down a finger. */
  fingerAlgorithm?: string
  /** What the terminal holds: people, fingerprint templates, faces, records. */
  counts: { users?: number; templates?: number; faces?: number; records?: number }
  /** Records it has not delivered yet. */
  unsent?: number
  /** What its clock shows, `YYYY-MM-DDTHH:mm:ss`. */
  localTime?: string
  /** It says of itself what it is where the protocol has it. */
  hasDevinfo: boolean
  /** Company number and communication password, from terminals that can send them. */
  companyNumber?: string
  password?: string
}

/** The serial number as every key uses it, or undefined if it cannot be one. */
export function readSerialNumber(value: unknown): string | undefined {
  const text = textIn(value, 32)
  return text && /^[A-Za-z0-9._-]+$/.test(text) ? text.toUpperCase() : undefined
}

/** Reads `reg`; undefined when it names no usable serial number. Some firmware puts model and firmware beside `devinfo`. */
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

/** What a terminal says of somebody: one finger, face, card or password. */
export interface HeldUser {
  number: string
  backupnum: number
  /** As the terminal shows it; it may have no room for all of it. */
  name?: string
  /** 1 and 2 are administrators of the terminal. */
  admin?: number
  /** Digits, the text of a template, or a picture in Base64. */
  record: string
  /** Whose template it is, where the terminal says so; else it is of the one the terminal has. */
  algorithm?: string
}

const highestBackupnum = 99

/** Reads `senduser`, or the answer to `getuserinfo`; undefined where it says of nobody anything. */
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

/** Reads a page of the answer to `getuserlist`. Firmware disagrees on what `to` says: an empty page is the end in any case. */
export function readUserList(fields: Fields): { users: ListedUser[]; isLast: boolean } {
  const rows = Array.isArray(fields.record) ? fields.record.filter(isFields) : []
  const [to, count] = [countIn(fields.to), countIn(fields.count)]
  return {
    users: rows.flatMap(row => readListedUser(row) ?? []),
    isLast: rows.length === 0 || (to !== undefined && count !== undefined && to >= count),
  }
}

/** One record of the terminal's log. `localTime` is `YYYY-MM-DDTHH:mm:ss` as the terminal's clock showed it. */
export type LogRecord =
  | ({ kind: 'punch'; number: string } & LogDetails)
  | ({ kind: 'door' | 'stranger' } & LogDetails)
  /** Nothing we can file as a punch. It is kept as it came, without pictures, for a person to look at. */
  | { kind: 'quarantine'; reason: 'bad record' | 'bad number' | 'bad time' | 'too old' | 'unread'; raw: unknown }
  /** It is no punch yet, and says how far the clock is ahead. */
  | { kind: 'quarantine'; reason: 'in the future'; localTime: string; raw: unknown }

export interface LogDetails {
  localTime: string
  /** As the terminal sent them: what a code means depends on the firmware. */
  mode?: number
  inout?: number
  event?: number
  verifymode?: number
  /** Tenths of a degree Celsius. */
  temperature?: number
  mask?: boolean
}

export interface Log {
  /** As the terminal said it, for the answer to echo; in paged answers it counts all pages together. */
  count: number
  logindex?: number
  records: LogRecord[]
}

const doorNumber = '0'
const strangerNumber = '99999999'
const firstYear = 2015

/** The records of a frame, under either name; a single record is a list of one. */
const rowsIn = ({ record, records }: Fields): unknown[] => [record, records].flatMap(given => given ?? [])

/** A terminal lists its people by the place of each credential. */
const isOfPeople = (row: unknown): boolean => isFields(row) && 'backupnum' in row && !('time' in row)

/** Requests whose `record` is a credential or a code, and whose `count` counts no records of a log. */
const otherRequests = new Set([
  ...['reg', 'senduser', 'senduserpic', 'sendimage', 'sendqrcode', 'sendpin', 'sendgps'],
  ...['checklive', 'otacheck', 'otaget', 'talkcall', 'vicheckonline'],
])

/** Whether a frame lists records of the log, whatever its name. */
const listsLog = (fields: Fields): boolean => rowsIn(fields).some(row => typeof row === 'object' && !isOfPeople(row))

const isTimed = (row: unknown): boolean =>
  isFields(row) && !isOfPeople(row) && Object.keys(row).some(name => /time|date/i.test(name))

/** Whether a frame lists what looks like records under a name that no firmware we know uses. */
const listsElsewhere = ({ record: _, records: __, ...others }: Fields): boolean =>
  Object.values(others).some(value => Array.isArray(value) && value.some(isTimed))

/** Whether a frame of any name contains rows that look like records. */
export const bringsLog = (fields: Fields): boolean =>
  listsLog(fields) || (!isOfPeople(fields) && listsElsewhere(fields))

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/**
 * Whether a request may bring records of the log. Firmware has more names than `sendlog` for that, and a terminal forgets what is
 * acknowledged, so an unknown request with a count, a time, a list or an object is taken for one.
 */
export function mayBringLog(command: string, fields: Fields): boolean {
  if (command === 'sendlog' || bringsLog(fields)) return true
  if (otherRequests.has(command) || [fields, ...rowsIn(fields)].some(isOfPeople)) return false
  const { record, records, count, enrollid, time } = fields
  const counts = count !== undefined && count !== null && countIn(count) !== 0
  // Text without a time is a credential or a code.
  const isLine = [record, records].some(given => typeof given === 'string' && /\d[-/]\d{1,2}[-/]\d.*\d:\d/.test(given))
  return counts || isLine || Object.values(fields).some(isFilled) || (enrollid !== undefined && time !== undefined)
}

/**
 * Reads the records of a frame that pushes some, or of the answer to `getnewlog` and `getalllog`.
 * `localNow` is the present time in the terminal's zone, `YYYY-MM-DDTHH:mm:ss`: a record more than a day ahead of it is held back.
 */
export function readLog(fields: Fields, localNow: string): Log {
  const count = countIn(fields.count)
  const given = rowsIn(fields)
  const hasList = Array.isArray(fields.record) || Array.isArray(fields.records)
  const isPage = fields.ret !== undefined || isPageCommand(String(fields.cmd))
  // A page counts the records of all pages. Another frame without records would come for ever: the whole of it is kept.
  const isOwed = listsElsewhere(fields) || (hasList ? !isPage && Boolean(count) : isPage ? Boolean(count) : count !== 0)
  const rows = given.length === 0 && isOwed ? [fields] : given
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

// Answers. `localNow` is always the present time in the terminal's zone, `YYYY-MM-DDTHH:mm:ss`; the terminal sets its clock by it.

/** The refusal is the same whether a serial number is unknown or another company's: it must tell nothing. */
export const notRegistered = 'did not reg'

/** Accepts `reg`. People are not to be sent unasked, pictures not at all: the managed websocket takes 32 KB a frame. */
export const acceptRegistration = (localNow: string): Fields => ({
  ret: 'reg',
  result: true,
  cloudtime: cloudTime(localNow),
  nosenduser: true,
  nosendimage: true,
})

/** Refuses `reg`; the terminal shows the reason on its screen. */
export const refuseRegistration = (reason: string = notRegistered): Fields => ({ ret: 'reg', result: false, reason })

type Echo = Pick<Log, 'count' | 'logindex'>

/** Says that every record of a pushed frame is kept; the terminal then forgets them (newer firmware only by `mark`). */
export const acceptLog = (command: string, { count, logindex }: Echo, localNow: string): Fields => ({
  ret: command,
  result: true,
  count,
  logindex,
  cloudtime: cloudTime(localNow),
  mark: true,
})

/**
 * What the answer to a frame echoes that pushes records and is no JSON, for example of firmware that leaves a quote in a name as it
 * is: the terminal would send it for ever, and nothing behind it.
 */
export function readBrokenLog(text: string): (Echo & { command: string }) | undefined {
  const command = /"(?:cmd|command)"\s*:\s*"([^"\\]{1,40})"/.exec(text)?.[1]
  const integer = (name: string) => integerIn(new RegExp(`"${name}"\\s*:\\s*"?(\\d{1,15})\\b`).exec(text)?.[1])
  const count = integer('count')
  return command === undefined || count === undefined ? undefined : { command, count, logindex: integer('logindex') }
}

/** Says that a pushed frame was not kept whole; the terminal sends it again. */
export const refuseLog = (command: string, { count, logindex }: Echo): Fields => ({
  ret: command,
  result: false,
  count,
  logindex,
  reason: 1,
})

/** Answers every other request, so that the link stays up; undefined where the terminal expects nothing. */
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

/** Asks for the records the terminal has not delivered: the first page, then page by page until one is empty. */
export const askNewLog = (isFirstPage: boolean): Fields => ({ cmd: 'getnewlog', stn: isFirstPage })

/** Both are answered page by page. */
export type PageCommand = 'getnewlog' | 'getalllog'
export const isPageCommand = (command: string): command is PageCommand =>
  command === 'getnewlog' || command === 'getalllog'

/** `getalllog` asks for what the terminal may have delivered already, of some days. */
export const askLog = (
  command: PageCommand,
  isFirstPage: boolean,
  { from, to }: { from?: string | undefined; to: string },
): Fields =>
  command === 'getnewlog' ? askNewLog(isFirstPage) : { cmd: command, stn: isFirstPage, from: from ?? to, to }

/** Answers a browser's `home.ping` or `home.login`. */
export const answerBrowser = (command: 'home.ping' | 'home.login', result: boolean): Fields => ({
  ret: command,
  result,
})

const cloudTime = (localNow: string) => localNow.replace('T', ' ')

// Reading single values. Terminals differ in types: numbers come as strings and the other way round.

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** UTF-16 units are at most the UTF-8 bytes, and a third of them at least, so most frames need no encoding. */
function isTooLarge(text: string): boolean {
  if (text.length > frameLimitBytes) return true
  if (text.length * 3 <= frameLimitBytes) return false
  return new TextEncoder().encode(text).length > frameLimitBytes
}

/** Level by level and not by recursion: the input chooses the depth. */
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

/** A number that counts or numbers something, as a number or as digits. */
export function countIn(value: unknown): number | undefined {
  const integer = integerIn(value)
  return integer !== undefined && integer >= 0 ? integer : undefined
}

/** The number on the device, in decimal without leading zeros: 7, "7" and "007" are one person. */
function numberIn(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined
  if (typeof value !== 'string' || !/^\d{1,18}$/.test(value)) return undefined
  return value.replace(/^0+(?=\d)/, '')
}

/** A time that exists on the calendar, as `YYYY-MM-DDTHH:mm:ss`. Firmware drops leading zeros of month, day and hour. */
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

/** What a forehead may be read as, in Celsius; in Fahrenheit it begins above where this ends. What is neither is no measurement. */
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

/** Civil arithmetic: a clock reading moved through UTC, whose days all have 24 hours. */
const civil = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 19)

const dayAfter = (localTime: string) => civil(Date.parse(`${localTime}Z`) + 86_400_000)

const pictures = new Set(['image', 'photo'])

/** Pictures are large, personal and never looked at here. */
function withoutPictures(row: unknown): unknown {
  if (!isFields(row)) return row
  return Object.fromEntries(Object.entries(row).filter(([name]) => !pictures.has(name)))
}
