import type { ScheduledEvent } from 'aws-lambda'
import { publish } from '../functions/kit/bus.ts'
import { tryEach } from '../functions/kit/each.ts'
import { log } from '../functions/kit/log.ts'
import { directory } from '../functions/kit/table.ts'
import { type Delivering, deliveringKey } from '../shared/webhooks/delivery.ts'

// Retries due deliveries that a receiver did not accept or that a crash left behind.

const companiesAtOnce = 16

const pk = deliveringKey({ company: '', webhook: '' }).pk

export const handler = async ({ time }: Pick<ScheduledEvent, 'time'>): Promise<void> => {
  const until = new Date(Date.parse(time)).toISOString()
  const all = await directory().all<Delivering>({ pk })
  const due = all.filter(({ at }) => at <= until)
  const companies = Map.groupBy(due, ({ company }) => company)
  const failed = await tryEach(
    { job: 'redeliver', atOnce: companiesAtOnce, nameOf: ([company]) => ({ company }), raisesAlarm: true },
    [...companies],
    ([company, list]) => publish(list.map(({ webhook }) => ({ type: 'delivery.due', company, webhook }))),
  )
  log({ job: 'redeliver', until, delivering: all.length, due: due.length, failed: failed.length })
}
