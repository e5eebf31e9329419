import { readJudges } from '../functions/kit/approver.ts'
import { atOnce } from '../functions/kit/at-once.ts'
import { findEmployee } from '../functions/kit/employee.ts'
import { job, type Told } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { type Addressed, settleNotices, tellPeople } from '../functions/kit/notice.ts'
import { readAround } from '../functions/kit/request.ts'
import { openTable } from '../functions/kit/table.ts'
import { mailTrouble } from '../functions/kit/webhook-mail.ts'
import { dayNumber } from '../shared/attendance/calendar.ts'
import { wallTime } from '../shared/attendance/wall-time.ts'
import { readingAt } from '../shared/attendance/zone.ts'
import { type DayRow, dayRowKey } from '../shared/day.ts'
import { exceptionKey } from '../shared/exception.ts'
import type { Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { addDays, localDay } from '../shared/local-day.ts'
import { askedOf, forgottenDays, type NoticeEvent, newsDays, toldOf } from '../shared/notice.ts'
import { requestKey, requestStatus } from '../shared/request.ts'

// What happened to requests, punches that were forgotten, and trouble with webhooks are told to the people they concern. A fact says only what to look
// at: what there is to tell follows from how it stands now, and what was told is not told again.

type NotifyFact = Extract<Fact, { type: (typeof jobs)['notify']['facts'][number] }>
type Changed = Extract<NotifyFact, { type: 'request.changed' }>
type Raised = Extract<NotifyFact, { type: 'exception.raised' }>

const subjectsAtOnce = 4
const dayMilliseconds = 24 * 3600_000

const tellRequest = async ({ company: id, employee, id: request }: Changed): Promise<void> => {
  const table = openTable(id)
  const read = () => table.get(requestKey({ employee, id: request }))
  const [found, person] = await Promise.all([read(), findEmployee(table, employee)])
  if (!found || !person) return
  const around = await readAround(table)
  const oldest = Date.now() - newsDays * dayMilliseconds
  const news = toldOf(found).filter(({ event }) => Date.parse(event.at) > oldest)
  // Who was asked need not decide any more what somebody has decided.
  const isSettled = found.status !== requestStatus.pending
  const judges =
    isSettled || news.some(({ to }) => to === 'approvers') ? await readJudges(table, person, around.today) : []
  const to = (event: NoticeEvent, people: string[]): Addressed[] =>
    people.filter(one => one !== event.by).map(one => ({ event, employee: one }))
  const settle = () => settleNotices(table, to(askedOf(found), judges))
  if (isSettled) await settle()
  await tellPeople(
    table,
    around,
    news.flatMap(told => to(told.event, told.to === 'requester' ? [employee] : judges)),
  )
  // Whoever told of a decision taken meanwhile did not find yet what was told here.
  if (!isSettled && (await read())?.status !== requestStatus.pending) await settle()
}

/** When duty ended, as the form of a correction takes it. */
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

const tell = (fact: NotifyFact) => {
  if (fact.type === 'webhook.troubled') return mailTrouble(fact)
  return fact.type === 'request.changed' ? tellRequest(fact) : tellForgotten(fact)
}

const subjectOf = ({ fact }: Told<NotifyFact>) => {
  if (fact.type === 'webhook.troubled') return `${fact.company} ${fact.webhook} ${fact.trouble}`
  return fact.type === 'request.changed'
    ? `${fact.company} ${fact.employee} ${fact.id}`
    : `${fact.company} ${fact.employee} ${fact.day} ${fact.shift}`
}

export const handler = job('notify', jobs.notify.facts, async (told: Told<NotifyFact>[]) => {
  const failed: string[] = []
  await atOnce(subjectsAtOnce, [...Map.groupBy(told, subjectOf).values()], async group => {
    const [first] = group
    try {
      if (first) await tell(first.fact)
    } catch (error) {
      failed.push(...group.map(({ message }) => message))
      const fault = error instanceof Error ? error.stack : String(error)
      log({ job: 'notify', fact: first?.fact, fault })
    }
  })
  return failed
})
