import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb'
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
import { requestListPk, requestStatus } from '../../shared/request.ts'
import { shiftKey } from '../../shared/shift.ts'
import { summaryKey, wholeCompany } from '../../shared/summary.ts'
import { companyPrefix, type Key } from '../../shared/table.ts'
import { whoFields } from '../../shared/who.ts'
import { firstWorkno, openLive } from '../kit/live.ts'
import { startStack } from '../kit/stack.ts'
import { dayAt, fixedShift, idOf, openWorked, today } from '../kit/worked.ts'
import type { Report } from './main.ts'

// The pages that managers open every morning, in companies of 100 and of 5,000 employees. Measures how soon a punch
// appears on open pages. Compares the dashboard and a report’s first page with their bare reads.

const quantile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
const median = (values: number[]) => quantile(values, 0.5)
const time = async (run: () => Promise<unknown>) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

const punches = 60

/**
 * Sends one punch at a time, each of another employee. Measures its row, the first page of the report, and an open
 * dashboard.
 */
const punchToScreen = async (report: Report) => {
  const stack = await startStack()
  try {
    const {
      http,
      signed: caller,
      day,
      employees,
      terminal,
      browser,
    } = await openLive(stack.address, {
      ...{ people: punches, serialNumber: 'BENCHRESULTS', quietMilliseconds: 3000 },
    })
    const filters = { from: day, to: day }
    /** Reads again at each refresh, like an open page, until the punch appears. */
    const waitUntilShown = async (prefix: string, isThere: () => Promise<boolean>) => {
      const hasPrefix = ({ refresh }: { refresh?: unknown }) => Array.isArray(refresh) && refresh.includes(prefix)
      for (let refreshCount = 0; ; ) {
        const refreshes = browser.unheard.filter(hasPrefix).length
        if (refreshes > refreshCount && (await isThere())) return
        refreshCount = refreshes
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    }
    const [grid, dashboard, inNow]: [number[], number[], number[]] = [[], [], []]
    for (let i = 0; i < punches; i++) {
      browser.unheard.length = 0
      const record = [{ enrollid: firstWorkno + i, time: `${day} 09:00:00`, mode: 8, inout: 0, event: 0 }]
      const sentAt = performance.now()
      const recordTime = (list: number[]) => () => list.push(performance.now() - sentAt)
      terminal.say({ cmd: 'sendlog', count: 1, logindex: i, record })
      await Promise.all([
        waitUntilShown('report/', async () => {
          const answer = await http.call(
            'report/grid',
            { filters: { ...filters, employee: employees[i] ?? '' } },
            caller,
          )
          return answer.list.some(({ firstIn }) => firstIn !== undefined)
        }).then(recordTime(grid)),
        waitUntilShown('dashboard/', async () => (await http.call('dashboard/today', {}, caller)).active_num > i).then(
          recordTime(dashboard),
        ),
        waitUntilShown('dashboard/', async () => {
          const { list } = await http.call('dashboard/now', { filters: { list: 'in' }, size: 200 }, caller)
          return list.some(({ employee }) => employee === employees[i])
        }).then(recordTime(inNow)),
      ])
    }
    terminal.close()
    browser.close()
    report('punch sent → row and grid show it, p50', quantile(grid, 0.5), 'ms')
    report('punch sent → row and grid show it, p95', quantile(grid, 0.95), 'ms', { atMost: 1500 })
    report('punch sent → open dashboard shows it, p50', quantile(dashboard, 0.5), 'ms')
    report('punch sent → open dashboard shows it, p95', quantile(dashboard, 0.95), 'ms', { atMost: 1500 })
    report('punch sent → listed under In now, p95', quantile(inNow, 0.95), 'ms', { atMost: 2000 })
  } finally {
    await stack.stop()
  }
}

const sizes = [100, 5000]
const rounds = 150
const writersAtOnce = 32
const departments = Array.from({ length: 10 }, (_, i) => `d${i}`.padEnd(16, '0'))
const dashboard = ['today', 'today/absent', 'yesterday', 'info', 'history'] as const

/** The dashboard with its five parallel requests, and a page of a month’s report. */
const pages = async (report: Report) => {
  const { world, found, save } = await openWorked()
  const changes = async () => ({ batchItemFailures: [] })
  // The stream is read without creating events, because an unread stream slows down each write.
  const stream = readStream({
    database: world.database,
    table: world.table,
    bus: world.bus,
    changes,
    complain: console.log,
  })
  const originalLog = console.log
  console.log = line => (/"(path|job)":"/.test(String(line)) ? undefined : originalLog(line))
  try {
    const kit = await import('../../functions/kit/table.ts')
    const { atOnce } = await import('../../functions/kit/each.ts')
    const { startSession } = await import('../../functions/kit/session.ts')
    const { handler: summarize } = await import('../../events/summarize.ts')
    const [dashboards, reports] = await Promise.all(['dashboard', 'report'].map(name => loadLambda('functions', name)))
    if (!dashboards || !reports) throw new Error('A function is missing')
    const bare = DynamoDBDocumentClient.from(new DynamoDBClient(kit.localClient))

    /** One employee’s calculated rows, copied for all employees. */
    const shift = 's'.repeat(16)
    const model = await found(1)
    await model.keep(fixedShift(shift))
    await model.schedule(idOf(0), { [dayAt(-1)]: [shift], [today]: [shift] })
    await model.punch(0, dayAt(-1), '09:12', '18:20')
    await model.recalculate([{ employee: idOf(0), from: dayAt(-1), to: today }])
    const rows = await model.rows(0)

    const build = async (people: number) => {
      const parts = 2 ** Math.ceil(Math.log2(Math.max(1, people / mostPeopleOfPart)))
      const company = await found(0, { dayParts: [{ from: '2000-01-01', parts }] })
      const { company: companyId, table } = company
      await company.keep(fixedShift(shift))
      await save(...departments.map(id => table.insert(departmentKey(id), { id, name: id })))
      await save(
        table.put({ ...headcountKey(wholeCompany), sk: `${wholeCompany}#0` }, { of: wholeCompany, people, guests: 0 }),
      )
      const everyone = Array.from({ length: people }, (_, n) => n)
      await atOnce(writersAtOnce, everyone, async n => {
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
      const runSummaries = async (facts: Fact[]) => {
        const Records = facts.map((fact, i) => ({
          messageId: String(i),
          body: JSON.stringify({ detail: fact }),
        })) as never
        if ((await summarize({ Records })).batchItemFailures.length > 0)
          throw new Error('A day could not be summed up.')
      }
      const startedAt = performance.now()
      await runSummaries([{ type: 'summary.due', company: companyId, from: dayAt(-1), to: today }])
      const scopes = [wholeCompany, ...departments]
      if (parts > 1)
        await runSummaries(
          scopes.flatMap(scope =>
            [dayAt(-1), today].map((day): Fact => ({ type: 'part.changed', company: companyId, scope, day })),
          ),
        )
      report(`two days of ${people} people summed up`, performance.now() - startedAt, 'ms')
      // Copies yesterday’s summary to the other days of the month.
      for (const scope of scopes) {
        const stored = await table.get(summaryKey(scope, dayAt(-1)))
        if (!stored || stored.should === 0) throw new Error('Nobody should have been there.')
        for (let ago = 2; ago <= historyDays; ago++)
          await save(table.put(summaryKey(scope, dayAt(-ago)), { ...stored, day: dayAt(-ago) }))
      }
      const account = `a${people}`
      await save(
        kit.directory().insert(accountKey(account), {
          id: account,
          memberships: [{ company: companyId, employee: idOf(0) }],
        } as never),
      )
      const user = { company: companyId, employee: idOf(0), type: 'management' as const }
      return { people, company: companyId, parts, token: await startSession(user, { id: account, version: 1 }) }
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
    const openNow = ({ token }: Built) => call(dashboards, token, 'dashboard/now', { filters: { list: 'missing' } })
    const openReport = ({ token }: Built) => call(reports, token, 'report/grid', { filters, size: 50 })

    const get = ({ company }: Built, { pk, sk }: Key) =>
      bare.send(
        new GetCommand({ TableName: world.table, Key: { pk: companyPrefix(company) + pk, sk }, ConsistentRead: true }),
      )
    /** The reads that begin every call: the session, the employee and the company. */
    const readBareCaller = async (built: Built) => {
      await get(built, { pk: 'SESSION', sk: '-' })
      await get(built, employeeKey(idOf(0)))
      await get(built, { pk: 'COMPANY', sk: '-' })
    }
    const readBareDays = async (built: Built, from: number, to: number) => {
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
    const readBareDashboard = (built: Built) =>
      Promise.all(
        [
          [-1, 0],
          [0, 0],
          [-1, -1],
          [-2, 2],
          [-historyDays, -1],
        ].map(async ([from = 0, to = 0]) => {
          await readBareCaller(built)
          await readBareDays(built, from, to)
        }),
      )
    const readBareReport = async (built: Built) => {
      await readBareCaller(built)
      const values = { ':pk': companyPrefix(built.company) + dayIndexPk(today, 0) }
      const query = { TableName: world.table, IndexName: 'byDay', KeyConditionExpression: 'dayPk = :pk', Limit: 50 }
      await bare.send(new QueryCommand({ ...query, ExpressionAttributeValues: values }))
    }

    /** The rows of today, the open rows of yesterday, and the leave of today, with the attributes of the path. */
    const readBareNow = async (built: Built) => {
      await readBareCaller(built)
      const partition = async (pk: string, more: Partial<QueryCommandInput> = {}) => {
        const values = { ':pk': companyPrefix(built.company) + pk, ...more.ExpressionAttributeValues }
        let position: Record<string, unknown> | undefined
        do {
          const answer = await bare.send(
            new QueryCommand({
              ...{ TableName: world.table, IndexName: 'byDay', KeyConditionExpression: 'dayPk = :pk', ...more },
              ...{ ExpressionAttributeValues: values, ...(position && { ExclusiveStartKey: position }) },
            }),
          )
          position = answer.LastEvaluatedKey
        } while (position)
      }
      const names = Object.fromEntries(whoFields.map((name, i) => [`#a${i}`, name]))
      const only = { ProjectionExpression: Object.keys(names).join(', '), ExpressionAttributeNames: names }
      await Promise.all([
        ...Array.from({ length: built.parts }, (_, part) => partition(dayIndexPk(today, part), only)),
        ...Array.from({ length: built.parts }, (_, part) =>
          partition(dayIndexPk(dayAt(-1), part), {
            ...{ ...only, FilterExpression: 'closesAt >= :now' },
            ExpressionAttributeValues: { ':now': Date.now() },
          }),
        ),
        partition(requestListPk(requestStatus.approved)),
      ])
      await get(built, shiftKey(shift))
      const people = Array.from({ length: 50 }, (_, n) => employeeKey(idOf(n)))
      const Keys = people.map(({ pk, sk }) => ({ pk: companyPrefix(built.company) + pk, sk }))
      await bare.send(new BatchGetCommand({ RequestItems: { [world.table]: { Keys, ConsistentRead: true } } }))
    }

    const measured = []
    for (const people of sizes) {
      const built = await build(people)
      const { data } = JSON.parse((await openDashboard(built))[4]?.body ?? '{}')
      if (data?.list?.at(0)?.should_num !== people) throw new Error('The dashboard does not show everybody.')
      const now = JSON.parse((await openNow(built)).body).data
      const counted = Object.entries<number>(now?.counts ?? {}).filter(([name]) => name !== 'late')
      if (counted.reduce((sum, [, count]) => sum + count, 0) !== people)
        throw new Error('Not everybody is in exactly one state.')
      const page = JSON.parse((await openReport(built)).body).data
      if (page?.list?.length !== 50) throw new Error('The report does not show a page.')
      measured.push({
        built,
        dashboard: [] as number[],
        bareDashboard: [] as number[],
        now: [] as number[],
        bareNow: [] as number[],
        report: [] as number[],
        bareReport: [] as number[],
      })
    }
    // The first rounds warm up all variants.
    for (let round = -30; round < rounds; round++)
      for (const entry of round % 2 ? measured : measured.toReversed()) {
        const run = {
          dashboard: openDashboard,
          bareDashboard: readBareDashboard,
          now: openNow,
          bareNow: readBareNow,
          report: openReport,
          bareReport: readBareReport,
        }
        for (const name of Object.keys(run) as (keyof typeof run)[]) {
          // These read thousands of rows, so fewer rounds suffice.
          if (round % 5 !== 0 && (name === 'now' || name === 'bareNow')) continue
          const milliseconds = await time(() => run[name](entry.built) as Promise<unknown>)
          if (round >= 0) entry[name].push(milliseconds)
        }
      }
    for (const { built, ...times } of measured) {
      report(`dashboard of ${built.people}`, median(times.dashboard), 'ms')
      report(
        `dashboard / bare reads, of ${built.people}`,
        median(times.dashboard) / median(times.bareDashboard),
        'ratio',
        {
          atMost: 2,
        },
      )
      report(`who is in, of ${built.people}`, median(times.now), 'ms')
      report(`who is in / bare reads, of ${built.people}`, median(times.now) / median(times.bareNow), 'ratio', {
        atMost: 2,
      })
      report(`report, first page of ${built.people}`, median(times.report), 'ms')
      report(`report / bare reads, of ${built.people}`, median(times.report) / median(times.bareReport), 'ratio', {
        atMost: 2,
      })
    }
    const [small, large] = measured
    if (!small || !large) return
    report('dashboard of 5,000 / of 100', median(large.dashboard) / median(small.dashboard), 'ratio', { atMost: 1.5 })
    report('report of 5,000 / of 100', median(large.report) / median(small.report), 'ratio', { atMost: 1.5 })
  } finally {
    console.log = originalLog
    await stream.stop()
    await world.close()
  }
}

const exportedDays = 31
const exportedPeople = [200, 1000]
/** The allowed growth of memory from few to many employees, for compressed data and uncollected garbage. */
const flatMegabytes = 12

/** The largest use of memory during a run, in MB. `run` calls `measure` at each point of measurement. */
const heldDuring = async (run: (measure: () => void) => Promise<unknown>): Promise<number> => {
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

/** Exports a month’s report of a small and of a large company. */
const files = async (report: Report) => {
  const { world, found, save } = await openWorked()
  let changeCount = 0
  const changes = async () => {
    changeCount++
    return { batchItemFailures: [] }
  }
  const stream = readStream({ ...world, changes, complain: console.log })
  /** Waits until the stream has been read, so that its work does not disturb the measurement. */
  const waitUntilRest = async () => {
    for (let before = -1; before !== changeCount; await new Promise(resolve => setTimeout(resolve, 2000)))
      before = changeCount
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

    const megabytesByType: Record<string, number[]> = {}
    for (const people of exportedPeople) {
      const parts = Math.ceil(people / mostPeopleOfPart)
      const { table, keep } = await found(people, { dayParts: [{ from: '2000-01-01', parts }] })
      await keep(fixedShift(shift))
      const everyone = Array.from({ length: people }, (_, n) => idOf(n))
      await atOnce(writersAtOnce, everyone, employee =>
        save(
          ...days.map(day => {
            const { version: _, ...ownRow } = { ...row, employee, day }
            return table.put(dayRowKey(employee, day, row.shift, parts), ownRow)
          }),
        ),
      )
      await waitUntilRest()
      for (const type of ['xlsx', 'csv'] as const) {
        /** `tell` is called after the rows of each day. */
        const makeFile = async (onProgress: () => void = () => undefined) => {
          const work = {
            table,
            asker: { departments: undefined },
            language: 'en',
            tell: async () => onProgress(),
          } as never
          const { rowCount } = await makeReport(work, { type, view: 'daily', filters })
          if (rowCount !== people * exportedDays) throw new Error(`The file has ${rowCount} rows.`)
        }
        const seconds = (await time(() => makeFile())) / 1000
        const label = `${type} of ${people} people × ${exportedDays} days`
        report(label, seconds, 's', type === 'xlsx' ? { atMost: 15 } : undefined)
        const megabytes = await heldDuring(makeFile)
        report(`${label}, held at its most`, megabytes, 'MB')
        megabytesByType[type] = [...(megabytesByType[type] ?? []), megabytes]
      }
    }
    for (const [type, [few = 0, many = 0]] of Object.entries(megabytesByType))
      report(`${type}: more held of ${exportedPeople[1]} people than of ${exportedPeople[0]}`, many - few, 'MB', {
        atMost: flatMegabytes,
      })
  } finally {
    await stream.stop()
    await world.close()
  }
}

export const bench = { punchToScreen, pages, files }
