import { expect } from 'vitest'
import type { PathCall } from '../../shared/api.ts'
import type { Client, Signed } from './client.ts'
import { taskEnd } from './sheet.ts'
import { openSocket } from './socket.ts'

// A connected terminal for tests that need punches, and the plans of past days.

/** Adds a terminal and connects it. */
export const addGate = async (http: Client, boss: Signed, department: string, more: { timezone?: string } = {}) => {
  const serialNumber = `G${Math.random().toString(36).slice(2, 10)}`.toUpperCase()
  const { serverPath } = await http.call('device/add', { serialNumber, name: 'Gate', department, ...more }, boss)
  const terminal = await openSocket(http.address, { path: serverPath })
  terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: {} })
  expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
  let logindex = 0
  return {
    close: () => terminal.close(),
    /** Sends punches as `number YYYY-MM-DD HH:MM`, by the terminal’s clock. */
    async punch(...punches: string[]) {
      const record = punches.map(punch => {
        const [number, day, time] = punch.split(' ')
        return { enrollid: Number(number), time: `${day} ${time}:00`, mode: 8, inout: 0, event: 0 }
      })
      logindex += 1
      terminal.say({ cmd: 'sendlog', count: record.length, logindex, record })
      expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    },
  }
}
export type Gate = Awaited<ReturnType<typeof addGate>>

/** Plans days. Past days change only after a preview of the same plan. */
export const planDays = async (http: Client, boss: Signed, plan: PathCall<'schedule/plan'>['plan']): Promise<void> => {
  const { id: preview } = await taskEnd(http, boss, await http.call('schedule/preview', { plan }, boss))
  const end = await taskEnd(http, boss, await http.call('schedule/plan', { plan, preview }, boss))
  expect(end).toMatchObject({ state: 'done' })
}
