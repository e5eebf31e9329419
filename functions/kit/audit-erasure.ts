import { type AuditEntry, type AuditedChange, auditKey, auditPk, masked, tellsOfPerson } from '../../shared/audit.ts'
import { type Item, openAudit, save, type Where } from './table.ts'

/** A change of somebody, of which only remains that it was made, when and by whom. */
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
 * The one exception to an audit that is only added to: takes out of it what it tells of an employee, and from where they did
 * what they did. That something was changed, when, and by which id, stays. Safe to do again; what is written meanwhile is
 * found by the next time. Reads the company's whole audit, so it belongs into a job.
 */
export const eraseFromAudit = async (company: string, employee: string): Promise<void> => {
  const audit = openAudit(company)
  const rewrite = async (where: Where[], change: (entry: Item<AuditEntry>) => AuditEntry) => {
    for await (const entry of audit.each<AuditEntry>({ pk: auditPk, where })) {
      const now = change(entry)
      if (JSON.stringify(now) === JSON.stringify(entry)) continue
      await save(audit.replace(auditKey(entry), { ...now, version: entry.version }))
    }
  }
  await rewrite([['objects', 'contains', employee]], entry => ({
    ...entry,
    changes: entry.changes.map(change =>
      change.id === employee && tellsOfPerson.has(change.noun) ? erase(change) : change,
    ),
  }))
  await rewrite([['employee', '=', employee]], ({ ip, ...entry }) => ({ ...entry, ...(ip && { ip: masked }) }))
}
