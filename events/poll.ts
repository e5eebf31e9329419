import { setTimeout as wait } from 'node:timers/promises'
import type { ScheduledEvent } from 'aws-lambda'
import { tryEach } from '../functions/kit/each.ts'
import { log } from '../functions/kit/log.ts'
import { polls } from '../functions/kit/push.ts'
import { directory } from '../functions/kit/table.ts'
import { countRecords } from '../functions/terminal/count.ts'
import { sendAwayNewcomers } from '../functions/terminal/newcomer.ts'
import { lookAfter, settleOverdue } from '../functions/terminal/round.ts'
import { partOf } from '../shared/day.ts'
import { type DueTerminal, dueTerminalKey, type OpenTerminal, openTerminalKey } from '../shared/device/claim.ts'
import { isClockMoved, pollMinutes } from '../shared/device.ts'

// Runs every minute. Expires overdue answers of terminals. Asks each terminal every few minutes for undelivered
// records, which also keeps its connection open. Closes sockets that have not identified themselves.

const terminalsAtOnce = 32
/** The pause between two terminals, because each terminal's answer writes to the table that deliveries also use. */
const pauseMilliseconds = { overdue: 20, polled: 100 }
const mostMilliseconds = 20_000
const companiesAtOnce = 8

const failing = { job: 'poll', raisesAlarm: true } as const

export const handler = async ({ time }: Pick<ScheduledEvent, 'time'>): Promise<void> => {
  const now = Date.parse(time)
  const [due, open] = await Promise.all([
    directory().all<DueTerminal>({ pk: dueTerminalKey('').pk }),
    directory().all<OpenTerminal>({ pk: openTerminalKey('').pk }),
  ])
  const minute = Math.floor(now / 60_000)
  const overdue = due.filter(({ dueAt }) => Date.parse(dueAt) <= now)
  // Each terminal has its own minute. A terminal whose zone just changed its clock is due now.
  const polled = open.filter(
    ({ serialNumber, zone }) =>
      partOf(serialNumber, pollMinutes) === minute % pollMinutes || isClockMoved(zone, now, 1),
  )
  const each = async <T extends { serialNumber: string }>(
    list: T[],
    apart: number,
    act: (one: T, now: number) => Promise<void>,
  ) => {
    const begunAt = Date.now()
    const pause = Math.min(apart, mostMilliseconds / list.length)
    const trying = { ...failing, atOnce: terminalsAtOnce, nameOf: ([, one]: [number, T]) => ({ sn: one.serialNumber }) }
    await tryEach(trying, [...list.entries()], async ([i, one]) => {
      await wait(Math.max(0, begunAt + i * pause - Date.now()))
      await act(one, Date.now())
    })
  }
  await each(overdue, pauseMilliseconds.overdue, settleOverdue)
  await each(polled, pauseMilliseconds.polled, lookAfter)
  // Count last, because counting must not delay terminals that wait for an answer.
  const connected = open.filter(({ connection }) => connection !== polls)
  await tryEach(
    { ...failing, atOnce: companiesAtOnce, nameOf: ([company]) => ({ company }) },
    [...Map.groupBy(connected, ({ company }) => company)],
    ([company, list]) => countRecords(company, new Set(list.map(({ serialNumber }) => serialNumber)), now),
  )
  await tryEach({ ...failing, atOnce: 1, nameOf: step => ({ step }) }, ['newcomers'], () =>
    sendAwayNewcomers(Date.now()),
  )
  log({ job: 'poll', overdue: overdue.length, open: open.length, polled: polled.length })
}
