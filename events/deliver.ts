import { deliverTo } from '../functions/kit/deliver.ts'
import { job, type Told } from '../functions/kit/job.ts'
import type { DeliveryDue } from '../shared/delivery.ts'
import { jobs } from '../shared/jobs.ts'

// Webhooks are sent from here, and nothing else talks to the internet as somebody outside asks for.

export const handler = job('deliver', jobs.deliver.facts, async (told: Told<DeliveryDue>[]) => {
  for (const { fact } of told) await deliverTo(fact.company, fact.webhook)
  return []
})
