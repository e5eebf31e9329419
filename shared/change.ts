/** One change of one stored item, without the table's own attributes. */
export interface Change<T = Record<string, unknown>> {
  company: string
  old?: T
  new?: T
  /** When it was written, to the second: as the table's stream tells it. */
  at: string
}

/** The kinds of things whose changes are written down: who changed what, when, from what to what. */
export const auditedNouns = [
  'apiKey',
  'company',
  'correction',
  'credential',
  'delegation',
  'department',
  'device',
  'employee',
  'exception',
  'holiday',
  'invitation',
  'leave',
  'reportMail',
  'request',
  'role',
  'schedule',
  'shift',
  'webhook',
] as const
export type AuditedNoun = (typeof auditedNouns)[number]

/**
 * What the audit has to know of a noun; it stands in the noun's key template, so that whatever is written by it is audited.
 * `audit/field.ts` declares its fields.
 */
export interface Audited<T = object> {
  noun: AuditedNoun
  id(item: T): string
  /** How people call it. Empty where it has no name of its own. */
  name(item: T): string
}
