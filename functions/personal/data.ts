import { type Absence, absencePk } from '../../shared/absence.ts'
import { accountKey } from '../../shared/account.ts'
import { type AuditEntry, auditPks } from '../../shared/audit.ts'
import { companyKey } from '../../shared/company.ts'
import { credentialKey } from '../../shared/credential.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { departmentKey } from '../../shared/department.ts'
import { departmentsOf, type Employee, photoKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { type Invitation, invitationKey } from '../../shared/invitation.ts'
import { leaveBookKey } from '../../shared/leave.ts'
import { addDays, daysBetween, localDay } from '../../shared/local-day.ts'
import { type Notice, noticePk } from '../../shared/notice.ts'
import { fullName } from '../../shared/person-name.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { type Correction, correctionPk } from '../../shared/record/correction.ts'
import { type DayNote, dayNotePk } from '../../shared/record/day-note.ts'
import { attachmentKey, type Request, requestPk } from '../../shared/request.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { employeeSessionKey, sessionKey } from '../../shared/session.ts'
import { shiftKey } from '../../shared/shift.ts'
import { verificationOf } from '../../shared/terminal/punch-mode.ts'
import { accountEntryPk, type TimeAccountEntry } from '../../shared/time-account.ts'
import { readTemplates } from '../credential/shred.ts'
import { findEmployee } from '../employee/store.ts'
import { isDefined } from '../kit/defined.ts'
import { directory, type Item, save, type Table } from '../kit/table.ts'
import type { Kind, TaskOutcome, Work } from '../kit/task.ts'
import { type Cell, writeSheet } from '../sheet/write.ts'

// All stored data of one person, for that person: JSON for programs, sheets for people. Secrets that open doors (card,
// password, templates) appear only as present or absent.

type Row = Record<string, unknown>
const monthsAhead = 24

const bare = <T extends { version: number }>({ version: _, ...item }: T): Row => item

const readPerson = async (table: Table, person: Item<Employee>): Promise<Row[]> => {
  const departments = await table.getMany(departmentsOf(person).map(departmentKey))
  const {
    account: _,
    emailSetBy: _setBy,
    passwordSetBy: _by,
    photo,
    ...record
  } = bare(person) as Row & Pick<Employee, 'account' | 'emailSetBy' | 'passwordSetBy' | 'photo'>
  return [
    {
      ...record,
      hasPhoto: photo !== undefined,
      departmentNames: departments.filter(isDefined).map(({ name }) => name),
    },
  ]
}

const readSignIn = async (table: Table, { id, account: accountId }: Employee): Promise<Row[]> => {
  const account = accountId ? await directory().get(accountKey(accountId)) : undefined
  const open = await table.all<{ tokenHash: string }>({ pk: employeeSessionKey(id, '').pk })
  const sessions = (await directory().getMany(open.map(({ tokenHash }) => sessionKey(tokenHash)))).filter(isDefined)
  return [
    ...(account ? [{ email: account.email, hasPassword: true }] : []),
    ...sessions.map(({ type, startedAt, seenAt }) => ({ session: type, startedAt, seenAt })),
  ]
}

const readPunching = async (table: Table, employee: string): Promise<Row[]> => {
  const [credential, { fingers, face }] = await Promise.all([
    table.get(credentialKey(employee)),
    readTemplates({ table, employee }),
  ])
  const templates = face ? [...fingers, face] : fingers
  return [
    ...(credential
      ? [
          {
            punchMode: credential.punchMode,
            verification: verificationOf(credential.punchMode),
            hasCard: credential.card !== undefined,
            hasPassword: credential.password !== undefined,
          },
        ]
      : []),
    ...templates.map(({ kind, sign, algorithm, registeredAt, serialNumber }) => ({
      template: kind,
      sign,
      algorithm,
      registeredAt,
      serialNumber,
    })),
  ]
}

const readPunches = async (table: Table, { workno, formerWorknos = [] }: Employee): Promise<Row[]> => {
  const lists = await Promise.all(
    [workno, ...formerWorknos].map(number => table.all<Punch>({ pk: punchKey({ number, localTime: '', sn: '' }).pk })),
  )
  return lists.flat().map(bare)
}

const readDays = async (table: Table, employee: string): Promise<Row[]> =>
  (await table.all<DayRow>({ pk: dayRowKey(employee, '', null, 1).pk })).map(bare)

/** The schedule since the creation of the company. */
const readSchedule = async (table: Table, employee: string, since: string, zone: string): Promise<Row[]> => {
  const until = addDays(localDay(zone, Date.now()), monthsAhead * 31)
  const months = [...new Set(daysBetween(localDay(zone, Date.parse(since)), until).map(monthOf))]
  const schedules = (await table.getMany(months.map(month => scheduleKey(month, employee)))).filter(isDefined)
  const scheduled = schedules.flatMap(({ days }) => Object.entries(days).map(([day, shifts]) => ({ day, shifts })))
  const ids = [...new Set(scheduled.flatMap(({ shifts }) => shifts))]
  const names = new Map((await table.getMany(ids.map(shiftKey))).filter(isDefined).map(({ id, name }) => [id, name]))
  return scheduled
    .map(({ day, shifts }) => ({ day, shifts: shifts.map(id => names.get(id) ?? id) }))
    .sort((one, other) => (one.day < other.day ? -1 : 1))
}

/** The requests and their outcomes, without deciders and other commenters: their names are their own personal data. */
const readRequests = async (table: Table, employee: string): Promise<Row[]> =>
  (await table.all<Request>({ pk: requestPk(employee) })).map(({ enteredBy, ...request }) => ({
    ...bare(request),
    ...(enteredBy !== undefined && { isEnteredByManager: true }),
    steps: request.steps.map(({ by: _, onBehalfOf: __, ...step }) => step),
    comments: request.comments?.map(({ by, ...comment }) => ({ ...comment, byThemselves: by === employee })),
  }))

/** The corrections of the employee's punches, without the managers who made them. */
const readCorrections = async (table: Table, employee: string): Promise<Row[]> =>
  (await table.all<Correction>({ pk: correctionPk(employee) })).map(({ by: _, former, ...correction }) => {
    const { by: __, ...earlier } = former ?? { by: '' }
    return bare({ ...correction, ...(former && { former: earlier }) })
  })

/** The marks of absence, without the managers who made them. */
const readAbsences = async (table: Table, employee: string): Promise<Row[]> =>
  (await table.all<Absence>({ pk: absencePk(employee) })).map(({ by: _, ...absence }) => bare(absence))

/** Manual leave grants on top of the allowance rules. The key of an entry is `<year>#<leave type>`. */
const readGivenLeave = async (table: Table, employee: string): Promise<Row[]> => {
  const book = await table.get(leaveBookKey(employee))
  return Object.entries(book?.entries ?? {}).map(([name, grant]) => {
    const [year, leaveType] = name.split('#').map(Number)
    return { year, leaveType, ...grant }
  })
}

/** The entries of the time account, without their authors. */
const readAccountEntries = async (table: Table, employee: string): Promise<Row[]> =>
  (await table.all<TimeAccountEntry>({ pk: accountEntryPk(employee) })).map(({ by: _, ...entry }) => bare(entry))

const endings: Record<string, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'application/pdf': 'pdf' }

/** The attachments of the requests, named by their ids as in the requests. */
const readAttachments = async (
  { table, files }: Pick<Work<'employee/data'>, 'table' | 'files'>,
  employee: string,
): Promise<[name: string, bytes: Uint8Array][]> => {
  const attached: [string, Uint8Array][] = []
  for await (const { attachments = [] } of table.each<Request>({ pk: requestPk(employee) }))
    for (const { id, type } of attachments) {
      const bytes = await files.read(attachmentKey(employee, id))
      if (bytes) attached.push([`attachments/${id}.${endings[type] ?? 'bin'}`, bytes])
    }
  return attached
}

/** The notices of the person, without the people who caused them: their names are their own personal data. */
const readNotices = async (table: Table, employee: string): Promise<Row[]> =>
  (await table.all<Notice>({ pk: noticePk(employee) })).map(({ by: _, of: __, id: ___, ...notice }) => bare(notice))

const readInvitations = async (table: Table, employee: string): Promise<Row[]> =>
  (await table.all<Invitation>({ pk: invitationKey(employee, '').pk })).map(({ email, createdAt, expiresAt }) => ({
    email,
    createdAt,
    expiresAt: new Date(expiresAt * 1000).toISOString(),
  }))

/** The audited changes of this person, without the people who made them: their names are their own personal data. */
const readAudit = async (table: Table, employee: string): Promise<Row[]> => {
  const rows: Row[] = []
  for (const pk of auditPks)
    for await (const entry of table.each<AuditEntry>({ pk, where: [['objects', 'contains', employee]] }))
      for (const { noun, id, change, fields } of entry.changes)
        if (id === employee)
          rows.push({ at: entry.at, noun, change, fields, byThemselves: entry.employee === employee })
  return rows.sort((one, other) => (String(one.at) < String(other.at) ? -1 : 1))
}

const cellOf = (value: unknown): Cell =>
  value === undefined || typeof value === 'string' || typeof value === 'number'
    ? value
    : typeof value === 'boolean'
      ? String(value)
      : JSON.stringify(value)

const sheetOf = (rows: Row[]): Promise<Uint8Array> => {
  const headings = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return writeSheet('csv', {
    headings,
    rows: rows.map(row => headings.map(heading => cellOf(row[heading]))),
    dateFormat: 'YYYY-MM-DD',
  })
}

const photoEnding = (bytes: Uint8Array) => (bytes[0] === 0xff ? 'jpg' : 'png')

const run = async ({ table, files, input: { id }, tell }: Work<'employee/data'>): Promise<TaskOutcome> => {
  const person = await findEmployee(table, id)
  const settings = await table.get(companyKey())
  if (!person || !settings) throw new Problem(60004, { id: 60004 })
  const parts: [name: string, read: () => Promise<Row[]>][] = [
    ['person', () => readPerson(table, person)],
    ['sign-in', () => readSignIn(table, person)],
    ['punching', () => readPunching(table, id)],
    ['schedule', () => readSchedule(table, id, settings.createdAt, settings.timezone)],
    ['punches', () => readPunches(table, person)],
    ['corrections', () => readCorrections(table, id)],
    ['absences', () => readAbsences(table, id)],
    ['explanations', async () => (await table.all<DayNote>({ pk: dayNotePk(id) })).map(bare)],
    ['days', () => readDays(table, id)],
    ['requests', () => readRequests(table, id)],
    ['leave', () => readGivenLeave(table, id)],
    ['time_account', () => readAccountEntries(table, id)],
    ['notices', () => readNotices(table, id)],
    ['invitations', () => readInvitations(table, id)],
    ['changes', () => readAudit(table, id)],
  ]
  const rowsByPart: Record<string, Row[]> = {}
  const archive = new Map<string, Uint8Array>()
  for (const [i, [name, read]] of parts.entries()) {
    await tell('write', i, parts.length)
    rowsByPart[name] = await read()
    if (rowsByPart[name].length > 0) archive.set(`${name}.csv`, await sheetOf(rowsByPart[name]))
  }
  archive.set('data.json', Buffer.from(JSON.stringify(rowsByPart, null, 2)))
  const photo = person.photo === undefined ? undefined : await files.read(photoKey(id))
  if (photo) archive.set(`photo.${photoEnding(photo)}`, photo)
  for (const [name, bytes] of await readAttachments({ table, files }, id)) archive.set(name, bytes)
  const { zipSync } = await import('fflate')
  // The audit log shows who collected the data.
  await save(table.note({ noun: 'employee', id, name: fullName(person), change: 'read', fields: {} }))
  return {
    file: { name: `data-${person.workno}.zip`, type: 'application/zip', bytes: zipSync(Object.fromEntries(archive)) },
  }
}

export const collectData: Kind<'employee/data'> = { run }
