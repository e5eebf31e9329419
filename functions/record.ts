import { isEmployedOn } from '../shared/attendance/employment.ts'
import { type Employee, employeeKey, worknoKey } from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { localDay } from '../shared/local-day.ts'
import { fullName } from '../shared/person-name.ts'
import { storedAtOf } from '../shared/punch.ts'
import { type AssignedNumber, assignedNumberKey, type Orphan, orphanKey } from '../shared/record/orphan.ts'
import { recordPaths } from '../shared/record.ts'
import { partsOfNumber } from '../shared/terminal/number-owner.ts'
import { readCompany } from './company/store.ts'
import { readNames } from './day/rows.ts'
import { type Caller, manages, managesEmployee } from './kit/caller.ts'
import { lambda } from './kit/lambda.ts'
import { openCursor, save, sealCursor } from './kit/table.ts'
import { beginTask, newTask } from './kit/task.ts'
import { deviceNames, listRecords } from './record/list.ts'
import { readSince } from './record/order.ts'
import { assignNumber, lastPunches, nobodysPunches, readWhose, returnNumber, seesOrphans } from './record/orphan.ts'
import { tellRecords } from './record/told.ts'

/** The most punches to show for an unassigned number. */
const lastShown = 50

/** Throws 10002 at `cursor` for a cursor that the server did not issue. */
const openSince = async (cursor: string, binding: string) => {
  try {
    return await openCursor(cursor, binding)
  } catch (error) {
    throw error instanceof Problem ? new Problem(10002, { cursor: 10002 }) : error
  }
}

/** Why nobody has the punches of a number. */
const heldFor = (workno: string) => {
  const { number, serialNumber } = partsOfNumber(workno)
  return { number, reason: serialNumber === undefined ? ('unknown' as const) : ('ownNumbering' as const) }
}

const missing = (field: 'workno' | 'employee') => new Problem(60004, { [field]: 60004 })

/** Throws 60004 for an unknown employee, or one whom the caller does not manage. */
const readEmployee = async (caller: Caller, id: string) => {
  const employee = await caller.table.get(employeeKey(id))
  if (!employee || !managesEmployee(caller, employee)) throw missing('employee')
  return employee
}

/** Imports on demand, because corrections import the whole calculation. */
const loadCorrection = () => import('./record/correction.ts')

export const handler = lambda(recordPaths, {
  'record/add': async (form, caller) => (await loadCorrection()).correct(caller, { ...form, action: 'add' }),
  'record/update': async (form, caller) => (await loadCorrection()).correct(caller, { ...form, action: 'update' }),
  'record/ignore': async (form, caller) => (await loadCorrection()).correct(caller, { ...form, action: 'ignore' }),
  'record/restore': async (form, caller) => (await loadCorrection()).correct(caller, { ...form, action: 'restore' }),
  'record/preview': async (form, caller) => (await loadCorrection()).previewCorrection(caller, form),

  'record/grid': (input, caller) => listRecords(caller, 'records', input),

  'record/since': async ({ cursor, size }, caller) => {
    const { table, company } = caller
    const binding = `record/since ${company}`
    const { after } = cursor === undefined ? {} : ((await openSince(cursor, binding)) as { after?: string })
    const { rows: page, isMore } = await readSince(table, { after, size })
    const told = await tellRecords(
      table,
      company,
      page.map(({ item }) => item),
    )
    const isMine = (person: Employee | undefined) => (person ? manages(caller, person.department) : seesOrphans(caller))
    return {
      list: told.flatMap(({ record, person }, i) => {
        const punch = page[i]?.item
        return punch && isMine(person) ? [{ ...record, storedAt: storedAtOf(punch) }] : []
      }),
      cursor: await sealCursor({ after: page.at(-1)?.at ?? after }, binding),
      isMore,
    }
  },

  'record/export': (input, caller) => beginTask(caller, 'record/export', input),

  'record/orphan/grid': async (_, caller) => {
    if (!seesOrphans(caller)) return { list: [], assigned: [] }
    const { table } = caller
    const [orphans, assigned] = await Promise.all([
      table.all<Orphan>({ pk: orphanKey('').pk }),
      table.all<AssignedNumber>({ pk: assignedNumberKey('').pk }),
    ])
    const holders = await table.getMany(orphans.map(({ workno }) => worknoKey(workno)))
    const ids = [...holders.map(holder => holder?.employee), ...assigned.flatMap(({ employee, by }) => [employee, by])]
    const [names, nameOf, { timezone }] = await Promise.all([
      readNames(
        table,
        ids.flatMap(employee => (employee ? [{ employee, shift: null }] : [])),
      ),
      deviceNames(
        table,
        orphans.map(({ serialNumber }) => serialNumber),
      ),
      readCompany(caller),
    ])
    return {
      list: orphans.map(({ workno, serialNumber, alsoAt, lastAt }, i) => {
        const holder = holders[i]?.employee
        return {
          ...{ workno, ...heldFor(workno), serialNumber, alsoAt, lastAt, timezone },
          deviceName: nameOf(serialNumber),
          ...(holder && { heldBy: fullName(names.employee(holder)) }),
        }
      }),
      assigned: assigned.map(({ workno, employee, at, by }) => {
        const { first_name, last_name } = names.employee(employee)
        return { workno, employee, first_name, last_name, at, by: fullName(names.employee(by)) }
      }),
    }
  },

  'record/orphan/get': async ({ workno }, caller) => {
    const { table } = caller
    if (!seesOrphans(caller) || !(await table.get(orphanKey(workno)))) return { list: [] }
    const { person } = (await readWhose(table, [workno])).get(workno) ?? {}
    const punches = await nobodysPunches(table, workno, { person, size: lastShown })
    const nameOf = await deviceNames(
      table,
      punches.map(({ sn }) => sn),
    )
    return {
      list: punches.map(({ at, zone, sn }) => ({ at, timezone: zone, device: sn, deviceName: nameOf(sn) })),
    }
  },

  'record/orphan/assign': async (input, caller) => {
    const { table } = caller
    const { workno } = input
    const employee = await readEmployee(caller, input.employee)
    const orphan = await table.get(orphanKey(workno))
    if (!orphan || !seesOrphans(caller)) throw missing('workno')
    const { timezone } = await readCompany(caller)
    const lastDay = localDay(timezone, Date.parse(orphan.lastAt))
    // If the person was not employed on the day of the last punch, the number would stay unassigned.
    if (!isEmployedOn(employee, lastDay)) throw new Problem(10002, { employee: 10002 })
    const { task, writes } = newTask(caller, 'record/orphan/assign', input)
    await save(...assignNumber(table, employee, workno, caller.employee.id), ...writes)
    return { task }
  },

  'record/orphan/return': async (input, caller) => {
    const { table } = caller
    const { workno } = input
    await readEmployee(caller, input.employee)
    const assigned = await table.get(assignedNumberKey(workno))
    const isTerminals = partsOfNumber(workno).serialNumber !== undefined
    // The terminal's page changes its list, because earlier entries of the list may get the punches.
    if (!assigned || isTerminals || assigned.employee !== input.employee || !seesOrphans(caller))
      throw missing('workno')
    const employee = await readEmployee(caller, input.employee)
    const [last] = await lastPunches(table, workno, 1)
    const { task, writes } = newTask(caller, 'record/orphan/return', input)
    await save(...returnNumber(table, employee, workno, { last, version: assigned.version }), ...writes)
    return { task }
  },
})
