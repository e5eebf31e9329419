import { randomUUID } from 'node:crypto'
import { type ScheduleName, schedules } from '../../shared/jobs.ts'
import type { Lambda } from './invoke.ts'

// The schedules on this machine. Each schedule runs soon after the start, because a laptop sleeps at night. Then it
// runs at its regular times.

/**
 * The delay before the first run of each schedule. Terminals reconnect within this time, before these runs visit all
 * companies.
 */
const firstMilliseconds = 15_000

const event = (name: string, at: number) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.scheduler',
  account: '000000000000',
  time: new Date(at).toISOString(),
  region: 'local',
  resources: [`arn:aws:scheduler:local:000000000000:schedule/${name}`],
  detail: {},
})

export const startClock = (
  handlers: Partial<Record<ScheduleName, Lambda>>,
  complain: (sentence: string) => void,
): { stop(): Promise<void> } => {
  const timers = new Map<string, NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  const plan = (name: ScheduleName, handler: Lambda) => {
    const step = schedules[name].everyMinutes * 60_000
    const at = (Math.floor(Date.now() / step) + 1) * step
    const tick = () => {
      begin(name, handler, at)
      plan(name, handler)
    }
    timers.set(name, setTimeout(tick, at - Date.now()))
  }
  const begin = (name: ScheduleName, handler: Lambda, at: number) => {
    const run = handler(event(name, at))
      .catch(error => complain(`The scheduled job ${name} failed: ${error}`))
      .then(() => {
        running.delete(run)
      })
    running.add(run)
  }
  const all = Object.entries(handlers) as [ScheduleName, Lambda][]
  const first = () => {
    for (const [name, handler] of all) {
      begin(name, handler, Date.now())
      plan(name, handler)
    }
  }
  timers.set('first', setTimeout(first, firstMilliseconds))
  return {
    async stop() {
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}
