import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { dayRowKey } from '../../shared/day.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { shiftKey } from '../../shared/shift.ts'
import { dayAt, fixedShift, idOf, openWorked } from '../worked.ts'
import type { Report } from './main.ts'

// A shift's edit touches 250 people × 31 days: every one of their rows is read, calculated and written again, against the bare
// engine writing the same rows, in turns within one run. And what its preview takes, which writes nothing.

const people = 250
const daysEach = 31
const concurrency = 48
const rounds = 2

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export const bench = async (report: Report) => {
  const { world, found, save } = await openWorked()
  try {
    const mine = await found(people)
    const shift = 's'.repeat(16)
    await mine.keep(fixedShift(shift))
    const [from, to] = [dayAt(-daysEach), dayAt(-1)]
    const days = daysBetween(from, to)
    const everybody = Array.from({ length: people }, (_, n) => n)
    for (let n = 0; n < people; n += 50)
      await Promise.all(
        everybody.slice(n, n + 50).map(async n => {
          await mine.schedule(idOf(n), Object.fromEntries(days.map(day => [day, [shift]])))
          for (const day of days) await mine.punch(n, day, '09:03', '18:01')
        }),
      )
    const spans = everybody.map(n => ({ employee: idOf(n), from, to }))
    await mine.recalculate(spans)
    const rows = (await Promise.all(everybody.map(mine.rows))).flat()
    report('rows', rows.length, 'rows')

    const { localClient } = await import('../../functions/kit/table.ts')
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient))
    const { table } = world
    /** The same rows of another company, each as it stands in the table, on top of the version that was read. */
    const writeBare = async (round: number) => {
      const list = rows.entries()
      const work = async () => {
        for (const [, row] of list) {
          const { pk, sk, byDay } = dayRowKey(row.employee, row.day, row.shift, 1)
          await client.send(
            new PutCommand({
              TableName: table,
              Item: {
                ...row,
                pk: `C#bare#${pk}`,
                sk,
                dayPk: `C#bare#${byDay?.pk}`,
                daySk: byDay?.sk,
                version: round + 1,
              },
              ...(round > 0 && {
                ConditionExpression: '#version = :version',
                ExpressionAttributeNames: { '#version': 'version' },
                ExpressionAttributeValues: { ':version': round },
              }),
            }),
          )
        }
      }
      const startedAt = performance.now()
      await Promise.all(Array.from({ length: concurrency }, work))
      return performance.now() - startedAt
    }
    const edit = async (allowedLateMinutes: number) => {
      const stored = await mine.table.get(shiftKey(shift))
      if (!stored) throw new Error('No shift')
      await save(mine.table.replace(shiftKey(shift), { ...stored, allowedLateMinutes }))
      const startedAt = performance.now()
      const done = await mine.recalculate(spans)
      if (done.rows !== rows.length) throw new Error(`${done.rows} rows were written.`)
      return performance.now() - startedAt
    }
    const look = async (allowedLateMinutes: number) => {
      const stored = await mine.table.get(shiftKey(shift))
      if (!stored) throw new Error('No shift')
      const startedAt = performance.now()
      await mine.preview(spans, { shifts: { [shift]: { ...stored, allowedLateMinutes, version: stored.version + 1 } } })
      return performance.now() - startedAt
    }
    await writeBare(0)
    const [bare, calculated, previewed]: [number[], number[], number[]] = [[], [], []]
    for (let round = 1; round <= rounds; round++) {
      bare.push(await writeBare(round))
      previewed.push(await look(round % 2))
      calculated.push(await edit(round % 2))
    }
    report('bare engine writing the rows', median(bare) / 1000, 's')
    report('recalculation', median(calculated) / 1000, 's')
    report('preview', median(previewed) / 1000, 's')
    report('recalculation / bare engine', median(calculated) / median(bare), 'ratio', { atMost: 2 })
  } finally {
    await world.close()
  }
}
