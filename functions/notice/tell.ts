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
import { requestKey } from '../../shared/request.ts'
import { readNames } from '../day/rows.ts'
import { atOnce } from '../kit/each.ts'
import { environment } from '../kit/environment.ts'
import { sendMail } from '../kit/mail.ts'
import { change } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'
import { sayNotice } from './words.ts'

// Stores each notice for its recipient first, then mails it to recipients who want mails.

const noticesAtOnce = 8
const daySeconds = 24 * 3600

/** An event and its recipient. */
export interface Addressed {
  event: NoticeEvent
  employee: string
}

const named = ({ event, employee }: Addressed) => ({ employee, id: noticeId(event) })

/** The notice to store; undefined if the recipient wants this kind neither in the app nor by mail. */
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

/** Stores a notice. Returns false if the notice already exists. */
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
 * Mails a due notice. Marks the notice as sent first. If the mail fails, marks it as due again and throws, so that the
 * caller retries. A run that dies in between may lose the mail, but never sends it twice.
 */
const mail = async (table: Table, company: Company, notice: Item<Notice>, person: Employee): Promise<void> => {
  const { email, language = 'en' } = person
  if (email === undefined) return
  let isMine = false
  await change(table, noticeKey(notice), (stored): Notice | undefined => {
    isMine = stored.mail === 'due'
    return isMine ? { ...stored, mail: 'sent' } : undefined
  })
  if (!isMine) return
  const { by, of, request } = notice
  const [name, asked] = await Promise.all([
    by === undefined
      ? notice.name
      : readNames(table, [{ employee: by, shift: null }]).then(names => fullName(names.employee(by))),
    // Read only now, because a notice stores no text that the request's erasure would miss.
    request === undefined ? undefined : table.get(requestKey({ employee: of, id: request })),
  ])
  const content = sayNotice(language, notice, {
    name: name ?? of,
    first_name: greetingName(person),
    company: company.name,
    dateFormat: dateFormatOf(company.dateformat_id),
    request: asked,
    url: environment('SITE') + placeOfNotice(notice, person.id).address,
  })
  try {
    await sendMail({ to: email, ...content })
  } catch (error) {
    await change(table, noticeKey(notice), stored => ({ ...stored, mail: 'due' as const }))
    throw error
  }
}

/** Stores and mails the missing notices. Throws the first error after it has sent all others. */
export const tellPeople = async (
  table: Table,
  { company, today }: { company: Company; today: string },
  list: Addressed[],
): Promise<void> => {
  const ids = [...new Set(list.map(({ employee }) => employee))]
  const [people, params, existing] = await Promise.all([
    table.getMany(ids.map(employeeKey)),
    table.getMany(ids.map(noticeParamsKey)),
    table.getMany(list.map(addressed => noticeKey(named(addressed)))),
  ])
  const faults: unknown[] = []
  await atOnce(noticesAtOnce, [...list.entries()], async ([i, addressed]) => {
    const at = ids.indexOf(addressed.employee)
    const person = people[at]
    if (!person || hasLeft(person, today)) return
    const notice = existing[i] ?? noticeFor(addressed, person, params[at])
    if (!notice) return
    try {
      const isNew = !existing[i] && (await place(table, notice))
      const stored = isNew ? { ...notice, version: 1 } : (existing[i] ?? (await table.get(noticeKey(notice))))
      if (stored?.mail === 'due') await mail(table, company, stored, person)
    } catch (error) {
      faults.push(error)
    }
  })
  if (faults.length > 0) throw faults[0]
}

/** Marks notices as read after a decision has settled their matter. */
export const settleNotices = async (table: Table, list: Addressed[]): Promise<void> => {
  const notices = await table.getMany(list.map(addressed => noticeKey(named(addressed))))
  await atOnce(noticesAtOnce, notices, async notice => {
    if (notice?.isUnread)
      await change(table, noticeKey(notice), stored => (stored.isUnread ? { ...stored, isUnread: false } : undefined))
  })
}
