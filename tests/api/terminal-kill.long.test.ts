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

/** Counts the punches in the engine, which keeps running after a kill of the stack. */
const countStored = async (data: string): Promise<number> => {
  const table = new DynamoDBClient(clientOf(engineOf(data)))
  let total = 0
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
    total += Count ?? 0
    from = LastEvaluatedKey as Record<string, never> | undefined
  }
  table.destroy()
  return total
}

test('a server killed while a terminal sends loses no acknowledged punch and stores no punch twice', {
  timeout: isOurEngine ? 240_000 : 900_000,
}, async () => {
  // Some kills hit no record between storage and acknowledgement. More punches allow more kills.
  const people = 200
  /** The least number of kills. Kills continue until `leastHits` of them hit stored but unacknowledged records. */
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
  // The owner has number 1.
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
  let output = ''
  terminal.stderr.on('data', text => {
    output += text
  })
  const ended = new Promise(resolve => terminal.once('close', resolve))
  const listAcknowledged = () =>
    [...output.matchAll(/^(\S+ \S+) {2}employee (\d+) {2}stored$/gm)].map(([, time, number]) => `${number} ${time}`)
  let killCount = 0
  /** Kills that hit records stored but not acknowledged. */
  let hits = 0
  let killing: Promise<void> | undefined
  let atLastKill = 0
  const [point, crashed] = [join(data, 'point.json'), join(data, 'crashed.json')]
  /** Kills the stack. Every other kill comes right after the stack has stored the next punches. */
  const kill = async () => {
    if (killCount % 2 === 0) {
      writeFileSync(point, JSON.stringify({ step: 1, side: 'after', name: String(killCount), of: '#PUNCH#' }))
      while (!existsSync(crashed)) await wait(5)
      rmSync(point)
      rmSync(crashed)
    }
    await stack.kill9()
    killCount++
    // Waits for requests that are still on their way to the engine or to the terminal.
    await wait(200)
    if ((await countStored(data)) > listAcknowledged().length) hits++
    stack = await startStack({ ...options, port: Number(port) })
    atLastKill = listAcknowledged().length
    killing = undefined
  }
  terminal.stdout.on('data', text => {
    output += text
    if (killing || (killCount >= kills && hits >= leastHits) || listAcknowledged().length <= atLastKill) return
    killing = kill()
  })
  try {
    expect(await ended, output).toBe(0)
    await killing
    expect(killCount, output).toBeGreaterThanOrEqual(kills)
    expect(hits, `${killCount} kills, between storing and acknowledging`).toBeGreaterThanOrEqual(leastHits)
    expect(output.match(/Retrying/g)?.length).toBeGreaterThanOrEqual(killCount)
    expect(listAcknowledged().sort()).toEqual(planned.toSorted())

    const stored = await eventually(
      async () => {
        const punches: string[] = []
        for (let page: string | undefined, isLast = false; !isLast; isLast = page === undefined) {
          const filters = { from: day, to: day }
          const { list, next } = await http.call('record/grid', { filters, size: 200, ...(page && { page }) }, owner)
          for (const { workno, at } of list) {
            const clock = new Date(Date.parse(at) + 9 * 3_600_000).toISOString()
            punches.push(`${workno} ${clock.slice(0, 19).replace('T', ' ')}`)
          }
          page = next
        }
        return punches.sort()
      },
      punches => expect(punches).toEqual(planned.toSorted()),
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
