import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planDay } from '../../infra/local/terminal/day.ts'
import { client, eventually, register } from '../client.ts'
import { type Stack, startStack, temporaryFolder } from '../stack.ts'

test('a server killed while a terminal sends loses no acknowledged punch and doubles none', {
  timeout: 120_000,
}, async () => {
  const people = 100
  const kills = 3
  const data = temporaryFolder()
  let stack: Stack = await startStack({ data })
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
  let killing: Promise<void> | undefined
  let atLastKill = 0
  terminal.stdout.on('data', text => {
    said += text
    // With the frame that was just acknowledged the next one has been sent: now is between its storing and its answer.
    if (killing || killed === kills || acknowledged().length <= atLastKill) return
    killed++
    killing = stack.kill9().then(async () => {
      stack = await startStack({ data, port: Number(port) })
      atLastKill = acknowledged().length
      killing = undefined
    })
  })
  try {
    expect(await ended, said).toBe(0)
    await killing
    expect(killed, said).toBe(kills)
    expect(said.match(/Trying again/g)?.length).toBeGreaterThanOrEqual(kills)
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
