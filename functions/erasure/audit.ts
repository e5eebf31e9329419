import { type AuditEntry, type AuditedChange, auditKey, auditPks, masked, tellsOfPerson } from '../../shared/audit.ts'
import { change } from '../kit/table/change.ts'
import { openAudit, type Where } from '../kit/table.ts'

/** The change without values: only that it happened, when, and by whom. */
const erase = (change: AuditedChange): AuditedChange => ({
  ...change,
  name: change.name && masked,
  fields: Object.fromEntries(
    Object.entries(change.fields).map(([name, { before, after }]) => [
      name,
      { ...(before !== undefined && { before: masked }), ...(after !== undefined && { after: masked }) },
    ]),
  ),
})

/**
 * The one exception to the append-only audit: removes an employee's personal data and network addresses. The fact, time
 * and author of each change stay. Idempotent. Reads the whole audit of the company, so call it from a job.
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
    changes: entry.changes.map(change =>
      change.id === employee && tellsOfPerson.has(change.noun) ? erase(change) : change,
    ),
  }))
  await rewrite([['employee', '=', employee]], ({ ip, ...entry }) => ({ ...entry, ...(ip && { ip: masked }) }))
}
