import { job, type Told, tryFacts } from '../functions/kit/job.ts'
import { deliverTo } from '../functions/webhooks/deliver.ts'
import { jobs } from '../shared/jobs.ts'
import type { DeliveryDue } from '../shared/webhooks/delivery.ts'

// Sends webhooks. Only this job connects to addresses that customers choose.

export const handler = job('deliver', jobs.deliver.facts, (told: Told<DeliveryDue>[]) =>
  tryFacts('deliver', 1, told, fact => deliverTo(fact.company, fact.webhook)),
)
