import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { atOnce } from '../../functions/kit/each.ts'
import { readStream } from '../../infra/local/stream.ts'
import { type DayRow, dayRowKey } from '../../shared/day.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { type Punch, punchKey } from '../../shared/punch.ts'
import { monthOf, scheduleKey } from '../../shared/schedule/month.ts'
import { shiftKey } from '../../shared/shift.ts'
import { companyPrefix } from '../../shared/table.ts'
import { dayAt, fixedShift, idOf, openWorked, zone } from '../kit/worked.ts'
import type { Report } from './main.ts'

// An edit of a shift changes 31 days of 1,000 employees. The recalculation reads, calculates and writes every row. In
// alternation, the bare engine writes the same rows with the same client library, table, stream and concurrency. The
// bench also measures a repeated recalculation, which must write nothing, and the preview of the edit, which never
// writes.

/** Use fewer employees only for experiments. The promised figures are for a thousand employees. */
const people = Number(process.env.BENCH_PEOPLE ?? 1000)
const daysEach = 31
const count = people * daysEach
const concurrency = 48
/** The number of people in two portions of a task. */
const peopleInTurn = 90

const time = async (run: () => Promise<unknown>) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

export const bench = async (report: Report) => {
  const { world, found, save } = await openWorked()
  const { table, database, bus } = world
  // The stream is read without creating events, because an unread stream slows down each write.
  const changes = async () => ({ batchItemFailures: [] })
  const stream = readStream({ database, table, bus, changes, complain: console.error })
  const { localClient } = await import('../../functions/kit/table.ts')
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient), {
    marshallOptions: { removeUndefinedValues: true },
  })
  // The kit’s client removes this middleware too.
  client.middlewareStack.remove('loggerMiddleware')
  /** Writes items directly, without measuring. */
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
    const company = await found(people)
    const shift = 's'.repeat(16)
    await company.keep(fixedShift(shift))
    const [from, to] = [dayAt(-daysEach), dayAt(-1)]
    const days = daysBetween(from, to)
    const everyone = Array.from({ length: people }, (_, n) => n)

    // Plants the month’s schedules and punches directly; the rows are calculated.
    const planned = [...Map.groupBy(days, monthOf)]
    const punchAt = (n: number, localTime: string): Punch => ({
      ...{ number: String(100 + n), sn: 'T1', at: new Date(`${localTime}+02:00`).toISOString(), localTime, zone },
      ...{ source: 'sendlog', receivedAt: `${localTime}Z`, generation: 1 },
    })
    const writes = everyone.flatMap(n => [
      ...planned.map(([month, days]) =>
        company.table.put(scheduleKey(month, idOf(n)), {
          ...{ employee: idOf(n), month, days: Object.fromEntries(days.map(day => [day, [shift]])) },
        }),
      ),
      ...days
        .flatMap(day => [punchAt(n, `${day}T09:03:00`), punchAt(n, `${day}T18:01:00`)])
        .map(punch => company.table.put(punchKey(punch), punch)),
    ])
    await plant(writes.map(({ put = {} }) => put))

    const recalculate = async (portion: number[], expected: number) => {
      const { rows } = await company.recalculate(portion.map(n => ({ employee: idOf(n), from, to })))
      if (rows !== expected) throw new Error(`${rows} rows were written, not ${expected}.`)
    }
    type Stored = DayRow & { version: number }
    const readRows = async (portion: number[]): Promise<Stored[]> =>
      (await atOnce(concurrency, portion, company.rows)).flat()
    /** The same row in another company. */
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

    report('first calculation of all', (await time(() => recalculate(everyone, count))) / 1000, 's')
    await plant((await readRows(everyone)).map(bareItem))
    const stored = await company.table.get(shiftKey(shift))
    if (!stored) throw new Error('No shift')
    const edited = { ...stored, allowedLateMinutes: 1 }
    const change = { shifts: { [shift]: { ...edited, version: stored.version + 1 } } }
    const spans = everyone.map(n => ({ employee: idOf(n), from, to }))
    const previewMs = await time(() => company.preview(spans, change))
    await save(company.table.replace(shiftKey(shift), edited))
    // Alternates in portions of people, so that other load on the machine slows down both.
    let [bareMs, calculatedMs, unchangedMs] = [0, 0, 0]
    for (let n = 0; n < people; n += peopleInTurn) {
      const portion = everyone.slice(n, n + peopleInTurn)
      calculatedMs += await time(() => recalculate(portion, portion.length * daysEach))
      unchangedMs += await time(() => recalculate(portion, 0))
      const rows = await readRows(portion)
      bareMs += await time(() => writeBare(rows))
    }
    report('bare engine writing the rows', bareMs / 1000, 's')
    report('recalculation', calculatedMs / 1000, 's')
    report('employee-days calculated and stored', count / (calculatedMs / 1000), 'per second')
    report('employee-days calculated with nothing to store', count / (unchangedMs / 1000), 'per second')
    report('preview', previewMs / 1000, 's')
    report('recalculation / bare engine', calculatedMs / bareMs, 'ratio', { atMost: 2 })
  } finally {
    await stream.stop()
    await world.close()
  }
}
