import { type Fields, type HeldUser, type Log, type LogRecord, readLog } from './ai-face.ts'

// Translates the text lines of ADMS (PUSH) terminals. The caller supplies clock, time zone and storage. A starting
// terminal sends its options to `cdata`, and later its tables. It polls `getrequest` for commands, and returns their
// results to `devicecmd`.

/** The endpoints, by the last part of the path. */
export const actions = ['cdata', 'fdata', 'registry', 'getrequest', 'devicecmd', 'ping'] as const
export type Action = (typeof actions)[number]

/** The limit for a body, because a terminal takes too long to resend a larger one. Some firmware ignores this limit. */
const mostPostBytes = 1024 * 1024

export interface Address {
  /** The endpoint; undefined if it is unknown. */
  action?: Action
  /** The company number from a server address with a path. */
  companyNumber?: string
  pathSecret?: string
}

/**
 * Reads `/iclock/cdata` or `/iclock/<company>/<secret>/iclock/cdata`. Terminals append their own path to the server
 * address, and some append `.aspx`. Undefined for any other path.
 */
export function readAddress(path: string): Address | undefined {
  const parts = /^\/iclock\/(?:([^/]{1,32})\/([^/]{1,64})\/(?:iclock\/)?)?([^/]{1,32}?)(?:\.aspx)?$/i.exec(path)
  const action = actions.find(candidate => candidate === parts?.[3]?.toLowerCase())
  if (!parts) return undefined
  const [, companyNumber, pathSecret] = parts
  return { ...(action && { action }), ...(companyNumber && pathSecret && { companyNumber, pathSecret }) }
}

export const linesOf = (body: string) => body.split(/[\r\n]+/).filter(line => line.trim() !== '')

const recordTables = new Set(['ATTLOG', 'RTLOG', 'TRANSACTION'])
/**
 * The lines of a table with records. Undefined for other tables. Only records are unchanged when a terminal resends
 * them.
 */
export const recordLines = (table: string, body: string): string[] | undefined =>
  recordTables.has(table) ? linesOf(body) : undefined

const columns = ['enrollid', 'time', 'inout', 'mode'] as const
const maskColumn = 7
const temperatureColumn = 8
/** Terminals without a sensor write 0 into both columns. So 0 means “no mask” only together with a temperature. */
const maskOf = (mask: string | undefined, temperature: string | undefined) =>
  mask === '1' || (mask === '0' && Number(temperature) > 0) ? mask : undefined

/** A log record with the field names of AiFace, so that one reader handles both families. */
const rowOf = (line: string): Fields => {
  const cells = line.split('\t').map(cell => cell.trim())
  if (cells.length < columns.length - 2) return { line }
  const row = Object.fromEntries(columns.map((name, i) => [name, cells[i] || undefined]))
  const temperature = cells[temperatureColumn]
  const mask = maskOf(cells[maskColumn], temperature)
  return { ...row, ...(mask && { mask }), ...(temperature && { temperature }) }
}

/** Reads the records of the table ATTLOG. `localNow` is as in `readLog`. */
export const readAttendance = (body: string, localNow: string): Log => {
  const record = linesOf(body).map(rowOf)
  return readLog({ count: record.length, record }, localNow)
}

/** Parses `PIN=1<tab>Name=Ada`. The names become lower case. */
const pairsOf = (text: string, between: string | RegExp = '\t'): Map<string, string> =>
  new Map(
    text.split(between).flatMap(pair => {
      const [, name, value] = /^\s*~?([^=]+)=(.*)$/s.exec(pair) ?? []
      return name === undefined || value === undefined ? [] : [[name.trim().toLowerCase(), value.trim()]]
    }),
  )

const numberOf = (pin: string | undefined): string | undefined =>
  pin !== undefined && /^\d{1,18}$/.test(pin) && !/^0+$/.test(pin) ? pin.replace(/^0+/, '') : undefined

const cardBackupnum = 11
const palmBackupnum = 30
/** The slot of a face picture. */
const faceBackupnum = 50
/** A face or palm in the maker's own format. Other families cannot read it, so the server notes only that it exists. */
const ownTemplate = 'template'
/** Terminals number a person's fingers from 0 to 9. */
const isFinger = (sign: string | undefined): sign is string => sign !== undefined && /^\d$/.test(sign)
/** Returns 1 for an administrator, as in the AiFace family. */
const adminOf = (privilege: string | undefined) => (privilege === undefined ? undefined : Number(privilege) > 0 ? 1 : 0)

const fingerType = '1'
const faceTypes = new Set(['2', '9'])
const palmTypes = new Set(['6', '8', '10'])

type Pairs = Map<string, string>
/**
 * Reads the credential in a line. Returns `nothing` for a valid line without a credential, and undefined for an
 * unreadable line.
 */
type LineReader = (fields: Pairs) => Omit<HeldUser, 'number'> | 'nothing' | undefined

const readFinger: LineReader = fields => {
  const [sign, record] = [fields.get('fid'), fields.get('tmp')]
  if (!record) return 'nothing'
  return isFinger(sign) ? { backupnum: Number(sign), record } : undefined
}

const readUser: LineReader = fields => {
  const text = fields.get('card') ?? fields.get('cardno') ?? ''
  const record = /^\[?(\d{1,20})\]?$/.exec(text)?.[1]?.replace(/^0+/, '')
  const admin = adminOf(fields.get('pri') ?? fields.get('privilege'))
  return record ? { backupnum: cardBackupnum, record, admin } : 'nothing'
}

const readTemplate: LineReader = fields => {
  const [record, type, sign] = [fields.get('tmp'), fields.get('type') ?? '', fields.get('no')]
  if (!record || fields.get('valid') === '0') return 'nothing'
  if (faceTypes.has(type)) return { backupnum: faceBackupnum, record: ownTemplate }
  if (palmTypes.has(type)) return { backupnum: palmBackupnum, record: ownTemplate }
  if (type !== fingerType || !isFinger(sign)) return undefined
  if ((fields.get('index') ?? '0') !== '0') return 'nothing'
  const algorithm = algorithmOf(fields.get('majorver'))
  return { backupnum: Number(sign), record, ...(algorithm && { algorithm }) }
}

/** The newest terminals store faces as pictures, which every family can read. */
const readFace: LineReader = fields => {
  const record = fields.get('content')
  if (!record) return 'nothing'
  return faceTypes.has(fields.get('type') ?? '9') ? { backupnum: faceBackupnum, record } : undefined
}

const readers: { readonly [kind: string]: LineReader } = {
  USER: readUser,
  FP: readFinger,
  FINGERTMP: readFinger,
  FACE: fields => (fields.get('tmp') ? { backupnum: faceBackupnum, record: ownTemplate } : 'nothing'),
  BIODATA: readTemplate,
  BIOPHOTO: readFace,
}
/** Operation logs and portraits, which the server ignores. */
const idleKinds = new Set(['OPLOG', 'USERPIC'])

/** Tables with users. Firmware mixes their lines: a face picture may arrive in OPERLOG. */
const peopleTables = ['OPERLOG', 'USER', 'BIODATA', 'BIOPHOTO'] as const
export type PeopleTable = (typeof peopleTables)[number]
export const isPeopleTable = (table: string): table is PeopleTable => peopleTables.some(name => name === table)

/** Reads a table with users: the number of lines, the credentials, and the unreadable lines. */
export function readPeople(table: PeopleTable, body: string): { count: number; held: HeldUser[]; unread: string[] } {
  const lines = linesOf(body)
  const unread: string[] = []
  const held = new Map<string, HeldUser>()
  for (const line of lines) {
    const [, kind = table, rest = line] = /^\s*(\w+)\s+(.*)$/s.exec(line) ?? []
    const name = kind.toUpperCase()
    if (idleKinds.has(name)) continue
    const fields = pairsOf(rest)
    const number = numberOf(fields.get('pin'))
    const read = number !== undefined && Object.hasOwn(readers, name) ? readers[name]?.(fields) : undefined
    if (number === undefined || read === undefined) unread.push(line)
    else if (read !== 'nothing') {
      const place = `${number} ${read.backupnum}`
      // A template never replaces the picture of the same face.
      if (read.record !== ownTemplate || !held.has(place)) held.set(place, { number, ...read })
    }
  }
  return { count: lines.length, held: [...held.values()], unread }
}

/** The table that a request delivers. */
export interface TableDelivery {
  table: string
  /** Access terminals send everything except their live log as packets of `tabledata`, with a separate table name. */
  isPacket: boolean
  /** Composes the response that acknowledges this many lines. */
  acknowledge(count: number): string
}

/** Reads the table's name. Empty if the request has no usable name. */
export function readDelivery(query: ReadonlyMap<string, string>): TableDelivery {
  const outer = query.get('table') ?? ''
  const isPacket = outer.toLowerCase() === 'tabledata'
  const name = (isPacket ? query.get('tablename') : outer) ?? ''
  const table = /^\w{1,32}$/.test(name) ? name.toUpperCase() : ''
  // An access terminal resends a packet until the response repeats the table's name. The response to its live log
  // contains no count.
  const acknowledge = (count: number) =>
    isPacket ? `${name}=${count}\n` : table === 'RTLOG' ? nothingToDo : composeTaken(count)
  return { table, isPacket, acknowledge }
}

const secretFields = /(^|[\t ])(passw\w*|pwd|tmp|template\w*|content)=[^\t]*/gi
const cardFields = /(^|[\t ])(card\w*)=[^\t]*/gi
/** Only records have a time. A record keeps its card, which may be the only clue to the person. */
const withoutSecrets = (line: string): string => {
  const shown = line.replaceAll(secretFields, '$1$2=…')
  return /(^|[\t ])time\w*=/i.test(line) ? shown : shown.replaceAll(cardFields, '$1$2=…')
}

/** Unreadable lines for a manager, without passwords and templates. */
export const readUnread = (table: string, lines: readonly string[]): LogRecord[] =>
  lines.map(line => {
    const pin = /(?:^|[\t ])pin=(\w{1,32})/i.exec(line)?.[1]
    return { kind: 'quarantine', reason: 'unread', raw: { table, ...(pin && { pin }), line: withoutSecrets(line) } }
  })

/** A terminal's report about itself, from `INFO` of `getrequest` or the table `options`. */
export interface TerminalReport {
  firmware?: string
  model?: string
  mac?: string
  fingerAlgorithm?: string
  counts: { users?: number; templates?: number; records?: number; faces?: number }
}

const countOf = (text: string | undefined) => (text && /^\d{1,9}$/.test(text) ? Number(text) : undefined)
const shortOf = (text: string | undefined) => (text ? text.slice(0, 64) : undefined)
/** Terminals with the same version of the finger algorithm read each other's templates. */
const algorithmOf = (version: string | undefined) => (version && /^\d{1,3}$/.test(version) ? `zk${version}` : undefined)

/** Reads firmware, users, fingerprints, records, address, finger and face algorithm, faces needed, faces. */
export function readInfo(info: string): TerminalReport {
  const [firmware, users, templates, records, , algorithm, , , faces] = info.split(',').map(part => part.trim())
  return {
    firmware: shortOf(firmware),
    fingerAlgorithm: algorithmOf(algorithm),
    counts: { users: countOf(users), templates: countOf(templates), records: countOf(records), faces: countOf(faces) },
  }
}

export function readOptions(body: string): TerminalReport {
  const fields = pairsOf(body, /[,\r\n]/)
  return {
    firmware: shortOf(fields.get('fwversion') ?? fields.get('firmver')),
    model: shortOf(fields.get('devicename')),
    mac: shortOf(fields.get('mac')),
    fingerAlgorithm: algorithmOf(fields.get('fpversion')),
    counts: {
      users: countOf(fields.get('usercount')),
      templates: countOf(fields.get('fpcount')),
      records: countOf(fields.get('transactioncount')),
      faces: countOf(fields.get('facecount')),
    },
  }
}

/** A terminal's result of one command. */
export interface Returned {
  number: string
  /** The result code of the terminal. */
  code: string
}

/** Reads `ID=1&Return=0&CMD=DATA`, one line for each command. */
export const readReturns = (body: string): Returned[] =>
  linesOf(body).flatMap(line => {
    const fields = pairsOf(line, '&')
    const [number, code] = [fields.get('id'), fields.get('return')]
    return number && code !== undefined && /^-?\d{1,9}$/.test(code) ? [{ number, code }] : []
  })

/** The terminal does not know the command, cannot parse it, or its model lacks it. */
const unsupported = new Set(['-1', '-1002', '-1004'])
/** The terminal does not know the user. */
const noSuchUser = '-10'

/**
 * The meaning of a code depends on the command. A query returns its number of matches, and an enrolment succeeds only
 * with 0.
 */
export const outcomeOf = (cmd: string, code: string): 'ok' | 'unsupported' | 'refused' => {
  const value = Number(code)
  if (cmd === 'adduser' && value > 0) return 'refused'
  if (value >= 0 || (cmd === 'deleteuser' && code === noSuchUser)) return 'ok'
  return unsupported.has(code) ? 'unsupported' : 'refused'
}

// Responses.

/** The interval between polls. Each poll costs a call, and a command waits at most this long. */
const delaySeconds = 30
const minutesInHour = 60
/** The offset of a zone, in hours if it is whole hours, otherwise in minutes. */
const zoneOf = (offsetMinutes: number) =>
  offsetMinutes % minutesInHour === 0 ? offsetMinutes / minutesInHour : offsetMinutes

/**
 * The response to a starting terminal. A stamp says how far the terminal has delivered, and 0 requests everything.
 * Requests no photos.
 */
export const composeOptions = (
  serialNumber: string,
  stamps: { attendance: string; operations: string },
  offsetMinutes: number,
): string =>
  [
    `GET OPTION FROM: ${serialNumber}`,
    `ATTLOGStamp=${stamps.attendance}`,
    `OPERLOGStamp=${stamps.operations}`,
    'ATTPHOTOStamp=None',
    `ErrorDelay=${delaySeconds}`,
    `Delay=${delaySeconds}`,
    `MaxPostSize=${mostPostBytes}`,
    'TransTimes=00:00;14:05',
    'TransInterval=1',
    'TransFlag=TransData AttLog\tOpLog\tEnrollUser\tChgUser\tEnrollFP\tChgFP\tFACE\tBioPhoto',
    `TimeZone=${zoneOf(offsetMinutes)}`,
    'Realtime=1',
    'Encrypt=None',
    'PushOptionsFlag=1',
    '',
  ].join('\n')

/** The response to a terminal that registers. Newer firmware requires the code first; the code grants no access. */
export const composeRegistry = (code: string): string => `RegistryCode=${code}\n`

/** Acknowledges this many lines, which the terminal then forgets. */
export const composeTaken = (count: number): string => `OK: ${count}\n`
export const nothingToDo = 'OK\n'

/** Replaces control characters: a line break in a name would inject a command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes these characters.
const clean = (value: unknown) => String(value).replaceAll(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ')

const withFields = (verb: string, fields: Record<string, unknown>) =>
  `${verb} ${Object.entries(fields)
    .map(([name, value]) => `${name}=${clean(value)}`)
    .join('\t')}`

const superAdministrator = 14
const everything = 13
const password = 10
const mostFingers = 10

const composeUser = ({ enrollid, name, backupnum, admin, record }: Fields): string | 'unsupported' => {
  const user = {
    PIN: enrollid,
    ...(name !== undefined && { Name: name }),
    ...(admin !== undefined && { Pri: Number(admin) > 0 ? superAdministrator : 0 }),
  }
  if (backupnum === undefined) return withFields('DATA UPDATE USERINFO', user)
  if (backupnum === password) return withFields('DATA UPDATE USERINFO', { ...user, Passwd: record })
  if (backupnum === cardBackupnum) return withFields('DATA UPDATE USERINFO', { ...user, Card: record })
  if (typeof backupnum !== 'number' || backupnum >= mostFingers || typeof record !== 'string') return 'unsupported'
  const finger = { PIN: enrollid, FID: backupnum, Size: record.length, Valid: 1, TMP: record }
  return withFields('DATA UPDATE FINGERTMP', finger)
}

const composeDeletion = ({ enrollid, backupnum }: Fields): string | 'unsupported' => {
  if (backupnum === undefined || backupnum === everything) return withFields('DATA DELETE USERINFO', { PIN: enrollid })
  if (backupnum === password) return withFields('DATA UPDATE USERINFO', { PIN: enrollid, Passwd: '' })
  if (backupnum === cardBackupnum) return withFields('DATA UPDATE USERINFO', { PIN: enrollid, Card: '' })
  if (typeof backupnum !== 'number' || backupnum >= mostFingers) return 'unsupported'
  return withFields('DATA DELETE FINGERTMP', { PIN: enrollid, FID: backupnum })
}

/**
 * Translates a message of the AiFace family. Returns `unsupported` without an equivalent, and `done` if there is
 * nothing to send. `localNow` is as in `readLog`.
 */
export function translate(message: Fields, localNow: string): string | 'unsupported' | 'done' {
  switch (message.cmd) {
    case 'getnewlog':
      return 'LOG'
    case 'getalllog': {
      const today = localNow.slice(0, 10)
      const from = typeof message.from === 'string' ? message.from : today
      return withFields('DATA QUERY ATTLOG', { StartTime: `${from} 00:00:00`, EndTime: `${today} 23:59:59` })
    }
    // The terminal requests its options again, and sets its clock from the response.
    case 'settime':
      return 'CHECK'
    // The command names no door, so it opens the first.
    case 'opendoor':
      return (message.doornum ?? 1) === 1 ? 'AC_UNLOCK' : 'unsupported'
    case 'reboot':
      return 'REBOOT'
    case 'initsys':
      return 'CLEAR DATA'
    case 'setuserinfo':
      return composeUser(message)
    case 'setusername': {
      const [user, ...others] = Array.isArray(message.record) ? (message.record as Fields[]) : []
      return user && others.length === 0 ? composeUser({ enrollid: user.enrollid, name: user.name }) : 'unsupported'
    }
    case 'deleteuser':
      return composeDeletion(message)
    case 'getuserinfo':
      return withFields('DATA QUERY USERINFO', { PIN: message.enrollid })
    case 'adduser': {
      const { enrollid, backupnum } = message
      if (typeof backupnum !== 'number' || backupnum >= mostFingers) return 'unsupported'
      return withFields('ENROLL_FP', { PIN: enrollid, FID: backupnum, RETRY: 3, OVERWRITE: 1 })
    }
    // The terminal delivers an enrolment without a request.
    case 'checkregstatus':
      return 'done'
    default:
      return 'unsupported'
  }
}

/** The line of a command. The terminal's result repeats the command's number. */
export const composeCommand = (number: string, text: string): string => `C:${number}:${text}\n`
