import { randomInt } from 'node:crypto'
import { companyKey } from '../../shared/company.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { type Erasure, type ErasureStep, erasedFirstName, erasureKey } from '../../shared/erasure.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import { fullName } from '../../shared/person-name.ts'
import { type Quarantined, quarantineKey } from '../../shared/punch.ts'
import { partsOfNumber, shownNumber } from '../../shared/terminal/number-owner.ts'
import { again, change, saves } from '../kit/table/change.ts'
import { openTable, save, type Table } from '../kit/table.ts'
import type { Kind, TaskOutcome, Work } from '../kit/task.ts'
import { queueCommand } from '../terminal/command.ts'
import { eraseAbsenceReasons } from './absence.ts'
import { eraseFromAudit } from './audit.ts'
import { eraseReasons } from './correction.ts'
import { clear, depart } from './departure.ts'
import { eraseNotices, erasePlaces } from './punch.ts'
import { eraseRequests } from './request.ts'
import { advanceErasure } from './store.ts'
import { eraseFromWebhooks } from './webhooks.ts'

// Erases the person's identity permanently. Worked days stay under a pseudonym, because the law requires records for
// years. The employee ID stays taken, because punches refer to it. Every part is idempotent.

/** The `backupnum` by which a terminal deletes all data of a person. */
const wholePerson = 13

const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const newPseudonym = () => Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')

/** Keeps only the fields that the server needs to find and calculate the worked days. */
const pseudonymise = ({
  id,
  workno,
  formerWorknos,
  department,
  earlierEmployments,
  hireDay,
  endDay,
}: Employee): Employee => ({
  ...{ id, first_name: erasedFirstName, last_name: newPseudonym(), workno, department, role: roles.none },
  ...(formerWorknos && { formerWorknos }),
  ...(earlierEmployments && { earlierEmployments }),
  ...(hireDay && { hireDay }),
  ...(endDay && { endDay }),
  erasedAt: new Date().toISOString(),
})

const numbersOf = ({ workno, formerWorknos = [] }: Employee) => [workno, ...formerWorknos]

/**
 * Replaces the person's item with a pseudonym. The audit records the erasure and its author under the pseudonym,
 * without the erased values.
 */
const takeName = async ({ table, company, input: { id }, asker }: Work<'employee/erase'>): Promise<Employee> => {
  const plain = openTable(company)
  const settings = await plain.get(companyKey())
  const [employee, former] = await Promise.all([plain.get(employeeKey(id)), plain.get(formerEmployeeKey(id))])
  const person = employee ?? former
  if (!person || !settings) throw new Problem(60004, { id: 60004 })
  if (person.isOwner || id === asker.employee.id) throw new Problem(59012)
  const to = { table: plain, company, timezone: settings.timezone }
  const audit = (name: string) => table.note({ noun: 'employee', id, name, change: 'removed', fields: {} })
  if (employee) {
    const now = pseudonymise(employee)
    const name = fullName(now)
    await depart(to, employee, ({ endDay }) => ({ ...now, ...(endDay && { endDay }) }), audit(name))
    return now
  }
  if (!former?.erasedAt) {
    const now = pseudonymise(person)
    await save(plain.replace(formerEmployeeKey(id), { ...now, version: person.version }), audit(fullName(now)))
  }
  await clear(to, id)
  return person
}

/** Removes quarantined deliveries about the person, because they may contain names. */
const clearQuarantine = async (table: Table, numbers: string[]): Promise<void> => {
  const pattern = new RegExp(`"(?:enrollid|pin)"\\s*:\\s*"?0*(${numbers.map(shownNumber).join('|')})\\b`)
  const { pk } = quarantineKey('', '')
  let after: string | undefined
  do {
    const { rows, reached } = await table.part<Quarantined>({ pk, after })
    for (const { item, at } of rows) if (pattern.test(item.raw)) await save(table.remove({ pk, sk: at }))
    after = reached
  } while (after !== undefined)
}

/** The steps for each terminal. A terminal that never registered holds no people. */
const stepsFor = async (table: Table, erasure: string, numbers: string[]) => {
  const devices = await table.all<Device>({
    ...{ pk: deviceKey('').pk, only: ['serialNumber', 'firstOnlineAt', 'isOwnNumbering'] },
  })
  /** At a terminal with its own numbering, an employee ID belongs to another person. */
  const numbersAt = ({ serialNumber, isOwnNumbering }: Device) =>
    numbers.flatMap(stored => {
      const { number, serialNumber: only } = partsOfNumber(stored)
      return only === serialNumber || (only === undefined && !isOwnNumbering) ? [number] : []
    })
  return devices
    .filter(({ firstOnlineAt }) => firstOnlineAt)
    .flatMap(device => {
      const { serialNumber } = device
      return [...new Set(numbersAt(device))].map(number => ({
        number,
        step: { serialNumber, command: `${erasure}-${number}` },
      }))
    })
}

/** Queues the deletion for every terminal. An offline terminal gets the command when it returns. */
const tellTerminals = async (table: Table, erasure: Erasure, numbers: string[]): Promise<void> => {
  const steps = await stepsFor(table, erasure.id, numbers)
  for (const { number, step } of steps)
    await saves(
      queueCommand(table, step.serialNumber, {
        id: step.command,
        cmd: 'deleteuser',
        body: { enrollid: Number(number), backupnum: wholePerson },
        erasure: erasure.id,
      }),
    )
  const waiting: ErasureStep[] = steps.map(({ step }) => step)
  await change(table, erasureKey(erasure.id), current => ({
    ...current,
    state: 'waiting' as const,
    waiting,
    total: waiting.length,
  }))
}

const outcomeOf = async (table: Table, id: string, total: number): Promise<TaskOutcome> => {
  const left = await advanceErasure(table, id)
  return left > 0 ? { waits: { done: total - left, total } } : {}
}

const run = async (work: Work<'employee/erase'>): Promise<TaskOutcome> => {
  const { task, input, company, tell } = work
  const table = openTable(company)
  const erasure = await table.get(erasureKey(task))
  // The item exists until the erasure ends, so this erasure has ended.
  if (!erasure) return {}
  if (erasure.state === 'waiting') return outcomeOf(table, task, erasure.total)
  await tell('write', 0, 1)
  const person = await again(() => takeName(work))
  await clearQuarantine(table, numbersOf(person))
  await eraseRequests(table, company, input.id)
  await eraseReasons(table, input.id)
  await eraseAbsenceReasons(table, input.id)
  await erasePlaces(table, input.id, numbersOf(person))
  await eraseNotices(table, input.id)
  await eraseFromWebhooks(table, input.id)
  await eraseFromAudit(company, input.id)
  await tellTerminals(table, erasure, numbersOf(person))
  const { total = 0 } = (await table.get(erasureKey(task))) ?? {}
  return outcomeOf(table, task, total)
}

export const eraseEmployee: Kind<'employee/erase'> = { run }
