import { companyKey } from '../../shared/company.ts'
import { logDays, toldTroubleKey, type WebhookTroubled } from '../../shared/delivery.ts'
import { type Employee, employeeKey, hasLeft, rareMemberPk } from '../../shared/employee.ts'
import { localDay } from '../../shared/local-day.ts'
import { webhookKey } from '../../shared/webhooks.ts'
import { wasSlower } from './again.ts'
import { environment } from './environment.ts'
import { sendMail } from './mail.ts'
import { type Item, openTable, save, type Table } from './table.ts'
import { sayTrouble } from './webhook-words.ts'

// Trouble with an endpoint is mailed to those who can mend it, once to each: who mails claims it first.

const page = '/system/application'

const readAdministrators = async (table: Table, today: string): Promise<Item<Employee>[]> => {
  const members = await table.all<{ employee: string }>({ pk: rareMemberPk('administrator'), only: ['employee'] })
  const people = await table.getMany(members.map(({ employee }) => employeeKey(employee)))
  return people.filter(person => person !== undefined).filter(person => !hasLeft(person, today))
}

/** Throws where a mail could not be sent, once all others are; it can be told again then. */
export const mailTrouble = async (told: WebhookTroubled): Promise<void> => {
  const table = openTable(told.company)
  const [webhook, company] = await Promise.all([table.get(webhookKey(told.webhook)), table.get(companyKey())])
  if (!webhook || !company) return
  const faults: unknown[] = []
  for (const { id, email, language = 'en', first_name } of await readAdministrators(
    table,
    localDay(company.timezone, Date.now()),
  )) {
    if (email === undefined) continue
    const claim = toldTroubleKey(told, id)
    try {
      await save(table.insert(claim, { expiresAt: Math.floor(Date.now() / 1000) + logDays * 24 * 3600 }))
    } catch (error) {
      if (wasSlower(error)) continue
      throw error
    }
    const { host } = new URL(webhook.url)
    const url = environment('SITE') + page
    try {
      await sendMail({
        to: email,
        ...sayTrouble(language, told.trouble, { name: first_name, company: company.name, host, url }),
      })
    } catch (error) {
      await save(table.remove(claim))
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
