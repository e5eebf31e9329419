/** One change of one stored item, without the table's own attributes. */
export interface Change<T = Record<string, unknown>> {
  company: string
  old?: T
  new?: T
  /** The time of the write, to the second, from the table's stream. */
  at: string
}

/** The kinds of objects whose changes the audit records. */
export const auditedNouns = [
  'absence',
  'apiKey',
  'company',
  'correction',
  'credential',
  'dayNote',
  'delegation',
  'department',
  'device',
  'employee',
  'exception',
  'holiday',
  'hourSet',
  'invitation',
  'leave',
  'period',
  'reportMail',
  'reportTemplate',
  'request',
  'role',
  'schedule',
  'scheduleTemplate',
  'shift',
  'timeAccount',
  'webhook',
] as const
export type AuditedNoun = (typeof auditedNouns)[number]

/**
 * Describes a noun for the audit. The noun's key template contains this description, so that the audit covers every
 * write with that key. `audit/field.ts` declares its fields.
 */
export interface Audited<T = object> {
  noun: AuditedNoun
  id(item: T): string
  /** The display name; empty if the object has none. */
  name(item: T): string
}
