import { type AuditEntry, type AuditedChange, auditKey, auditPks, masked, tellsOfPerson } from '../../shared/audit.ts'
import { change } from '../kit/table/change.ts'
import { openAudit, type Where } from '../kit/table.ts'

/** A change of somebody, of which only remains that it was made, when and by whom. */
const erase = (told: AuditedChange): AuditedChange => ({
  ...told,
  name: told.name && masked,
  fields: Object.fromEntries(
    Object.entries(told.fields).map(([name, { before, after }]) => [
      name,
      { ...(before !== undefined && { before: masked }), ...(after !== undefined && { after: masked }) },
    ]),
  ),
})

/**
 * The one exception to an audit that is only added to: takes out of it what it tells of an employee, and from where they did
 * what they did. That something was changed, when, and by which id, stays. Safe to do again; what is written meanwhile is
 * found by the next time. Two people of one entry, as an import has them, may be erased at once. Reads the company's whole
 * audit, so it belongs into a job.
 */
export const eraseFromAudit = async (company: string, employee: string): Promise<void> => {
  const audit = openAudit(company)
  const rewrite = async (where: Where[], erased: (entry: AuditEntry) => AuditEntry) => {
    for (const pk of auditPks)
      for await (const entry of audit.each<AuditEntry>({ pk, where }))
        await change(audit, auditKey(entry), now => {
          const next = erased(now)
          return JSON.stringify(next) === JSON.stringify(now) ? undefined : next
        })
  }
  await rewrite([['objects', 'contains', employee]], entry => ({
    ...entry,
    changes: entry.changes.map(told => (told.id === employee && tellsOfPerson.has(told.noun) ? erase(told) : told)),
  }))
  await rewrite([['employee', '=', employee]], ({ ip, ...entry }) => ({ ...entry, ...(ip && { ip: masked }) }))
}
