import { setTimeout as wait } from 'node:timers/promises'
import { companyKey } from '../../shared/company.ts'
import { type Employee, employeeKey, hasLeft, rareMemberPk } from '../../shared/employee.ts'
import { localDay } from '../../shared/local-day.ts'
import { greetingName } from '../../shared/person-name.ts'
import type { Key } from '../../shared/table.ts'
import { logDays, type ToldTrouble, toldTroubleKey, type WebhookTroubled } from '../../shared/webhooks/delivery.ts'
import { webhookKey } from '../../shared/webhooks.ts'
import { environment } from '../kit/environment.ts'
import { sendMail } from '../kit/mail.ts'
import { wasSlower } from '../kit/table/change.ts'
import { type Item, openTable, save, type Table } from '../kit/table.ts'
import { sayTrouble } from './words.ts'

// Mails trouble with an endpoint once to each administrator. A run claims the mail before it sends it. If the run dies,
// another run sends the mail: rather twice than never.

/** A claim older than this belongs to a dead run. */
const claimMilliseconds = 15_000
const pollMilliseconds = 500

const page = '/system/Application'

const readAdministrators = async (table: Table, today: string): Promise<Item<Employee>[]> => {
  const members = await table.all<{ employee: string }>({ pk: rareMemberPk('administrator'), only: ['employee'] })
  const people = await table.getMany(members.map(({ employee }) => employeeKey(employee)))
  return people.filter(person => person !== undefined).filter(person => !hasLeft(person, today))
}

/** Claims the mail. Returns undefined if a run has sent it. Waits while another run holds the claim. */
const claim = async (table: Table, key: Key<ToldTrouble>): Promise<Item<ToldTrouble> | undefined> => {
  for (;;) {
    const before = await table.get(key)
    if (before?.isMailed) return undefined
    const now = Date.now()
    if (before && now - Date.parse(before.at) < claimMilliseconds) {
      await wait(pollMilliseconds)
      continue
    }
    const claimed = { at: new Date(now).toISOString(), expiresAt: Math.floor(now / 1000) + logDays * 24 * 3600 }
    const { version = 0 } = before ?? {}
    try {
      await save(before ? table.replace(key, { ...claimed, version }) : table.insert(key, claimed))
      return { ...claimed, version: version + 1 }
    } catch (error) {
      if (!wasSlower(error)) throw error
    }
  }
}

/** Mails the trouble to all administrators. After the last mail, throws the first error for a retry. */
export const mailTrouble = async (troubled: WebhookTroubled): Promise<void> => {
  const table = openTable(troubled.company)
  const [webhook, company] = await Promise.all([table.get(webhookKey(troubled.webhook)), table.get(companyKey())])
  if (!webhook || !company) return
  const faults: unknown[] = []
  for (const administrator of await readAdministrators(table, localDay(company.timezone, Date.now()))) {
    const { id, email, language = 'en' } = administrator
    if (email === undefined) continue
    const key = toldTroubleKey(troubled, id)
    const claimed = await claim(table, key)
    if (!claimed) continue
    const { host } = new URL(webhook.url)
    const url = environment('SITE') + page
    try {
      await sendMail({
        to: email,
        ...sayTrouble(language, troubled.trouble, {
          name: greetingName(administrator),
          company: company.name,
          host,
          url,
        }),
      })
      await save(table.put(key, { ...claimed, isMailed: true as const }))
    } catch (error) {
      await save(table.remove(key))
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
