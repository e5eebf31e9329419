import { spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { clientOf } from '../../infra/local/stack/database.ts'
import { planDay } from '../../infra/local/terminal/day.ts'
import { engineOf } from '../chaos/fleet.ts'
import { client, eventually, register } from '../kit/client.ts'
import { isOurEngine, type Stack, startStack, temporaryFolder } from '../kit/stack.ts'

/** How many punches the engine holds; it outlives its stack. */
const countStored = async (data: string): Promise<number> => {
  const table = new DynamoDBClient(clientOf(engineOf(data)))
  let count = 0
  for (let from: Record<string, never> | undefined, isLast = false; !isLast; isLast = from === undefined) {
    const { Count, LastEvaluatedKey } = await table.send(
      new ScanCommand({
        TableName: 'attendance',
        FilterExpression: 'contains(pk, :punch)',
        ExpressionAttributeValues: { ':punch': { S: '#PUNCH#' } },
        Select: 'COUNT',
        ConsistentRead: true,
        ExclusiveStartKey: from,
      }),
    )
    count += Count ?? 0
    from = LastEvaluatedKey as Record<string, never> | undefined
  }
  table.destroy()
  return count
}

test('a server killed while a terminal sends loses no acknowledged punch and doubles none', {
  timeout: isOurEngine ? 240_000 : 900_000,
}, async () => {
  // A kill may meet a read-out of records that are acknowledged: a longer day has more kills left.
  const people = 200
  /** At least so many, and on until some found records stored and not acknowledged: what is sent twice leaves none such. */
  const kills = 5
  const leastHits = 2
  const data = temporaryFolder()
  const crash = new URL('../chaos/crash.ts', import.meta.url).href
  const options = { data, nodeArguments: ['--import', crash], environment: { CRASH: data } }
  let stack: Stack = await startStack(options)
  const { port } = new URL(stack.address)
  const http = client(stack.address)
  const owner = await register(http, { timezone: 'Asia/Tokyo' })
  const { department } = owner
  // The owner is number 1.
  for (let workno = 2; workno <= people; workno++)
    await http.call('employee/add', { first_name: 'Per', last_name: 'Son', workno: String(workno), department }, owner)
  await http.call('device/add', { serialNumber: 'KILL1', name: 'Gate', department, authentication: 'claim' }, owner)

  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  const planned = planDay({ day, people, seed: 1 }).map(({ enrollid, time }) => `${enrollid} ${time}`)
  const terminal = spawn(process.execPath, [
    'infra/local/terminal.ts',
    ...['--address', `ws://127.0.0.1:${port}/web`, '--sn', 'KILL1', '--data', join(data, 'terminals')],
    ...['--day', day, '--people', String(people)],
  ])
  let said = ''
  terminal.stderr.on('data', text => {
    said += text
  })
  const ended = new Promise(resolve => terminal.once('close', resolve))
  const acknowledged = () =>
    [...said.matchAll(/^(\S+ \S+) {2}employee (\d+) {2}stored$/gm)].map(([, time, number]) => `${number} ${time}`)
  let killed = 0
  /** Kills that found records stored and not acknowledged. */
  let hits = 0
  let killing: Promise<void> | undefined
  let atLastKill = 0
  const [point, crashed] = [join(data, 'point.json'), join(data, 'crashed.json')]
  /** At any moment, or, every other time, just when the next punches are stored and nobody knows yet. */
  const kill = async () => {
    if (killed % 2 === 0) {
      writeFileSync(point, JSON.stringify({ step: 1, side: 'after', name: String(killed), of: '#PUNCH#' }))
      while (!existsSync(crashed)) await wait(5)
      rmSync(point)
      rmSync(crashed)
    }
    await stack.kill9()
    killed++
    // What was on its way, to the engine or to the terminal, arrives.
    await wait(200)
    if ((await countStored(data)) > acknowledged().length) hits++
    stack = await startStack({ ...options, port: Number(port) })
    atLastKill = acknowledged().length
    killing = undefined
  }
  terminal.stdout.on('data', text => {
    said += text
    if (killing || (killed >= kills && hits >= leastHits) || acknowledged().length <= atLastKill) return
    killing = kill()
  })
  try {
    expect(await ended, said).toBe(0)
    await killing
    expect(killed, said).toBeGreaterThanOrEqual(kills)
    expect(hits, `${killed} kills, between storing and acknowledging`).toBeGreaterThanOrEqual(leastHits)
    expect(said.match(/Trying again/g)?.length).toBeGreaterThanOrEqual(killed)
    expect(acknowledged().sort()).toEqual(planned.toSorted())

    const stored = await eventually(
      async () => {
        const found: string[] = []
        for (let page: string | undefined, isLast = false; !isLast; isLast = page === undefined) {
          const filters = { from: day, to: day }
          const { list, next } = await http.call('record/grid', { filters, size: 200, ...(page && { page }) }, owner)
          for (const { workno, at } of list) {
            const clock = new Date(Date.parse(at) + 9 * 3_600_000).toISOString()
            found.push(`${workno} ${clock.slice(0, 19).replace('T', ' ')}`)
          }
          page = next
        }
        return found.sort()
      },
      found => expect(found).toEqual(planned.toSorted()),
      60,
    )
    expect(stored).toHaveLength(planned.length)
  } finally {
    terminal.kill('SIGKILL')
    await killing
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
})
