import { type Fields, type HeldUser, type Log, type LogRecord, readLog } from './ai-face.ts'

// What a terminal of the PUSH family (ADMS) says over HTTP, in lines of text whose fields stand between tabs, and what it
// understands. Text in, meaning out; meaning in, the line out. No clock, no zone, no store: the caller knows those.
//
// The terminal always asks: `cdata` with its options when it begins, `cdata` with a table when it has something to deliver,
// `getrequest` now and then for what it is to do, and `devicecmd` with what came of that. A command has a number here.

/** What is asked of us, by the last part of the path. */
export const actions = ['cdata', 'fdata', 'registry', 'getrequest', 'devicecmd', 'ping'] as const
export type Action = (typeof actions)[number]

/** A longer body takes a terminal too long to send again. Not every firmware keeps to it. */
const mostPostBytes = 1024 * 1024

export interface Address {
  /** None where the path names nothing we know. */
  action?: Action
  /** What stood in the path before, where the terminal was given a server address with a path. */
  companyNumber?: string
  pathSecret?: string
}

/**
 * Reads `/iclock/cdata`, or `/iclock/<company>/<secret>/iclock/cdata`: terminals put their own path behind the server address.
 * Some write `.aspx` behind it. Undefined where it is no terminal's path.
 */
export function readAddress(path: string): Address | undefined {
  const parts = /^\/iclock\/(?:([^/]{1,32})\/([^/]{1,64})\/(?:iclock\/)?)?([^/]{1,32}?)(?:\.aspx)?$/i.exec(path)
  const action = actions.find(known => known === parts?.[3]?.toLowerCase())
  if (!parts) return undefined
  const [, companyNumber, pathSecret] = parts
  return { ...(action && { action }), ...(companyNumber && pathSecret && { companyNumber, pathSecret }) }
}

export const linesOf = (body: string) => body.split(/[\r\n]+/).filter(line => line.trim() !== '')

const recordTables = new Set(['ATTLOG', 'RTLOG', 'TRANSACTION'])
/** The lines of a table that holds records; a terminal repeats them as they were, and those of no other table. */
export const recordLines = (table: string, body: string): string[] | undefined =>
  recordTables.has(table) ? linesOf(body) : undefined

const columns = ['enrollid', 'time', 'inout', 'mode'] as const
const maskColumn = 7
const temperatureColumn = 8
/** Who measures nothing writes noughts into both columns: only beside a temperature a nought means that there was no mask. */
const maskOf = (mask: string | undefined, temperature: string | undefined) =>
  mask === '1' || (mask === '0' && Number(temperature) > 0) ? mask : undefined

/** A record of the log in the words of the other family, so that both are judged, kept and read again in one way. */
const rowOf = (line: string): Fields => {
  const cells = line.split('\t').map(cell => cell.trim())
  if (cells.length < columns.length - 2) return { line }
  const row = Object.fromEntries(columns.map((name, i) => [name, cells[i] || undefined]))
  const temperature = cells[temperatureColumn]
  const mask = maskOf(cells[maskColumn], temperature)
  return { ...row, ...(mask && { mask }), ...(temperature && { temperature }) }
}

/** Reads the records of the table ATTLOG; `localNow` as in `readLog`. */
export const readAttendance = (body: string, localNow: string): Log => {
  const record = linesOf(body).map(rowOf)
  return readLog({ count: record.length, record }, localNow)
}

/** `PIN=1<tab>Name=Ada` as fields, their names in small letters. */
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
/** A face as a picture. */
const faceBackupnum = 50
/** A face or palm in its maker's own form: no other family reads it, so only its presence is noted. */
const ownTemplate = 'template'
/** A terminal numbers the fingers of a person from 0 to 9. */
const isFinger = (sign: string | undefined): sign is string => sign !== undefined && /^\d$/.test(sign)
/** What the first families calls an administrator. */
const adminOf = (privilege: string | undefined) => (privilege === undefined ? undefined : Number(privilege) > 0 ? 1 : 0)

const fingerType = '1'
const faceTypes = new Set(['2', '9'])
const palmTypes = new Set(['6', '8', '10'])

type Pairs = Map<string, string>
/** What a line says of a person; nothing where the product knows the line and keeps none of it, undefined where it cannot read it. */
type LineReader = (fields: Pairs) => Omit<HeldUser, 'number'> | 'nothing' | undefined

const readFinger: LineReader = fields => {
  const [sign, record] = [fields.get('fid'), fields.get('tmp')]
  if (!record) return 'nothing'
  return isFinger(sign) ? { backupnum: Number(sign), record } : undefined
}

const readUser: LineReader = fields => {
  const said = fields.get('card') ?? fields.get('cardno') ?? ''
  const record = /^\[?(\d{1,20})\]?$/.exec(said)?.[1]?.replace(/^0+/, '')
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

/** The newest terminals know faces by pictures: they are the same as everybody's. */
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
/** What a terminal logs of its own doing, and portraits, which nobody asks for. */
const idleKinds = new Set(['OPLOG', 'USERPIC'])

/** Tables that tell of people. Firmware mixes their lines: a picture of a face may come among the operations. */
const peopleTables = ['OPERLOG', 'USER', 'BIODATA', 'BIOPHOTO'] as const
export type PeopleTable = (typeof peopleTables)[number]
export const isPeopleTable = (table: string): table is PeopleTable => peopleTables.some(one => one === table)

/** Reads what a table tells of people: how many lines it has, what they hold of whom, and the lines that cannot be read. */
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
      // A face is many templates of one person, and its picture says more.
      if (read.record !== ownTemplate || !held.has(place)) held.set(place, { number, ...read })
    }
  }
  return { count: lines.length, held: [...held.values()], unread }
}

/** What a call delivers. */
export interface TableDelivery {
  table: string
  /** Access terminals send all but their live log as packets of this one table, and name the table beside it. */
  isPacket: boolean
  /** Acknowledges so many lines. */
  acknowledge(count: number): string
}

/** Reads which table is delivered; its name is empty where none, or no usable one, is named. */
export function readDelivery(query: ReadonlyMap<string, string>): TableDelivery {
  const outer = query.get('table') ?? ''
  const isPacket = outer.toLowerCase() === 'tabledata'
  const name = (isPacket ? query.get('tablename') : outer) ?? ''
  const table = /^\w{1,32}$/.test(name) ? name.toUpperCase() : ''
  // An access terminal repeats a packet until its own name comes back, and takes no count for its live log.
  const acknowledge = (count: number) =>
    isPacket ? `${name}=${count}\n` : table === 'RTLOG' ? nothingToDo : composeTaken(count)
  return { table, isPacket, acknowledge }
}

const secretFields = /(^|[\t ])(passw\w*|pwd|tmp|template\w*|content)=[^\t]*/gi
const cardFields = /(^|[\t ])(card\w*)=[^\t]*/gi
/** Only a record has a time; its card may be all that says whose it is. */
const withoutSecrets = (line: string): string => {
  const shown = line.replaceAll(secretFields, '$1$2=…')
  return /(^|[\t ])time\w*=/i.test(line) ? shown : shown.replaceAll(cardFields, '$1$2=…')
}

/** Lines that nobody here can read, as a manager sees them: without passwords and templates. */
export const readUnread = (table: string, lines: readonly string[]): LogRecord[] =>
  lines.map(line => {
    const pin = /(?:^|[\t ])pin=(\w{1,32})/i.exec(line)?.[1]
    return { kind: 'quarantine', reason: 'unread', raw: { table, ...(pin && { pin }), line: withoutSecrets(line) } }
  })

/** What a terminal says of itself: in `INFO` of `getrequest`, or in the table `options`. */
export interface Said {
  firmware?: string
  model?: string
  mac?: string
  fingerAlgorithm?: string
  counts: { users?: number; templates?: number; records?: number; faces?: number }
}

const countOf = (text: string | undefined) => (text && /^\d{1,9}$/.test(text) ? Number(text) : undefined)
const shortOf = (text: string | undefined) => (text ? text.slice(0, 64) : undefined)
/** Templates of one version of the finger algorithm are read by every terminal that has it. */
const algorithmOf = (version: string | undefined) => (version && /^\d{1,3}$/.test(version) ? `zk${version}` : undefined)

/** Firmware, people, fingers, records, address, finger algorithm, face algorithm, faces it needs, faces. */
export function readInfo(info: string): Said {
  const [firmware, users, templates, records, , algorithm, , , faces] = info.split(',').map(part => part.trim())
  return {
    firmware: shortOf(firmware),
    fingerAlgorithm: algorithmOf(algorithm),
    counts: { users: countOf(users), templates: countOf(templates), records: countOf(records), faces: countOf(faces) },
  }
}

export function readOptions(body: string): Said {
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

/** What a terminal returns for one command. */
export interface Returned {
  number: string
  /** As the terminal says it. */
  code: string
}

/** Reads `ID=1&Return=0&CMD=DATA`, one line for each command. */
export const readReturns = (body: string): Returned[] =>
  linesOf(body).flatMap(line => {
    const fields = pairsOf(line, '&')
    const [number, code] = [fields.get('id'), fields.get('return')]
    return number && code !== undefined && /^-?\d{1,9}$/.test(code) ? [{ number, code }] : []
  })

/** A command the terminal does not know, cannot read, or has not on this model. */
const unsupported = new Set(['-1', '-1002', '-1004'])
/** The terminal does not know the person. */
const noSuchUser = '-10'

/** What a code means depends on the command: a query answers how many it found, an enrolment succeeds by 0 alone. */
export const outcomeOf = (cmd: string, code: string): 'ok' | 'unsupported' | 'refused' => {
  const value = Number(code)
  if (cmd === 'adduser' && value > 0) return 'refused'
  if (value >= 0 || (cmd === 'deleteuser' && code === noSuchUser)) return 'ok'
  return unsupported.has(code) ? 'unsupported' : 'refused'
}

// Answers.

/** Seconds between two times a terminal asks what it is to do. Each costs us a call, and whoever waits waits no longer. */
const delaySeconds = 30
const minutesInHour = 60
/** What a zone's clock is ahead: in whole hours, or in minutes where it is no whole number of them. */
const zoneOf = (offsetMinutes: number) =>
  offsetMinutes % minutesInHour === 0 ? offsetMinutes / minutesInHour : offsetMinutes

/**
 * What a terminal is told that begins. The stamps say what it has delivered, 0 that it is to deliver everything; photos are
 * not asked for.
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

/** What a terminal is told that registers itself: newer ones do before anything else, and go by it. It opens nothing. */
export const composeRegistry = (code: string): string => `RegistryCode=${code}\n`

/** The terminal forgets so many. */
export const composeTaken = (count: number): string => `OK: ${count}\n`
export const nothingToDo = 'OK\n'

/** What is put between tabs into a line stays in its place: a name with a line of its own would be a command of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
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
 * Says in the words of this family what a message of the first one says; `unsupported` where there are no such words, `done` where
 * nothing has to be said. `localNow` as everywhere.
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
    // It asks for its options anew, of which the zone is one, and sets its clock by the answer.
    case 'settime':
      return 'CHECK'
    // The command names no door: it opens the first.
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
    // What was registered it delivers by itself.
    case 'checkregstatus':
      return 'done'
    default:
      return 'unsupported'
  }
}

/** The line a command is sent in; its number comes back with what came of it. */
export const composeCommand = (number: string, text: string): string => `C:${number}:${text}\n`
