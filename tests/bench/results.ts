import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { loadLambda } from '../../infra/local/invoke.ts'
import { readStream } from '../../infra/local/stream.ts'
import { accountKey } from '../../shared/account.ts'
import { mostPeopleOfPart } from '../../shared/company.ts'
import { historyDays } from '../../shared/dashboard.ts'
import { type DayRow, dayIndexPk, dayRowKey } from '../../shared/day.ts'
import { departmentKey } from '../../shared/department.ts'
import { employeeKey } from '../../shared/employee.ts'
import type { Fact } from '../../shared/fact.ts'
import { headcountKey } from '../../shared/headcount.ts'
import { addDays } from '../../shared/local-day.ts'
import { summaryKey, wholeCompany } from '../../shared/summary.ts'
import { companyPrefix, type Key } from '../../shared/table.ts'
import { firstWorkno, openLive } from '../kit/live.ts'
import { startStack } from '../kit/stack.ts'
import { dayAt, fixedShift, idOf, openWorked, today } from '../kit/worked.ts'
import type { Report } from './main.ts'

// What people look at every morning: how soon a punch stands on every open screen, and what a dashboard and the first page of a
// report take against the bare reads they are made of, in a company of a hundred and in one of five thousand.

const quantile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
const median = (values: number[]) => quantile(values, 0.5)
const time = async (run: () => Promise<unknown>) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

const punches = 60

/** One punch at a time, each of somebody who has not punched: its row, the first page of the report, and an open dashboard. */
const punchToScreen = async (report: Report) => {
  const stack = await startStack()
  try {
    const { http, signed, day, employees, terminal, browser } = await openLive(stack.address, {
      ...{ people: punches, serialNumber: 'BENCHRESULTS', quietMilliseconds: 3000 },
    })
    const filters = { from: day, to: day }
    /** Asks again whenever the browser is told to, as an open page does, and answers when it shows what it is to show. */
    const shows = async (prefix: string, isThere: () => Promise<boolean>) => {
      const of = ({ refresh }: { refresh?: unknown }) => Array.isArray(refresh) && refresh.includes(prefix)
      for (let heard = 0; ; ) {
        const told = browser.unheard.filter(of).length
        if (told > heard && (await isThere())) return
        heard = told
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    }
    const [grid, dashboard]: [number[], number[]] = [[], []]
    for (let i = 0; i < punches; i++) {
      browser.unheard.length = 0
      const record = [{ enrollid: firstWorkno + i, time: `${day} 09:00:00`, mode: 8, inout: 0, event: 0 }]
      const sentAt = performance.now()
      const since = (list: number[]) => () => list.push(performance.now() - sentAt)
      terminal.say({ cmd: 'sendlog', count: 1, logindex: i, record })
      await Promise.all([
        shows('report/', async () => {
          const answer = await http.call(
            'report/grid',
            { filters: { ...filters, employee: employees[i] ?? '' } },
            signed,
          )
          return answer.list.some(({ firstIn }) => firstIn !== undefined)
        }).then(since(grid)),
        shows('dashboard/', async () => (await http.call('dashboard/today', {}, signed)).active_num > i).then(
          since(dashboard),
        ),
      ])
    }
    terminal.close()
    browser.close()
    report('punch sent → row and grid show it, p50', quantile(grid, 0.5), 'ms')
    report('punch sent → row and grid show it, p95', quantile(grid, 0.95), 'ms', { atMost: 1500 })
    report('punch sent → open dashboard shows it, p50', quantile(dashboard, 0.5), 'ms')
    report('punch sent → open dashboard shows it, p95', quantile(dashboard, 0.95), 'ms', { atMost: 1500 })
  } finally {
    await stack.stop()
  }
}

const sizes = [100, 5000]
const rounds = 150
const writersAtOnce = 32
const departments = Array.from({ length: 10 }, (_, i) => `d${i}`.padEnd(16, '0'))
const dashboard = ['today', 'today/absent', 'yesterday', 'info', 'history'] as const

/** The dashboard as a browser opens it, its five paths side by side, and a page of a month's report. */
const pages = async (report: Report) => {
  const { world, found, save } = await openWorked()
  const changes = async () => ({ batchItemFailures: [] })
  // What is written makes no facts here, but the stream is read: an engine nobody reads gets slower with each write.
  const stream = readStream({
    database: world.database,
    table: world.table,
    bus: world.bus,
    changes,
    complain: console.log,
  })
  const print = console.log
  console.log = line => (/"(path|job)":"/.test(String(line)) ? undefined : print(line))
  try {
    const kit = await import('../../functions/kit/table.ts')
    const { atOnce } = await import('../../functions/kit/each.ts')
    const { startSession } = await import('../../functions/kit/session.ts')
    const { handler: summarize } = await import('../../events/summarize.ts')
    const [dashboards, reports] = await Promise.all(['dashboard', 'report'].map(name => loadLambda('functions', name)))
    if (!dashboards || !reports) throw new Error('A function is missing')
    const bare = DynamoDBDocumentClient.from(new DynamoDBClient(kit.localClient))

    /** Rows as the engine makes them, of one person; everybody's are like them. */
    const shift = 's'.repeat(16)
    const model = await found(1)
    await model.keep(fixedShift(shift))
    await model.schedule(idOf(0), { [dayAt(-1)]: [shift], [today]: [shift] })
    await model.punch(0, dayAt(-1), '09:12', '18:20')
    await model.recalculate([{ employee: idOf(0), from: dayAt(-1), to: today }])
    const rows = await model.rows(0)

    const build = async (people: number) => {
      const parts = 2 ** Math.ceil(Math.log2(Math.max(1, people / mostPeopleOfPart)))
      const mine = await found(0, { dayParts: [{ from: '2000-01-01', parts }] })
      const { company, table } = mine
      await mine.keep(fixedShift(shift))
      await save(...departments.map(id => table.insert(departmentKey(id), { id, name: id })))
      await save(
        table.put({ ...headcountKey(wholeCompany), sk: `${wholeCompany}#0` }, { of: wholeCompany, people, guests: 0 }),
      )
      const everybody = Array.from({ length: people }, (_, n) => n)
      await atOnce(writersAtOnce, everybody, async n => {
        const department = departments[n % departments.length] ?? ''
        await save(
          table.put(employeeKey(idOf(n)), {
            ...{ id: idOf(n), first_name: 'E', last_name: String(n), workno: String(100 + n), department },
            role: n === 0 ? 1 : 3,
          }),
          ...rows.map(({ version: _, ...row }) =>
            table.put(dayRowKey(idOf(n), row.day, row.shift, parts), {
              ...row,
              employee: idOf(n),
              department,
            } as DayRow),
          ),
        )
      })
      const tell = async (facts: Fact[]) => {
        const Records = facts.map((fact, i) => ({
          messageId: String(i),
          body: JSON.stringify({ detail: fact }),
        })) as never
        if ((await summarize({ Records })).batchItemFailures.length > 0)
          throw new Error('A day could not be summed up.')
      }
      const startedAt = performance.now()
      await tell([{ type: 'summary.due', company, from: dayAt(-1), to: today }])
      const scopes = [wholeCompany, ...departments]
      if (parts > 1)
        await tell(
          scopes.flatMap(scope =>
            [dayAt(-1), today].map((day): Fact => ({ type: 'part.changed', company, scope, day })),
          ),
        )
      report(`two days of ${people} people summed up`, performance.now() - startedAt, 'ms')
      // The other days of the month are like yesterday.
      for (const scope of scopes) {
        const kept = await table.get(summaryKey(scope, dayAt(-1)))
        if (!kept || kept.should === 0) throw new Error('Nobody should have been there.')
        for (let ago = 2; ago <= historyDays; ago++)
          await save(table.put(summaryKey(scope, dayAt(-ago)), { ...kept, day: dayAt(-ago) }))
      }
      const account = `a${people}`
      await save(
        kit
          .directory()
          .insert(accountKey(account), { id: account, memberships: [{ company, employee: idOf(0) }] } as never),
      )
      const who = { company, employee: idOf(0), type: 'management' as const }
      return { people, company, parts, token: await startSession(who, { id: account, version: 1 }) }
    }
    type Built = Awaited<ReturnType<typeof build>>
    const call = (lambda: NonNullable<typeof dashboards>, token: string, path: string, input: object) =>
      lambda({
        version: '2.0',
        rawPath: `/api/${path}`,
        headers: { 'x-token': token, 'x-api-version': '2.0', 'x-language': 'en' },
        body: JSON.stringify(input),
        requestContext: { requestId: 'bench', http: { method: 'POST', sourceIp: '127.0.0.1' } },
      }) as Promise<{ body: string }>
    const openDashboard = ({ token }: Built) =>
      Promise.all(dashboard.map(path => call(dashboards, token, `dashboard/${path}`, {})))
    const filters = { from: addDays(today, -30), to: today }
    const openReport = ({ token }: Built) => call(reports, token, 'report/grid', { filters, size: 50 })

    const get = ({ company }: Built, { pk, sk }: Key) =>
      bare.send(
        new GetCommand({ TableName: world.table, Key: { pk: companyPrefix(company) + pk, sk }, ConsistentRead: true }),
      )
    /** Who asks, and of which company: what every answer begins with. */
    const bareStart = async (built: Built) => {
      await get(built, { pk: 'SESSION', sk: '-' })
      await get(built, employeeKey(idOf(0)))
      await get(built, { pk: 'COMPANY', sk: '-' })
    }
    const bareDays = async (built: Built, from: number, to: number) => {
      const values = {
        ':pk': `${companyPrefix(built.company)}SUMMARY#${wholeCompany}`,
        ':from': dayAt(from),
        ':to': dayAt(to),
      }
      const KeyConditionExpression = 'pk = :pk AND sk BETWEEN :from AND :to'
      const query = {
        TableName: world.table,
        KeyConditionExpression,
        ExpressionAttributeValues: values,
        ConsistentRead: true,
      }
      await bare.send(new QueryCommand(query))
    }
    const bareDashboard = (built: Built) =>
      Promise.all(
        [
          [-1, 0],
          [0, 0],
          [-1, -1],
          [-2, 2],
          [-historyDays, -1],
        ].map(async ([from = 0, to = 0]) => {
          await bareStart(built)
          await bareDays(built, from, to)
        }),
      )
    const bareReport = async (built: Built) => {
      await bareStart(built)
      const values = { ':pk': companyPrefix(built.company) + dayIndexPk(today, 0) }
      const query = { TableName: world.table, IndexName: 'byDay', KeyConditionExpression: 'dayPk = :pk', Limit: 50 }
      await bare.send(new QueryCommand({ ...query, ExpressionAttributeValues: values }))
    }

    const measured = []
    for (const people of sizes) {
      const built = await build(people)
      const { data } = JSON.parse((await openDashboard(built))[4]?.body ?? '{}')
      if (data?.list?.at(0)?.should_num !== people) throw new Error('The dashboard does not show everybody.')
      const page = JSON.parse((await openReport(built)).body).data
      if (page?.list?.length !== 50) throw new Error('The report does not show a page.')
      measured.push({
        built,
        dashboard: [] as number[],
        bareDashboard: [] as number[],
        report: [] as number[],
        bareReport: [] as number[],
      })
    }
    // The first rounds warm everything up.
    for (let round = -30; round < rounds; round++)
      for (const one of round % 2 ? measured : measured.toReversed()) {
        const run = { dashboard: openDashboard, bareDashboard, report: openReport, bareReport }
        for (const name of Object.keys(run) as (keyof typeof run)[]) {
          const milliseconds = await time(() => run[name](one.built) as Promise<unknown>)
          if (round >= 0) one[name].push(milliseconds)
        }
      }
    for (const { built, ...of } of measured) {
      report(`dashboard of ${built.people}`, median(of.dashboard), 'ms')
      report(`dashboard / bare reads, of ${built.people}`, median(of.dashboard) / median(of.bareDashboard), 'ratio', {
        atMost: 2,
      })
      report(`report, first page of ${built.people}`, median(of.report), 'ms')
      report(`report / bare reads, of ${built.people}`, median(of.report) / median(of.bareReport), 'ratio', {
        atMost: 2,
      })
    }
    const [small, large] = measured
    if (!small || !large) return
    report('dashboard of 5,000 / of 100', median(large.dashboard) / median(small.dashboard), 'ratio', { atMost: 1.5 })
    report('report of 5,000 / of 100', median(large.report) / median(small.report), 'ratio', { atMost: 1.5 })
  } finally {
    console.log = print
    await stream.stop()
    await world.close()
  }
}

const exportedDays = 31
const exportedPeople = [200, 1000]
/** How much more may be held of many people than of few: what is packed, and what the collector has not come to. */
const flatMegabytes = 12

/** What the process holds while something is made, at its most; `run` says where it may be looked at. */
const heldDuring = async (run: (look: () => void) => Promise<unknown>): Promise<number> => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let most = 0
  await run(() => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    most = Math.max(most, heapUsed + external)
  })
  return most / 2 ** 20
}

/** A month's report into a file, of a company that has more people and of one that has fewer. */
const files = async (report: Report) => {
  const { world, found, save } = await openWorked()
  let told = 0
  const changes = async () => {
    told++
    return { batchItemFailures: [] }
  }
  const stream = readStream({ ...world, changes, complain: console.log })
  /** What was written is read by then: nothing of it is held, and nobody takes the machine away. */
  const rest = async () => {
    for (let before = -1; before !== told; await new Promise(resolve => setTimeout(resolve, 2000))) before = told
  }
  try {
    const { atOnce } = await import('../../functions/kit/each.ts')
    const { makeReport } = await import('../../functions/report/sheet.ts')
    const shift = 's'.repeat(16)
    const model = await found(1)
    await model.keep(fixedShift(shift))
    await model.schedule(idOf(0), { [dayAt(-1)]: [shift] })
    await model.punch(0, dayAt(-1), '09:12', '12:01', '12:58', '18:20')
    await model.recalculate([{ employee: idOf(0), from: dayAt(-1), to: dayAt(-1) }])
    const [row] = await model.rows(0)
    if (!row) throw new Error('There is no row.')
    const days = Array.from({ length: exportedDays }, (_, i) => dayAt(-1 - i))
    const filters = { from: days.at(-1) ?? '', to: days[0] ?? '' }

    const held: Record<string, number[]> = {}
    for (const people of exportedPeople) {
      const parts = Math.ceil(people / mostPeopleOfPart)
      const { table, keep } = await found(people, { dayParts: [{ from: '2000-01-01', parts }] })
      await keep(fixedShift(shift))
      const everybody = Array.from({ length: people }, (_, n) => idOf(n))
      await atOnce(writersAtOnce, everybody, employee =>
        save(
          ...days.map(day => {
            const { version: _, ...own } = { ...row, employee, day }
            return table.put(dayRowKey(employee, day, row.shift, parts), own)
          }),
        ),
      )
      await rest()
      for (const type of ['xlsx', 'csv'] as const) {
        /** It tells how far it is when it has read a day's rows. */
        const make = async (tell: () => void = () => undefined) => {
          const work = { table, asker: { departments: undefined }, language: 'en', tell: async () => tell() } as never
          const { rowCount } = await makeReport(work, { type, view: 'daily', filters })
          if (rowCount !== people * exportedDays) throw new Error(`The file has ${rowCount} rows.`)
        }
        const seconds = (await time(() => make())) / 1000
        const of = `${type} of ${people} people × ${exportedDays} days`
        report(of, seconds, 's', type === 'xlsx' ? { atMost: 15 } : undefined)
        const megabytes = await heldDuring(make)
        report(`${of}, held at its most`, megabytes, 'MB')
        held[type] = [...(held[type] ?? []), megabytes]
      }
    }
    for (const [type, [few = 0, many = 0]] of Object.entries(held))
      report(`${type}: more held of ${exportedPeople[1]} people than of ${exportedPeople[0]}`, many - few, 'MB', {
        atMost: flatMegabytes,
      })
  } finally {
    await stream.stop()
    await world.close()
  }
}

export const bench = { punchToScreen, pages, files }
