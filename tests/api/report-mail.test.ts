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

// A report that comes by mail comes once for each period, however often, late or side by side the clock strikes, and holds what who
// gets it may see.

let worked: Awaited<ReturnType<typeof openWorked>>
let mine: Worked
let strike: (at: number) => Promise<void>
let work: typeof import('../../functions/report/sheet.ts')

/** By the clock of winter, so that nothing is put forward or back. */
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
  strike = at => handler({ time: new Date(at).toISOString() })
  work = await import('../../functions/report/sheet.ts')
  const { writeMail } = await import('../../functions/report/mail.ts')
  mine = await worked.found(3)
  const { table, company } = mine
  for (const id of departments) await worked.save(table.insert(departmentKey(id), { id, name: `Department ${id[0]}` }))
  await worked.save(table.insert(roleKey(role.id), { ...role, createdAt: '2026-01-01T00:00:00Z' } as never))
  // An administrator, a manager of the one department in which somebody else works, and somebody who sees no reports any more.
  for (const [n, change] of [{ role: 1 }, { role: 2, roleId: role.id }, { role: 3 }].entries()) {
    const person = await table.get(employeeKey(idOf(n)))
    if (person)
      await worked.save(table.replace(employeeKey(person.id), { ...person, ...change, email: `p${n}@example.com` }))
  }
  const shift = fixedShift('s'.repeat(16))
  await mine.keep(shift)
  for (const n of [0, 1, 2]) {
    await mine.schedule(idOf(n), { [day]: [shift.id] })
    await mine.punch(n, day, `09:0${n}`, '18:00')
  }
  await mine.recalculate([0, 1, 2].map(n => ({ employee: idOf(n), from: day, to: day })))
  await worked.save(...writeMail(table, company, mail))
})
afterAll(() => worked.world.close())

const tasks = async () =>
  (await Promise.all([0, 1, 2].map(n => mine.table.all<Task>({ pk: `TASK#${idOf(n)}` })))).flat()

describe('a report that is due', () => {
  test('is owed once to each who gets it, and is due next a day later', async () => {
    await strike(dueAt - 60_000)
    expect(await tasks()).toEqual([])
    await Promise.all([strike(dueAt), strike(dueAt + 60_000), strike(dueAt + 120_000)])
    await strike(dueAt + 300_000)
    const owed = await tasks()
    expect(owed.map(({ kind, by }) => [kind, by]).sort()).toEqual([0, 1, 2].map(n => ['report/mail/send', idOf(n)]))
    expect(owed[0]?.input).toMatchObject({ name: 'Yesterday', file: { filters: { from: day, to: day } } })
    const now = await mine.table.get(reportMailKey(mail.id))
    expect(now).toMatchObject({ lastAt: mail.nextAt, nextAt: new Date(dueAt + 86_400_000).toISOString() })
  })

  test('is sent as each may see it, and not again by a run that comes after one that died', async () => {
    const [task] = await tasks()
    const send = async (n: number, only: string | undefined, memory: Record<string, unknown>) => {
      const employee = await mine.table.get(employeeKey(idOf(n)))
      const asker = { departments: only === undefined ? undefined : new Set([only]), permissions: new Set(), employee }
      const base = { ...mine.work(memory), table: mine.table, language: 'en', asker, input: task?.input }
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
      expect(file?.name).toBe('Report 2026-02-03 2026-02-03.csv')
      return (await readSheet(Buffer.from(file?.content ?? '', 'base64'))).rows.slice(1, -1).map(([name]) => name)
    }
    expect(await linesOf(0)).toEqual(['E 0', 'E 1', 'E 2'])
    expect(await linesOf(1)).toEqual(['E 1'])
  })

  test('is sent for each period that nobody looked at, in its order', async () => {
    await strike(dueAt + 3 * 86_400_000)
    const periods = (await tasks())
      .filter(({ by }) => by === idOf(0))
      .map(({ input }) => (input as { file: { filters: { to: string } } }).file.filters.to)
    expect(periods.sort()).toEqual(['2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06'])
  })
})

describe('a PDF for an employee with a Chinese name', () => {
  test('arrives by e-mail with the name in Chinese letters', async () => {
    const wei = await mine.table.get(employeeKey(idOf(2)))
    if (!wei) throw new Error('No employee')
    await worked.save(mine.table.replace(employeeKey(wei.id), { ...wei, first_name: '伟', last_name: '张' }))
    const employee = await mine.table.get(employeeKey(idOf(0)))
    const input = {
      name: 'PDF',
      scheduledBy: idOf(0),
      file: { type: 'pdf', view: 'daily', filters: { from: day, to: day } },
    }
    const asker = { departments: undefined, permissions: new Set(), employee }
    await work.mailReport.run({ ...mine.work(), table: mine.table, language: 'en', asker, input } as never)
    const [file] = worked.world.outbox.list().at(-1)?.files ?? []
    expect(file?.name).toBe('Report 2026-02-03 2026-02-03.pdf')
    const pdf = Buffer.from(file?.content ?? '', 'base64').toString('latin1')
    // Each font of the file holds only the letters used: Manrope all but two, Noto Sans SC 张 and 伟.
    expect(pdf).toMatch(/BaseFont \/[A-Z]+\+NotoSansSC/)
    expect(pdf.slice(0, 5)).toBe('%PDF-')
  })
})

describe('a report that cannot be made', () => {
  const form: Parameters<typeof import('../../functions/report/mail.ts').checkMailSize>[1] = {
    ...{ view: 'daily', type: 'pdf', every: 'monthly' },
    employees: [idOf(0), idOf(1)],
  }
  const refusal = { code: 60070, fields: { type: 60070 } }

  test('is refused when it is scheduled', async () => {
    const { checkMailSize } = await import('../../functions/report/mail.ts')
    const count = (of: string, people: number) => worked.save(mine.table.tally(headcountKey(of), { people, guests: 0 }))
    await Promise.all([count(wholeCompany, 170), count(departments[1], 20)])
    await expect(checkMailSize(mine, form)).rejects.toMatchObject(refusal)
    await checkMailSize(mine, { ...form, every: 'weekly' })
    await checkMailSize(mine, { ...form, type: 'xlsx' })
    await checkMailSize(mine, { ...form, view: 'summary' })
    await checkMailSize(mine, { ...form, department: departments[1] })
    // The manager gets only the rows of one department.
    await checkMailSize(mine, { ...form, employees: [idOf(1)] })
    await count(wholeCompany, 2000)
    await expect(checkMailSize(mine, { ...form, type: 'xlsx' })).rejects.toMatchObject(refusal)
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
      company: mine.company,
      old: { ...failed, state: 'running' },
      new: failed,
    }).filter(({ type }) => type === 'mailing.failed')
    expect(others).toEqual([])
    await worked.save(mine.table.insert(taskKey(failed.by, failed.id), failed))
    const before = worked.world.outbox.list().length
    const event = { Records: [{ messageId: '1', body: JSON.stringify({ detail: fact }) }] }
    for (const _ of ['once', 'again']) await handler(event as never)
    const mails = worked.world.outbox.list().slice(before)
    expect(mails.map(({ to }) => to).sort()).toEqual(['p0@example.com', 'p1@example.com'])
    expect(mails[0]?.subject).toBe(`The report “Yesterday” could not be e-mailed on ${localDay(zone, Date.now())}`)
    const { list } = await mine.table.page<Notice>({ pk: noticePk(idOf(0)), size: 10 })
    expect(list.map(({ kind, name, isUnread }) => [kind, name, isUnread])).toEqual([
      ['mailing.failed', 'Yesterday', true],
    ])
    expect(
      taskFacts({ at: failed.createdAt, company: mine.company, old: failed, new: { ...failed, expiresAt: 1 } }),
    ).toEqual([])
  })
})

describe('when it is due next', () => {
  const at = (text: string) => Date.parse(text)
  const next = (changes: Partial<ReportMail>, after: string) =>
    new Date(nextMailAt({ ...mail, ...changes }, zone, at(after))).toISOString()

  test('follows the company’s clock, through the days it is put forward and back', () => {
    expect(next({}, '2026-03-28T12:00:00Z')).toBe('2026-03-29T03:00:00.000Z')
    expect(next({}, '2026-10-24T12:00:00Z')).toBe('2026-10-25T04:00:00.000Z')
    expect(next({ every: 'weekly', weekday: 0 }, '2026-03-02T00:00:00Z')).toBe('2026-03-08T04:00:00.000Z')
    expect(next({ every: 'monthly', monthday: 28 }, '2026-02-28T04:00:00Z')).toBe('2026-03-28T04:00:00.000Z')
  })

  test('and it is about the days before', () => {
    const due = (changes: Partial<ReportMail>, after: string) => {
      const changed = { ...mail, ...changes }
      return periodOf(changed, zone, nextMailAt(changed, zone, at(after)))
    }
    expect(due({}, '2026-03-28T12:00:00Z')).toEqual({ from: '2026-03-28', to: '2026-03-28' })
    expect(due({ every: 'weekly', weekday: 1 }, '2026-03-01T00:00:00Z')).toEqual({
      from: '2026-02-23',
      to: '2026-03-01',
    })
    expect(due({ every: 'monthly', monthday: 3 }, '2026-03-01T00:00:00Z')).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    })
    expect(localDay(zone, nextMailAt(mail, zone, at('2026-03-28T12:00:00Z')))).toBe('2026-03-29')
    // Also of one that somebody sends on a day it is not due on.
    const sent = (every: ReportMail['every']) => periodOf({ ...mail, every }, zone, at('2026-03-17T12:00:00Z'))
    expect(sent('weekly')).toEqual({ from: '2026-03-10', to: '2026-03-16' })
    expect(sent('monthly')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  })
})
