import type { ScheduledEvent } from 'aws-lambda'
import { publish } from '../functions/kit/bus.ts'
import { log } from '../functions/kit/log.ts'
import { directory } from '../functions/kit/table.ts'
import { type Delivering, deliveringKey } from '../shared/delivery.ts'

// What a receiver did not take, and what a crash left behind, is delivered again when its time has come.

const pk = deliveringKey({ company: '', webhook: '' }).pk

export const handler = async ({ time }: Pick<ScheduledEvent, 'time'>): Promise<void> => {
  const until = new Date(Date.parse(time)).toISOString()
  const all = await directory().all<Delivering>({ pk })
  const due = all.filter(({ at }) => at <= until)
  await publish(due.map(({ company, webhook }) => ({ type: 'delivery.due', company, webhook })))
  log({ job: 'redeliver', until, delivering: all.length, due: due.length })
}
