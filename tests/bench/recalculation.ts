import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { atOnce } from '../../functions/kit/each.ts'
import { readStream } from '../../infra/local/stream.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { monthOf, scheduleKey } from '../../shared/schedule.ts'
import { shiftKey } from '../../shared/shift.ts'
import { companyPrefix } from '../../shared/table.ts'
import { dayAt, fixedShift, idOf, openWorked, zone } from '../kit/worked.ts'
import type { Report } from './main.ts'

// A shift's edit touches 1,000 people × 31 days: every one of their rows is read, calculated and written again, against the bare
// engine writing the same rows with the same client library, table, stream and concurrency, in turns within one run. Then the same
// again, which must write nothing; and what the edit's preview takes, which never does.

/** Fewer only for looking into it; the figures promised are those of a thousand. */
const people = Number(process.env.BENCH_PEOPLE ?? 1000)
const daysEach = 31
const count = people * daysEach
const concurrency = 48
/** Two portions of a task. */
const peopleInTurn = 90

const time = async (run: () => Promise<unknown>) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

export const bench = async (report: Report) => {
  const { world, found, save } = await openWorked()
  const { table, database, bus } = world
  // What is written makes no facts here, but the stream is read: an engine nobody reads gets slower with each write.
  const changes = async () => ({ batchItemFailures: [] })
  const stream = readStream({ database, table, bus, changes, complain: console.error })
  const { localClient } = await import('../../functions/kit/table.ts')
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient), {
    marshallOptions: { removeUndefinedValues: true },
  })
  // As the kit's client does without it.
  client.middlewareStack.remove('loggerMiddleware')
  /** Writes what is only to stand there. */
  const plant = async (items: Record<string, unknown>[]) => {
    const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) => items.slice(i * 25, i * 25 + 25))
    await atOnce(concurrency, batches, async batch => {
      const requests = batch.map(Item => ({ PutRequest: { Item } }))
      const { UnprocessedItems = {} } = await client.send(
        new BatchWriteCommand({ RequestItems: { [table]: requests } }),
      )
      if (Object.keys(UnprocessedItems).length > 0) throw new Error('The engine had no room.')
    })
  }
  try {
    const mine = await found(people)
    const shift = 's'.repeat(16)
    await mine.keep(fixedShift(shift))
    const [from, to] = [dayAt(-daysEach), dayAt(-1)]
    const days = daysBetween(from, to)
    const everybody = Array.from({ length: people }, (_, n) => n)

    // What a manager and the terminals wrote in that month stands there at once; the rows that follow from it are calculated.
    const planned = [...Map.groupBy(days, monthOf)]
    const punchAt = (n: number, localTime: string): Punch => ({
      ...{ number: String(100 + n), sn: 'T1', at: new Date(`${localTime}+02:00`).toISOString(), localTime, zone },
      ...{ source: 'sendlog', receivedAt: `${localTime}Z`, generation: 1 },
    })
    const given = everybody.flatMap(n => [
      ...planned.map(([month, days]) =>
        mine.table.put(scheduleKey(month, idOf(n)), {
          ...{ employee: idOf(n), month, days: Object.fromEntries(days.map(day => [day, [shift]])) },
        }),
      ),
      ...days
        .flatMap(day => [punchAt(n, `${day}T09:03:00`), punchAt(n, `${day}T18:01:00`)])
        .map(punch => mine.table.put(punchKey(punch), punch)),
    ])
    await plant(given.map(({ put = {} }) => put))

    const recalculate = async (some: number[], expected: number) => {
      const { rows } = await mine.recalculate(some.map(n => ({ employee: idOf(n), from, to })))
      if (rows !== expected) throw new Error(`${rows} rows were written, not ${expected}.`)
    }
    type Stored = DayRow & { version: number }
    const readRows = async (some: number[]): Promise<Stored[]> => (await atOnce(concurrency, some, mine.rows)).flat()
    /** The same row of another company. */
    const bareItem = (row: Stored) => {
      const { pk, sk, byDay } = dayRowKey(row.employee, row.day, row.shift, 1)
      const prefix = companyPrefix('bare')
      return { ...row, pk: prefix + pk, sk, dayPk: `${prefix}${byDay?.pk}`, daySk: byDay?.sk }
    }
    const writeBare = (rows: Stored[]) =>
      atOnce(concurrency, rows, row =>
        client.send(
          new PutCommand({
            TableName: table,
            Item: bareItem(row),
            ConditionExpression: '#version = :version',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':version': row.version - 1 },
          }),
        ),
      )

    report('first calculation of all', (await time(() => recalculate(everybody, count))) / 1000, 's')
    await plant((await readRows(everybody)).map(bareItem))
    const stored = await mine.table.get(shiftKey(shift))
    if (!stored) throw new Error('No shift')
    const edited = { ...stored, allowedLateMinutes: 1 }
    const supposed = { shifts: { [shift]: { ...edited, version: stored.version + 1 } } }
    const spans = everybody.map(n => ({ employee: idOf(n), from, to }))
    const previewed = await time(() => mine.preview(spans, supposed))
    await save(mine.table.replace(shiftKey(shift), edited))
    // In turns of some people, so that whatever else the machine does slows down both.
    let [bare, calculated, unchanged] = [0, 0, 0]
    for (let n = 0; n < people; n += peopleInTurn) {
      const some = everybody.slice(n, n + peopleInTurn)
      calculated += await time(() => recalculate(some, some.length * daysEach))
      unchanged += await time(() => recalculate(some, 0))
      const rows = await readRows(some)
      bare += await time(() => writeBare(rows))
    }
    report('bare engine writing the rows', bare / 1000, 's')
    report('recalculation', calculated / 1000, 's')
    report('employee-days calculated and stored', count / (calculated / 1000), 'per second')
    report('employee-days calculated with nothing to store', count / (unchanged / 1000), 'per second')
    report('preview', previewed / 1000, 's')
    report('recalculation / bare engine', calculated / bare, 'ratio', { atMost: 2 })
  } finally {
    await stream.stop()
    await world.close()
  }
}
