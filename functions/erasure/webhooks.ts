import { type Employee, formerEmployeeKey } from '../../shared/employee.ts'
import { deliveryKey, type ToldOf, toldEventKey, toldOfKey } from '../../shared/webhooks/delivery.ts'
import { change } from '../kit/table/change.ts'
import type { Table } from '../kit/table.ts'

// Sent events stay readable and repeatable for a month. The erasure puts a pseudonym into their bodies.

interface Body {
  type: string
  data: { employee?: Record<string, unknown>; reason?: string }
}

const withoutPerson = (text: string, { first_name, last_name }: Employee): string => {
  const body = JSON.parse(text) as Body
  const { employee } = body.data
  if (!employee) return text
  const { id, workno, department, hireDay, endDay } = employee
  const kept = { ...(id !== undefined && { id }), workno, first_name, last_name, department, hireDay, endDay }
  // The texts of a correction may name the person.
  const reason = body.type.startsWith('record.correction_') && { reason: '' }
  return JSON.stringify({ ...body, data: { ...body.data, ...reason, employee: kept } })
}

const eraseTold = async (table: Table, person: Employee, { event, deliveries }: ToldOf): Promise<void> => {
  await change(table, toldEventKey(event), event => {
    const body = withoutPerson(event.body, person)
    return body === event.body ? undefined : { ...event, body }
  })
  // A delivery may be running. A renewed item ignores the late answer and sends the new body.
  for (const { webhook, id } of deliveries)
    await change(table, deliveryKey(webhook, id), delivery =>
      delivery.state === 'due' || delivery.attempts.some(({ answer }) => answer !== undefined)
        ? { ...delivery, attempts: delivery.attempts.map(({ answer: _, ...attempt }) => attempt) }
        : undefined,
    )
}

/**
 * Pseudonymises one event or all events about an employee. Does nothing for an employee without an erasure. Idempotent.
 */
export const eraseFromWebhooks = async (table: Table, employee: string, event?: string): Promise<void> => {
  const person = await table.get<Employee>(formerEmployeeKey(employee))
  if (!person?.erasedAt) return
  const { pk } = toldOfKey(employee, '')
  for await (const pointer of table.each<ToldOf>({ pk, ...(event !== undefined && { prefix: event }) }))
    await eraseTold(table, person, pointer)
}
