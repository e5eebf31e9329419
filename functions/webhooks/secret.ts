import type { Webhook } from '../../shared/webhooks.ts'
import { seal, unseal } from '../kit/secrets.ts'

// The secrets of endpoints: encrypted for their company and endpoint, and opened by who signs.

const purposeOf = (company: string, webhook: string) => ({ company, purpose: 'webhook', webhook })

/** `secret` as it is shown. */
export const sealSecret = (company: string, webhook: string, secret: string): Promise<string> =>
  seal(secret, purposeOf(company, webhook))

/** The secrets that sign at an instant (ms), the present one first. */
export const openSecrets = (company: string, { id, secret, former }: Webhook, now: number): Promise<string[]> => {
  const sealed = [secret, ...(former && Date.parse(former.until) > now ? [former.sealed] : [])]
  return Promise.all(sealed.map(one => unseal(one, purposeOf(company, id))))
}
