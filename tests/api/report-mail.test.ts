import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSheet } from '../../functions/sheet/read.ts'
import { departmentKey } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import { headcountKey, wholeCompany } from '../../shared/headcount.ts'
import { localDay } from '../../shared/local-day.ts'
import { type Notice, noticePk } from '../../shared/notice.ts'
import { nextMailAt, periodOf, type ReportMail, reportMailKey } from '../../shared/report/mail.ts'
import { roleKey } from '../../shared/role.ts'
import { type Task, taskFacts, taskKey } from '../../shared/task.ts'
import { departments, fixedShift, idOf, openWorked, type Worked, zone } from '../kit/worked.ts'

// The job sends a scheduled report once per period, even after late, repeated or simultaneous runs. The report contains
// only rows that its recipient may see.

let worked: Awaited<ReturnType<typeof openWorked>>
let company: Worked
let runSchedule: (at: number) => Promise<void>
let work: typeof import('../../functions/report/sheet.ts')

/** A winter date, without a clock change nearby. */
const dueAt = Date.parse('2026-02-04T06:00:00+02:00')
const mail: ReportMail = {
  ...{ id: 'm'.repeat(16), name: 'Yesterday', by: idOf(0), view: 'daily', type: 'csv' },
  ...{ every: 'daily', weekday: 1, monthday: 1, time: '06:00', employees: [idOf(0), idOf(1), idOf(2)] },
  nextAt: new Date(dueAt).toISOString(),
}
const role = { id: 'r'.repeat(16), name: 'Night', permissions: [8], departments: [departments[1]] }
const day = '2026-02-03'

beforeAll(async () => {
  worked = await openWorked()
  const { handler } = await import('../../events/mail.ts')
  runSchedule = at => handler({ time: new Date(at).toISOString() })
  work = await import('../../functions/report/sheet.ts')
  const { writeMail } = await import('../../functions/report/mail.ts')
  company = await worked.found(3)
  const { table, company: companyId } = company
  for (const id of departments) await worked.save(table.insert(departmentKey(id), { id, name: `Department ${id[0]}` }))
  await worked.save(table.insert(roleKey(role.id), { ...role, createdAt: '2026-01-01T00:00:00Z' } as never))
  // Adds an administrator, a manager of one department, and an employee without access to reports.
  for (const [n, change] of [{ role: 1 }, { role: 2, roleId: role.id }, { role: 3 }].entries()) {
    const person = await table.get(employeeKey(idOf(n)))
    if (person)
      await worked.save(table.replace(employeeKey(person.id), { ...person, ...change, email: `p${n}@example.com` }))
  }
  const shift = fixedShift('s'.repeat(16))
  await company.keep(shift)
  for (const n of [0, 1, 2]) {
    await company.schedule(idOf(n), { [day]: [shift.id] })
    await company.punch(n, day, `09:0${n}`, '18:00')
  }
  await company.recalculate([0, 1, 2].map(n => ({ employee: idOf(n), from: day, to: day })))
  await worked.save(...writeMail(table, companyId, mail))
})
afterAll(() => worked.world.close())

const listTasks = async () =>
  (await Promise.all([0, 1, 2].map(n => company.table.all<Task>({ pk: `TASK#${idOf(n)}` })))).flat()

describe('a due report', () => {
  test('creates one task per recipient, and is due again a day later', async () => {
    await runSchedule(dueAt - 60_000)
    expect(await listTasks()).toEqual([])
    await Promise.all([runSchedule(dueAt), runSchedule(dueAt + 60_000), runSchedule(dueAt + 120_000)])
    await runSchedule(dueAt + 300_000)
    const created = await listTasks()
    expect(created.map(({ kind, by }) => [kind, by]).sort()).toEqual([0, 1, 2].map(n => ['report/mail/send', idOf(n)]))
    expect(created[0]?.input).toMatchObject({ name: 'Yesterday', file: { filters: { from: day, to: day } } })
    const stored = await company.table.get(reportMailKey(mail.id))
    expect(stored).toMatchObject({ lastAt: mail.nextAt, nextAt: new Date(dueAt + 86_400_000).toISOString() })
  })

  test('contains only rows that its recipient may see, and is not sent again after a crash', async () => {
    const [task] = await listTasks()
    const send = async (n: number, department: string | undefined, memory: Record<string, unknown>) => {
      const employee = await company.table.get(employeeKey(idOf(n)))
      const asker = {
        departments: department === undefined ? undefined : new Set([department]),
        permissions: new Set(),
        employee,
      }
      const base = { ...company.work(memory), table: company.table, language: 'en', asker, input: task?.input }
      return work.mailReport.run(base as never)
    }
    const memory = {}
    await send(0, undefined, memory)
    await send(0, undefined, memory)
    await send(1, departments[1], {})
    const sent = worked.world.outbox.list()
    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
      ['p0@example.com', 'Yesterday: 2026-02-03 – 2026-02-03'],
      ['p1@example.com', 'Yesterday: 2026-02-03 – 2026-02-03'],
    ])
    const linesOf = async (at: number) => {
      const [file] = sent[at]?.files ?? []
      expect(file?.name).toBe('Daily report 2026-02-03 2026-02-03 Worked.csv')
      return (await readSheet(Buffer.from(file?.content ?? '', 'base64'))).rows.slice(1, -1).map(([name]) => name)
    }
    expect(await linesOf(0)).toEqual(['E 0', 'E 1', 'E 2'])
    expect(await linesOf(1)).toEqual(['E 1'])
  })

  test('is sent for each missed period, in order', async () => {
    await runSchedule(dueAt + 3 * 86_400_000)
    const periods = (await listTasks())
      .filter(({ by }) => by === idOf(0))
      .map(({ input }) => (input as { file: { filters: { to: string } } }).file.filters.to)
    expect(periods.sort()).toEqual(['2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06'])
  })
})

describe('a PDF for an employee with a Chinese name', () => {
  test('arrives by e-mail with the name in Chinese letters', async () => {
    const wei = await company.table.get(employeeKey(idOf(2)))
    if (!wei) throw new Error('No employee')
    await worked.save(company.table.replace(employeeKey(wei.id), { ...wei, first_name: '伟', last_name: '张' }))
    const employee = await company.table.get(employeeKey(idOf(0)))
    const input = {
      name: 'PDF',
      scheduledBy: idOf(0),
      file: { type: 'pdf', view: 'daily', filters: { from: day, to: day } },
    }
    const asker = { departments: undefined, permissions: new Set(), employee }
    await work.mailReport.run({ ...company.work(), table: company.table, language: 'en', asker, input } as never)
    const [file] = worked.world.outbox.list().at(-1)?.files ?? []
    expect(file?.name).toBe('Daily report 2026-02-03 2026-02-03 Worked.pdf')
    const pdf = Buffer.from(file?.content ?? '', 'base64').toString('latin1')
    // Each font of the file holds only the letters used: Manrope all but two, Noto Sans SC 张 and 伟.
    expect(pdf).toMatch(/BaseFont \/[A-Z]+\+NotoSansSC/)
    expect(pdf.slice(0, 5)).toBe('%PDF-')
  })
})

describe('a report that is too large', () => {
  const form: Parameters<typeof import('../../functions/report/mail.ts').checkMailSize>[1] = {
    ...{ view: 'daily', type: 'pdf', every: 'monthly' },
    employees: [idOf(0), idOf(1)],
  }
  const refusal = { code: 60070, fields: { type: 60070 } }

  test('is refused when it is scheduled', async () => {
    const { checkMailSize } = await import('../../functions/report/mail.ts')
    const count = (department: string, people: number) =>
      worked.save(company.table.tally(headcountKey(department), { people, guests: 0 }))
    await Promise.all([count(wholeCompany, 170), count(departments[1], 20)])
    await expect(checkMailSize(company, form)).rejects.toMatchObject(refusal)
    await checkMailSize(company, { ...form, every: 'weekly' })
    await checkMailSize(company, { ...form, type: 'xlsx' })
    await checkMailSize(company, { ...form, view: 'summary' })
    await checkMailSize(company, { ...form, department: departments[1] })
    // The manager gets only the rows of one department.
    await checkMailSize(company, { ...form, employees: [idOf(1)] })
    await count(wholeCompany, 2000)
    await expect(checkMailSize(company, { ...form, type: 'xlsx' })).rejects.toMatchObject(refusal)
  })

  test('notifies its recipient and the employee who scheduled it, each once', async () => {
    const { handler } = await import('../../events/notify.ts')
    const failed: Task = {
      ...{ id: 'f'.repeat(16), kind: 'report/mail/send', by: idOf(1), language: 'en', ip: '', requestId: '' },
      ...{ input: { name: 'Yesterday', scheduledBy: idOf(0) }, state: 'failed', code: 60070, done: 0, total: 0 },
      ...{ createdAt: '2026-02-04T04:00:00Z', finishedAt: new Date().toISOString(), expiresAt: 4_000_000_000 },
    }
    const [fact, ...others] = taskFacts({
      at: failed.createdAt,
      company: company.company,
      old: { ...failed, state: 'running' },
      new: failed,
    }).filter(({ type }) => type === 'mailing.failed')
    expect(others).toEqual([])
    await worked.save(company.table.insert(taskKey(failed.by, failed.id), failed))
    const before = worked.world.outbox.list().length
    const event = { Records: [{ messageId: '1', body: JSON.stringify({ detail: fact }) }] }
    for (const _ of ['once', 'again']) await handler(event as never)
    const mails = worked.world.outbox.list().slice(before)
    expect(mails.map(({ to }) => to).sort()).toEqual(['p0@example.com', 'p1@example.com'])
    expect(mails[0]?.subject).toBe(`The report “Yesterday” could not be e-mailed on ${localDay(zone, Date.now())}`)
    const { list } = await company.table.page<Notice>({ pk: noticePk(idOf(0)), size: 10 })
    expect(list.map(({ kind, name, isUnread }) => [kind, name, isUnread])).toEqual([
      ['mailing.failed', 'Yesterday', true],
    ])
    expect(
      taskFacts({ at: failed.createdAt, company: company.company, old: failed, new: { ...failed, expiresAt: 1 } }),
    ).toEqual([])
  })
})

describe('the next due time', () => {
  const parse = (text: string) => Date.parse(text)
  const nextOf = (changes: Partial<ReportMail>, after: string) =>
    new Date(nextMailAt({ ...mail, ...changes }, zone, parse(after))).toISOString()

  test('follows the company’s local time through clock changes', () => {
    expect(nextOf({}, '2026-03-28T12:00:00Z')).toBe('2026-03-29T03:00:00.000Z')
    expect(nextOf({}, '2026-10-24T12:00:00Z')).toBe('2026-10-25T04:00:00.000Z')
    expect(nextOf({ every: 'weekly', weekday: 0 }, '2026-03-02T00:00:00Z')).toBe('2026-03-08T04:00:00.000Z')
    expect(nextOf({ every: 'monthly', monthday: 28 }, '2026-02-28T04:00:00Z')).toBe('2026-03-28T04:00:00.000Z')
  })

  test('determines the period of the report, which ends before the due day', () => {
    const periodAfter = (changes: Partial<ReportMail>, after: string) => {
      const changed = { ...mail, ...changes }
      return periodOf(changed, zone, nextMailAt(changed, zone, parse(after)))
    }
    expect(periodAfter({}, '2026-03-28T12:00:00Z')).toEqual({ from: '2026-03-28', to: '2026-03-28' })
    expect(periodAfter({ every: 'weekly', weekday: 1 }, '2026-03-01T00:00:00Z')).toEqual({
      from: '2026-02-23',
      to: '2026-03-01',
    })
    expect(periodAfter({ every: 'monthly', monthday: 3 }, '2026-03-01T00:00:00Z')).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    })
    expect(localDay(zone, nextMailAt(mail, zone, parse('2026-03-28T12:00:00Z')))).toBe('2026-03-29')
    // A weekly or monthly report that a user sends by hand also ends before the day of sending.
    const periodSent = (every: ReportMail['every']) => periodOf({ ...mail, every }, zone, parse('2026-03-17T12:00:00Z'))
    expect(periodSent('weekly')).toEqual({ from: '2026-03-10', to: '2026-03-16' })
    expect(periodSent('monthly')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  })
})
