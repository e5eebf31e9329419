import type { Webhook } from '../../shared/webhooks.ts'
import { seal, unseal } from '../kit/secrets.ts'

// The secrets of endpoints, encrypted for their company and endpoint.

const purposeOf = (company: string, webhook: string) => ({ company, purpose: 'webhook', webhook })

/** Encrypts a secret in its shown form. */
export const sealSecret = (company: string, webhook: string, secret: string): Promise<string> =>
  seal(secret, purposeOf(company, webhook))

/** The signing secrets at an instant (ms), the current one first. */
export const openSecrets = (company: string, { id, secret, former }: Webhook, now: number): Promise<string[]> => {
  const sealed = [secret, ...(former && Date.parse(former.until) > now ? [former.sealed] : [])]
  return Promise.all(sealed.map(value => unseal(value, purposeOf(company, id))))
}
