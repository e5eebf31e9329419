import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { loadLambda } from '../../infra/local/invoke.ts'
import { readStream } from '../../infra/local/stream.ts'
import type { PathCall, PathOutput } from '../../shared/api.ts'
import { departmentKey } from '../../shared/department.ts'
import type { Employee } from '../../shared/employee.ts'
import { addDays, daysBetween } from '../../shared/local-day.ts'
import {
  type LeaveRequest,
  mostLeaveDays,
  requestKey,
  requestListPk,
  requestStatus,
  requestTypes,
} from '../../shared/request.ts'
import { expandRotation } from '../../shared/rotation.ts'
import { scheduleKey } from '../../shared/schedule/month.ts'
import { companyPrefix } from '../../shared/table.ts'
import { client, register } from '../kit/client.ts'
import { importSheet } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { startStack } from '../kit/stack.ts'
import { openWorld } from '../kit/world.ts'
import type { Report } from './main.ts'

// A manager plans a month of 500 employees in one action, and a browser shows the progress. Then the bench measures the
// board’s reads against the bare queries, with the same client library, table and index.

const people = 500
const month = '2098-03'
const [from, to] = [`${month}-01`, `${month}-31`]
const days = daysBetween(from, to)
const pageSize = 200
const rounds = 60

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const time = async (run: () => Promise<unknown>) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

const times = (punchStart: string, onDuty: string, offDuty: string, punchEnd: string) => ({
  ...{ punchStart, onDuty, offDuty, punchEnd },
})
const shifts = {
  Early: times('05:00', '06:00', '14:00', '15:00'),
  Late: times('13:00', '14:00', '22:00', '23:00'),
  Night: times('21:00', '22:00', '06:00+1', '07:00+1'),
}

/** A plan with a shift on every day of every employee, in rotations of several weeks with different offsets. */
const makePlan = (employees: string[], ids: string[]): PathCall<'schedule/plan'>['plan'] => {
  const weeks = [0, 0, 1, 1, 2].map(shift => Array.from({ length: 7 }, () => [shift]))
  return {
    ...{ from, shifts: ids },
    rows: employees.map((employee, step) => ({
      employees: [employee],
      cells: expandRotation({ weeks, starts: addDays(from, -7 * 4), step }, from, to),
    })),
  }
}

const benchSaving = async (report: Report) => {
  const stack = await startStack()
  try {
    const http = client(stack.address)
    const owner = await register(http)
    const lines = Array.from({ length: people }, (_, i) => `Person,Number ${i},${1000 + i},Olive & Sons`)
    await importSheet(http, owner, `first_name,last_name,workno,department\n${lines.join('\n')}\n`)
    const ids: string[] = []
    for (const [name, shiftTimes] of Object.entries(shifts))
      ids.push((await http.call('shift/add', { name, ...shiftTimes }, owner)).id)
    const employees: string[] = []
    for (let page: string | undefined, isFirst = true; isFirst || page; isFirst = false) {
      const part: PathOutput<'employee/grid'> = await http.call(
        'employee/grid',
        { size: 200, ...(page && { page }) },
        owner,
      )
      employees.push(...part.list.filter(({ id }) => id !== owner.owner).map(({ id }) => id))
      page = part.next
    }
    if (employees.length !== people) throw new Error(`There are ${employees.length} people.`)
    const browser = await openSocket(http.address)
    browser.say({ cmd: 'home.login', token: owner.token })
    await browser.hear({ ret: 'home.login' })

    // First the plan of an empty month, then a plan that replaces it.
    for (const [name, shiftIds] of [
      ['painted', ids],
      ['painted over', ids.toReversed()],
    ] as const) {
      const startedAt = performance.now()
      const seconds = () => (performance.now() - startedAt) / 1000
      const { task } = await http.call('schedule/plan', { plan: makePlan(employees, [...shiftIds]) }, owner)
      const seenProgress = new Set<string>()
      const pageTimes: number[] = []
      for (let readAt = 0; ; ) {
        const { state, step, done, total, rowCount } = await http.call('task/get', { id: task }, owner)
        seenProgress.add(`${step} ${done}/${total}`)
        if (state === 'done' && rowCount !== undefined && rowCount > 0) break
        if (state === 'failed' || state === 'done') throw new Error(`It ended as ${state}.`)
        if (seconds() - readAt > 1) {
          readAt = seconds()
          pageTimes.push(await time(() => http.call('schedule/grid', { filters: { from, to }, size: 50 }, owner)))
        }
        await new Promise(resolve => setTimeout(resolve, 200))
      }
      report(`${people * days.length} entries ${name} and saved after`, seconds(), 's', { atMost: 10 })
      report('different progress seen', seenProgress.size, 'times', { atLeast: 5 })
      report('a page of the board, meanwhile', median(pageTimes), 'ms')
    }
  } finally {
    await stack.stop()
  }
}

const person = (i: number): Employee => ({
  id: `e${String(i).padStart(15, '0')}`,
  first_name: 'Person',
  last_name: `${String.fromCharCode(65 + ((i * 7) % 26))}ason ${i}`,
  workno: String(i + 1),
  department: 'd'.padEnd(16, '0'),
  hireDay: '2026-01-01',
  role: i === 0 ? 1 : 3,
})

const benchReading = async (report: Report) => {
  const world = await openWorld()
  Object.assign(process.env, world.environment)
  const originalLog = console.log
  // Drops the log lines of the handler, because the output contains only figures.
  console.log = line => (String(line).includes('"path":"') ? undefined : originalLog(line))
  const kit = await import('../../functions/kit/table.ts')
  const { addEmployee } = await import('../../functions/employee/store.ts')
  const { startSession } = await import('../../functions/kit/session.ts')
  const { accountKey } = await import('../../shared/account.ts')
  const handler = await loadLambda('functions', 'schedule')
  if (!handler) throw new Error('functions/schedule.ts is missing')
  // The stream is read without creating events, because an unread stream slows down each write.
  const changes = async () => ({ batchItemFailures: [] })
  const stream = readStream({
    database: world.database,
    table: world.table,
    bus: world.bus,
    changes,
    complain: originalLog,
  })
  const bare = DynamoDBDocumentClient.from(new DynamoDBClient(kit.localClient))
  const company = 'planning'
  const prefix = companyPrefix(company)
  try {
    const table = kit.openTable(company)
    const { department } = person(0)
    const account = { id: 'planner', passwordHash: '-', memberships: [{ company, employee: person(0).id }] }
    await kit.save(
      table.insert(departmentKey(department), { id: department, name: 'All' }),
      kit.directory().insert(accountKey(account.id), account),
    )
    const ids = Object.keys(shifts).map((_, i) => `s${i}`.padEnd(16, '0'))
    const { rows } = makePlan(
      Array.from({ length: people }, (_, i) => person(i).id),
      ids,
    )
    for (const [i, { cells }] of rows.entries()) {
      const shiftsByDay = days.map((day, index) => [day, cells[index]?.map(shift => ids[shift] ?? '') ?? []])
      const { id } = person(i)
      await kit.save(
        ...addEmployee(table, person(i)),
        table.insert(scheduleKey(month, id), { employee: id, month, days: Object.fromEntries(shiftsByDay) }),
      )
    }
    const user = { company, employee: person(0).id, type: 'management' as const }
    const token = await startSession(user, { id: account.id, version: 1 })

    // A quarter of the people have approved leave in the month, and a few wait for a decision.
    const leaves = Array.from({ length: people / 4 }, (_, i): LeaveRequest => {
      const status = i % 10 === 0 ? requestStatus.pending : requestStatus.approved
      const [day, toDay] = [days[i % 20] ?? from, days[(i % 20) + 5] ?? to]
      return {
        ...{ id: `${toDay}#${i}`, employee: person(i * 4).id, type: requestTypes.leave, status, leaveType: 3 },
        ...{ day, toDay, zone: 'Europe/Athens', createdAt: `${day}T06:00:00.000Z`, steps: [] },
        total: { days: 6, minutes: 2880 },
      }
    })
    for (const leave of leaves) await kit.save(table.insert(requestKey(leave), leave))

    type Board = PathOutput<'schedule/grid'>
    const readBoard = async (): Promise<Board['list']> => {
      const list: Board['list'] = []
      for (let page: string | undefined, isFirst = true; isFirst || page; isFirst = false) {
        const { body } = (await handler({
          version: '2.0',
          rawPath: '/api/schedule/grid',
          headers: { 'x-token': token, 'x-api-version': '2.0', 'x-language': 'en', 'x-timezone': 'Europe/Athens' },
          body: JSON.stringify({ filters: { from, to }, size: pageSize, ...(page && { page }) }),
          requestContext: { requestId: 'bench', http: { method: 'POST', sourceIp: '127.0.0.1' } },
        })) as { body: string }
        const { data } = JSON.parse(body) as { data: Board }
        list.push(...data.list)
        page = data.next
      }
      return list
    }
    const readBare = async (): Promise<Record<string, unknown>[]> => {
      const months: Record<string, unknown>[] = []
      let start: Record<string, unknown> | undefined
      do {
        const { Items = [], LastEvaluatedKey } = await bare.send(
          new QueryCommand({
            TableName: world.table,
            IndexName: 'byName',
            KeyConditionExpression: 'namePk = :pk',
            ExpressionAttributeValues: { ':pk': `${prefix}EMPLOYEE` },
            Limit: pageSize,
            ...(start && { ExclusiveStartKey: start }),
          }),
        )
        for (let i = 0; i < Items.length; i += 100) {
          const Keys = Items.slice(i, i + 100).map(({ id }) => {
            const { pk, sk } = scheduleKey(month, String(id))
            return { pk: prefix + pk, sk }
          })
          const request = { RequestItems: { [world.table]: { Keys, ConsistentRead: true } } }
          const { Responses, UnprocessedKeys } = await bare.send(new BatchGetCommand(request))
          if (UnprocessedKeys?.[world.table]) throw new Error('The engine left keys unread.')
          months.push(...(Responses?.[world.table] ?? []))
        }
        start = LastEvaluatedKey
      } while (start)
      return months
    }

    const readBareLeaves = async (): Promise<Record<string, unknown>[]> => {
      const answers = [requestStatus.approved, requestStatus.pending].map(status =>
        bare.send(
          new QueryCommand({
            TableName: world.table,
            IndexName: 'byDay',
            KeyConditionExpression: 'dayPk = :pk AND daySk BETWEEN :from AND :to',
            ExpressionAttributeValues: {
              ':pk': prefix + requestListPk(status),
              ':from': from,
              ':to': addDays(to, mostLeaveDays),
            },
          }),
        ),
      )
      return (await Promise.all(answers)).flatMap(({ Items = [] }) => Items)
    }

    const [board, items, leaveItems] = [await readBoard(), await readBare(), await readBareLeaves()]
    if (board.flatMap(row => row.leaves).length !== leaves.length || leaveItems.length !== leaves.length)
      throw new Error('The two do not read the same leave.')
    const countDays = (list: { days?: unknown }[]) =>
      list.reduce((sum, { days }) => sum + Object.keys((days ?? {}) as object).length, 0)
    if (board.length !== people || countDays(board) !== people * days.length || countDays(items) !== countDays(board))
      throw new Error(
        `The two do not read the same: ${board.length} people, ${countDays(board)} and ${countDays(items)} days.`,
      )

    const [boardTimes, bareTimes]: [number[], number[]] = [[], []]
    // The first rounds warm up both variants.
    for (let round = -10; round < rounds; round++)
      for (const kind of round % 2 ? (['board', 'bare'] as const) : (['bare', 'board'] as const)) {
        const milliseconds = await time(
          kind === 'board' ? readBoard : () => Promise.all([readBare(), readBareLeaves()]),
        )
        if (round >= 0) (kind === 'board' ? boardTimes : bareTimes).push(milliseconds)
      }
    report(`bare queries of ${people} people, their month and their leave`, median(bareTimes), 'ms')
    report(`schedule/grid of ${people} × ${days.length} with leave`, median(boardTimes), 'ms')
    report('schedule/grid / bare queries', median(boardTimes) / median(bareTimes), 'ratio', { atMost: 3 })
  } finally {
    console.log = originalLog
    await stream.stop()
    await world.close()
  }
}

export const bench = { saving: benchSaving, reading: benchReading }
