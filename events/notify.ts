import { readJudges } from '../functions/approve/approver.ts'
import { holdsNow, readHolders } from '../functions/approve/holder.ts'
import { findEmployee } from '../functions/employee/store.ts'
import { manages, managesEmployee } from '../functions/kit/caller.ts'
import { job, type Told, tryGroups } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { openTable, save, type Table } from '../functions/kit/table.ts'
import type { TaskInputs } from '../functions/kit/task.ts'
import { type Addressed, settleNotices, tellPeople } from '../functions/notice/tell.ts'
import { readAround } from '../functions/request/store.ts'
import { mailTrouble } from '../functions/webhooks/mail.ts'
import { absenceKey } from '../shared/absence.ts'
import { alarmNames } from '../shared/alarm.ts'
import { dayNumber } from '../shared/attendance/calendar.ts'
import { wallTime } from '../shared/attendance/wall-time.ts'
import { readingAt } from '../shared/attendance/zone.ts'
import { type DayRow, dayRowKey } from '../shared/day.ts'
import { deviceKey } from '../shared/device/key.ts'
import { type Employee, employeeKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { exceptionKey } from '../shared/exception.ts'
import type { Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { addDays, localDay } from '../shared/local-day.ts'
import {
  askedOf,
  forgottenDays,
  keptDays,
  mostDaysNamed,
  type NoticeEvent,
  newsDays,
  toldOf,
  toldOfAbsence,
  toldOfCorrection,
} from '../shared/notice.ts'
import type { Permission } from '../shared/permissions.ts'
import { type HeldNews, heldNewsKey } from '../shared/punch.ts'
import { correctionKey } from '../shared/record/correction.ts'
import { dayNoteKey } from '../shared/record/day-note.ts'
import { requestKey, requestStatus } from '../shared/request.ts'
import { taskKey, taskPartKey } from '../shared/task.ts'

// Notifies people about requests, corrections, explanations, marks of absence, missing clock-outs, unreadable records,
// failed mailings, published shifts and webhook trouble. An event only names its subject. The current state decides the
// notice, and each notice is sent once.

type NotifyFact = Extract<Fact, { type: (typeof jobs)['notify']['facts'][number] }>
type Changed = Extract<NotifyFact, { type: 'request.changed' }>
type Corrected = Extract<NotifyFact, { type: 'correction.changed' }>
type Explained = Extract<NotifyFact, { type: 'dayNote.changed' }>
type Marked = Extract<NotifyFact, { type: 'absence.marked' }>
type Raised = Extract<NotifyFact, { type: 'exception.raised' }>
type Held = Extract<NotifyFact, { type: 'record.held' }>
type Published = Extract<NotifyFact, { type: 'schedule.published' }>
type MailingFailed = Extract<NotifyFact, { type: 'mailing.failed' }>

const subjectsAtOnce = 4
const lookAfterTerminals: Permission = 2
const correctRecords: Permission = 9
const dayMilliseconds = 24 * 3600_000

const tellRequest = async ({ company: id, employee, id: request }: Changed): Promise<void> => {
  const table = openTable(id)
  const read = () => table.get(requestKey({ employee, id: request }))
  const [found, person] = await Promise.all([read(), findEmployee(table, employee)])
  if (!found || !person) return
  const around = await readAround(table)
  const oldest = Date.now() - newsDays * dayMilliseconds
  const news = toldOf(found).filter(({ event }) => Date.parse(event.at) > oldest)
  // Approvers need no notification about a decided request.
  const isSettled = found.status !== requestStatus.pending
  const judges =
    isSettled || news.some(({ to }) => to === 'approvers') ? await readJudges(table, person, around.today) : []
  // The manager who entered the request knows of it already.
  const isNews = (event: NoticeEvent, one: string) =>
    one !== event.by && !(event.kind === 'request.asked' && one === found.enteredBy)
  const to = (event: NoticeEvent, people: string[]): Addressed[] =>
    people.filter(one => isNews(event, one)).map(one => ({ event, employee: one }))
  const settle = () => settleNotices(table, to(askedOf(found), judges))
  if (isSettled) await settle()
  await tellPeople(
    table,
    around,
    news.flatMap(told => to(told.event, told.to === 'requester' ? [employee] : judges)),
  )
  // A parallel notification about the decision did not see this notice yet.
  if (!isSettled && (await read())?.status !== requestStatus.pending) await settle()
}

/** Everybody else who may correct the person's punches now. */
const readAllCorrectors = async (table: Table, person: Employee, today: string): Promise<string[]> => {
  const holders = await readHolders(table, correctRecords, today)
  return holders.flatMap(({ employee, rights }) =>
    employee.id !== person.id && managesEmployee(rights, person) ? [employee.id] : [],
  )
}

/**
 * Who hears of an answer to a correction: its manager, or everybody who may correct the person now if the manager has
 * left or no longer may.
 */
const readCorrectors = async (table: Table, person: Employee, manager: string, today: string): Promise<string[]> => {
  const author = await table.get(employeeKey(manager))
  const rights = author && (await holdsNow(table, correctRecords, author, today))
  return rights && managesEmployee(rights, person) ? [manager] : readAllCorrectors(table, person, today)
}

/** Notifies the employee of a correction, and the manager of the answer. */
const tellCorrection = async ({ company: id, employee, punch }: Corrected): Promise<void> => {
  const table = openTable(id)
  const correction = await table.get(correctionKey({ employee, punch }))
  if (!correction) return
  const oldest = Date.now() - newsDays * dayMilliseconds
  const news = toldOfCorrection(correction).filter(({ event }) => Date.parse(event.at) > oldest)
  const person = await findEmployee(table, employee)
  if (news.length === 0 || !person) return
  const around = await readAround(table)
  const isAnswered = news.some(({ event }) => event.kind === 'correction.answered')
  const correctors = isAnswered ? await readCorrectors(table, person, correction.by, around.today) : []
  await tellPeople(
    table,
    around,
    news.flatMap(told =>
      told.event.kind === 'correction.answered' ? correctors.map(reader => ({ ...told, employee: reader })) : [told],
    ),
  )
}

/** Notifies the managers of an employee's explanation, because it may lead to a correction. */
const tellExplained = async ({ company: id, employee, day }: Explained): Promise<void> => {
  const table = openTable(id)
  const [note, person] = await Promise.all([table.get(dayNoteKey({ employee, day })), findEmployee(table, employee)])
  if (!note || !person || Date.parse(note.at) <= Date.now() - newsDays * dayMilliseconds) return
  const around = await readAround(table)
  const event: NoticeEvent = { kind: 'day.explained', at: note.at, of: employee, by: employee, day, toDay: day }
  const correctors = await readAllCorrectors(table, person, around.today)
  await tellPeople(
    table,
    around,
    correctors.map(reader => ({ event, employee: reader })),
  )
}

/** Notifies the employee of a mark of absence. */
const tellAbsence = async ({ company: id, ...name }: Marked): Promise<void> => {
  const table = openTable(id)
  const absence = await table.get(absenceKey(name))
  if (!absence || Date.parse(absence.madeAt) < Date.now() - newsDays * dayMilliseconds) return
  const event = toldOfAbsence(absence)
  await tellPeople(table, await readAround(table), [{ event, employee: absence.employee }])
}

/** The end of the shift, in the correction form's format. */
const dutyEnd = ({ zone, day, dutyTo }: DayRow): string | undefined =>
  dutyTo === null ? undefined : wallTime(readingAt(zone, Math.floor(dutyTo / 60_000)) - dayNumber(day) * 1440)

const tellForgotten = async ({ company: id, employee, day, shift }: Raised): Promise<void> => {
  const table = openTable(id)
  const { company, today } = await readAround(table)
  if (day < addDays(localDay(company.timezone, Date.now()), -forgottenDays)) return
  const [exception, row] = await Promise.all([
    table.get(exceptionKey('open', { employee, day, shift, type: 'missingOut' })),
    table.get(dayRowKey(employee, day, shift, 1)),
  ])
  if (!exception || !row) return
  const time = dutyEnd(row)
  const event: NoticeEvent = {
    ...{ kind: 'punch.forgotten', at: new Date(row.closesAt).toISOString() },
    ...{ of: employee, by: employee, day, toDay: day },
    ...(time !== undefined && { time }),
  }
  await tellPeople(table, { company, today }, [{ event, employee }])
}

/** Sends one notice for each terminal and day, because a wrong clock can cause a thousand held records. */
const tellHeld = async ({ company: id, sn, receivedAt }: Held): Promise<void> => {
  const table = openTable(id)
  const { company, today } = await readAround(table)
  const day = localDay(company.timezone, Date.parse(receivedAt))
  const key = heldNewsKey(sn, day)
  const [device, known] = await Promise.all([table.get(deviceKey(sn)), table.get(key)])
  if (!device || known?.isTold || day < addDays(today, -newsDays)) return
  const expiresAt = Math.floor(Date.parse(receivedAt) / 1000) + keptDays * 24 * 3600
  const first: HeldNews = { at: receivedAt, expiresAt }
  if (!known)
    await save(table.insert(key, first)).catch(error => {
      if (!(error instanceof Problem)) throw error
    })
  // Use the stored time. It identifies the notice, so all held records of a day give one notice.
  const { at } = (await table.get(key)) ?? first
  // This line raises the operators' alarm.
  log({ alarm: alarmNames.held, company: id, sn, since: at })
  const holders = await readHolders(table, lookAfterTerminals, today)
  const event: NoticeEvent = { kind: 'record.held', at, of: sn, name: device.name, day, toDay: day }
  await tellPeople(
    table,
    { company, today },
    holders.flatMap(({ employee, rights }) =>
      manages(rights, device.department) ? { event, employee: employee.id } : [],
    ),
  )
  await save(table.put(key, { ...first, at, isTold: true }))
}

/** Notifies the employee who scheduled the report, and the one who should have received it. */
const tellMailing = async ({ company: id, employee, task }: MailingFailed): Promise<void> => {
  const table = openTable(id)
  const [{ company, today }, failed] = await Promise.all([readAround(table), table.get(taskKey(employee, task))])
  if (failed?.state !== 'failed' || failed.finishedAt === undefined) return
  const { name, scheduledBy } = failed.input as TaskInputs['report/mail/send']
  const day = localDay(company.timezone, Date.parse(failed.finishedAt))
  const event: NoticeEvent = { kind: 'mailing.failed', at: failed.finishedAt, of: task, name, day, toDay: day }
  await tellPeople(
    table,
    { company, today },
    [...new Set([employee, scheduledBy])].map(reader => ({ event, employee: reader })),
  )
}

/** Notifies a person of their published days. The instant of the publication makes it one notice. */
const tellPublished = async ({ company: id, employee, task, part, by }: Published): Promise<void> => {
  const table = openTable(id)
  const [publication, written] = await Promise.all([table.get(taskKey(by, task)), table.get(taskPartKey(task, part))])
  const days = Object.keys(written?.days ?? {}).sort()
  const [day, toDay] = [days[0], days.at(-1)]
  if (!publication || day === undefined || toDay === undefined) return
  const { createdAt, keyName } = publication
  const event: NoticeEvent = {
    ...{ kind: 'schedule.published', at: createdAt, of: employee, day, toDay },
    ...(keyName === undefined ? { by } : { name: keyName }),
    days: days.slice(0, mostDaysNamed),
  }
  await tellPeople(table, await readAround(table), [{ event, employee }])
}

const tell = (fact: NotifyFact) => {
  if (fact.type === 'mailing.failed') return tellMailing(fact)
  if (fact.type === 'schedule.published') return tellPublished(fact)
  if (fact.type === 'webhook.troubled') return mailTrouble(fact)
  if (fact.type === 'record.held') return tellHeld(fact)
  if (fact.type === 'correction.changed') return tellCorrection(fact)
  if (fact.type === 'dayNote.changed') return tellExplained(fact)
  if (fact.type === 'absence.marked') return tellAbsence(fact)
  return fact.type === 'request.changed' ? tellRequest(fact) : tellForgotten(fact)
}

const subjectOf = ({ fact }: Told<NotifyFact>) => {
  if (fact.type === 'webhook.troubled') return `${fact.company} ${fact.webhook} ${fact.trouble}`
  if (fact.type === 'schedule.published') return `${fact.company} ${fact.task} ${fact.part}`
  if (fact.type === 'mailing.failed') return `${fact.company} ${fact.task}`
  if (fact.type === 'correction.changed') return `${fact.company} ${fact.employee} ${fact.punch}`
  if (fact.type === 'dayNote.changed') return `${fact.company} note ${fact.employee} ${fact.day}`
  if (fact.type === 'absence.marked') return `${fact.company} absence ${fact.employee} ${fact.day} ${fact.shift}`
  if (fact.type === 'record.held') return `${fact.company} ${fact.sn} ${fact.receivedAt.slice(0, 10)}`
  return fact.type === 'request.changed'
    ? `${fact.company} ${fact.employee} ${fact.id}`
    : `${fact.company} ${fact.employee} ${fact.day} ${fact.shift}`
}

export const handler = job('notify', jobs.notify.facts, (told: Told<NotifyFact>[]) =>
  tryGroups('notify', subjectsAtOnce, Map.groupBy(told, subjectOf).values(), async ([first]) => {
    if (first) await tell(first.fact)
  }),
)
