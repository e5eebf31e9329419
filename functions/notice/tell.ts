import type { Company } from '../../shared/company.ts'
import { dateFormatOf } from '../../shared/company.ts'
import { type Employee, employeeKey, hasLeft } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import {
  keptDays,
  type Notice,
  type NoticeEvent,
  type NoticeParams,
  noticeId,
  noticeKey,
  noticeParamsKey,
  placeOfNotice,
} from '../../shared/notice.ts'
import { fullName, greetingName } from '../../shared/person-name.ts'
import { readNames } from '../day/rows.ts'
import { atOnce } from '../kit/each.ts'
import { environment } from '../kit/environment.ts'
import { sendMail } from '../kit/mail.ts'
import { change } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'
import { sayNotice } from './words.ts'

// Telling people what happened: first it is written down for each of them, then it is mailed to who wants mails.

const noticesAtOnce = 8
const daySeconds = 24 * 3600

/** What happened, and to whom it is told. */
export interface Addressed {
  event: NoticeEvent
  employee: string
}

const named = ({ event, employee }: Addressed) => ({ employee, id: noticeId(event) })

/** As it is written down; undefined where its person wants it in no way. */
const noticeFor = (
  { event, employee }: Addressed,
  person: Employee,
  params: NoticeParams | undefined,
): Notice | undefined => {
  const isInApp = !params?.notInApp.includes(event.kind)
  const isByMail = person.email !== undefined && !params?.notByMail.includes(event.kind)
  if (!isInApp && !isByMail) return undefined
  return {
    ...event,
    ...named({ event, employee }),
    isUnread: isInApp,
    isMailOnly: !isInApp,
    ...(isByMail && { mail: 'due' }),
    expiresAt: Math.floor(Date.parse(event.at) / 1000) + keptDays * daySeconds,
  }
}

/** Writes a notice down; false where it was there. */
const place = async (table: Table, notice: Notice): Promise<boolean> => {
  try {
    await save(table.insert(noticeKey(notice), notice))
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/**
 * Takes a notice that is to be mailed, mails it, and gives it back where that fails: then it is thrown, for the mail to be tried
 * again. Who is interrupted in between has mailed it or not, and nobody mails it twice.
 */
const mail = async (table: Table, company: Company, notice: Item<Notice>, person: Employee): Promise<void> => {
  const { email, language = 'en' } = person
  if (email === undefined) return
  let isMine = false
  await change(table, noticeKey(notice), (now): Notice | undefined => {
    isMine = now.mail === 'due'
    return isMine ? { ...now, mail: 'sent' } : undefined
  })
  if (!isMine) return
  const { by, of } = notice
  const name =
    by === undefined ? notice.name : fullName((await readNames(table, [{ employee: by, shift: null }])).employee(by))
  const words = sayNotice(language, notice, {
    name: name ?? of,
    first_name: greetingName(person),
    company: company.name,
    dateFormat: dateFormatOf(company.dateformat_id),
    url: environment('SITE') + placeOfNotice(notice, person.id).address,
  })
  try {
    await sendMail({ to: email, ...words })
  } catch (error) {
    await change(table, noticeKey(notice), now => ({ ...now, mail: 'due' as const }))
    throw error
  }
}

/** Tells people what happened who were not told yet. Throws where a mail could not be sent, once all others are. */
export const tellPeople = async (
  table: Table,
  { company, today }: { company: Company; today: string },
  list: Addressed[],
): Promise<void> => {
  const ids = [...new Set(list.map(({ employee }) => employee))]
  const [found, params, known] = await Promise.all([
    table.getMany(ids.map(employeeKey)),
    table.getMany(ids.map(noticeParamsKey)),
    table.getMany(list.map(one => noticeKey(named(one)))),
  ])
  const faults: unknown[] = []
  await atOnce(noticesAtOnce, [...list.entries()], async ([i, one]) => {
    const at = ids.indexOf(one.employee)
    const person = found[at]
    if (!person || hasLeft(person, today)) return
    const notice = known[i] ?? noticeFor(one, person, params[at])
    if (!notice) return
    try {
      const isNew = !known[i] && (await place(table, notice))
      const stored = isNew ? { ...notice, version: 1 } : (known[i] ?? (await table.get(noticeKey(notice))))
      if (stored?.mail === 'due') await mail(table, company, stored, person)
    } catch (error) {
      faults.push(error)
    }
  })
  if (faults.length > 0) throw faults[0]
}

/** Nobody has to look any more at what these were told. */
export const settleNotices = async (table: Table, list: Addressed[]): Promise<void> => {
  const known = await table.getMany(list.map(one => noticeKey(named(one))))
  await atOnce(noticesAtOnce, known, async notice => {
    if (notice?.isUnread)
      await change(table, noticeKey(notice), now => (now.isUnread ? { ...now, isUnread: false } : undefined))
  })
}
