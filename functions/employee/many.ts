import type { PathInput, PathOutput } from '../../shared/api.ts'
import { departmentKey } from '../../shared/department.ts'
import { type Employee, employeeKey, type RemovedDays } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { roles } from '../../shared/permissions.ts'
import { roleKey, systemRole } from '../../shared/role.ts'
import { writePunchMode } from '../credential/store.ts'
import { type Caller, manages, managesEmployee } from '../kit/caller.ts'
import { log } from '../kit/log.ts'
import { again } from '../kit/table/change.ts'
import { hasCollided, type Item, save } from '../kit/table.ts'
import { settleRaise } from '../user/account.ts'
import { checkEmployments } from './employment.ts'
import { changeableEmployee, checkEmployee, withoutTwice, withoutWait } from './form.ts'
import { saveChanged } from './save.ts'

// Changes the same fields of many people. Each person is a save of their own, with the checks of a single change.

type Form = PathInput<'employee/update/many'>
type Change = Form['change']
type Outcome = PathOutput<'employee/update/many'>['list'][number]

/** Checks the new department and role, which are the same for everybody. */
const checkChange = async (caller: Caller, { department, role, roleId }: Change): Promise<void> => {
  const { table } = caller
  if (department !== undefined && !(manages(caller, department) && (await table.get(departmentKey(department)))))
    throw new Problem(60004, { 'change.department': 60004 })
  if (role === undefined) {
    if (roleId !== undefined) throw new Problem(10002, { 'change.roleId': 10002 })
    return
  }
  if (caller.employee.role !== roles.administrator) throw new Problem(60005, { 'change.role': 60005 })
  if (role !== roles.manager) return
  if (roleId === undefined) throw new Problem(10002, { 'change.roleId': 60001 })
  if (!systemRole(roleId) && !(await table.get(roleKey(roleId)))) throw new Problem(60004, { 'change.roleId': 60004 })
}

/** The dates of a person after the change. A null removes a date. */
const datesOf = (before: Employee, { hireDay = before.hireDay, endDay = before.endDay }: Change) => ({
  hireDay: hireDay ?? undefined,
  endDay: endDay ?? undefined,
})

const changed = (before: Item<Employee>, change: Change): Item<Employee> => {
  const { hireDay, endDay } = datesOf(before, change)
  const { hireDay: _h, endDay: _e, departments: _d, roleId, ...rest } = before
  const { department, departments } = withoutTwice({
    department: change.department ?? before.department,
    departments: before.departments,
  })
  const nextRole = change.role === undefined ? roleId : change.roleId
  return {
    ...rest,
    department,
    ...(departments && { departments }),
    ...(change.role !== undefined && { role: change.role }),
    ...(nextRole !== undefined && { roleId: nextRole }),
    ...(hireDay !== undefined && { hireDay }),
    ...(endDay !== undefined && { endDay }),
  }
}

const textOf = ({ department, departments, role, roleId, hireDay, endDay }: Employee) =>
  JSON.stringify([department, departments, role, roleId, hireDay, endDay])

/** The days that the change removes. Throws 60090 unless it is a dry run or the caller confirmed their number. */
const readRemoved = async (
  caller: Caller,
  before: Employee,
  now: Employee,
  { dryRun, removesDays }: Form,
): Promise<RemovedDays | undefined> => {
  const confirmed = removesDays?.find(({ id }) => id === before.id)?.days
  try {
    await checkEmployments(caller, before, now, confirmed)
    return undefined
  } catch (error) {
    if (dryRun && error instanceof Problem && error.code === 60090) return error.about as RemovedDays
    throw error
  }
}

const changeOne = async (caller: Caller, id: string, form: Form): Promise<Outcome> => {
  const { table } = caller
  const { change, dryRun } = form
  const before = await changeableEmployee(caller, id)
  const now = changed(before, change)
  const isSame = textOf(before) === textOf(now)
  const writes = change.punchMode === undefined ? [] : await writePunchMode({ table, employee: id }, change.punchMode)
  if (isSame && writes.length === 0) return { id, result: 'same' }
  if (isSame) {
    if (!dryRun) await save(table.unchanged(employeeKey(id), before), ...writes)
    return { id, result: 'changed' }
  }
  await checkEmployee(now, caller, before)
  // Without this refusal, the caller could lose the role in the middle of the work.
  const changesRole = now.role !== before.role || now.roleId !== before.roleId
  if (changesRole && id === caller.employee.id) throw new Problem(60054, { role: 60054 })
  const removed = await readRemoved(caller, before, now, form)
  const next = withoutWait(now)
  const { mustJoin } = dryRun
    ? await settleRaise(caller, before, next)
    : await saveChanged(caller, before, next, { writes })
  return { id, result: 'changed', ...(removed && { removed }), ...(mustJoin && { mustJoin }) }
}

const refusedBy = (id: string, error: unknown): Outcome => {
  const refusal = hasCollided(error) ? new Problem(60006) : error
  if (!(refusal instanceof Problem)) log({ save: 'failed', employee: id, fault: String(error) })
  const { code, fields = {} } = refusal instanceof Problem ? refusal : new Problem(60011)
  const [field] = Object.keys(fields)
  return { id, result: 'refused', code, ...(field !== undefined && { field }) }
}

/** Changes each person, and reports each. Throws 60004 if the caller manages none of them. */
export const changeMany = async (caller: Caller, form: Form): Promise<{ list: Outcome[] }> => {
  const ids = [...new Set(form.ids)]
  const people = await caller.table.getMany(ids.map(employeeKey))
  if (!people.some(person => person && managesEmployee(caller, person)))
    throw new Problem(60004, Object.fromEntries(form.ids.map((_, i) => [`ids.${i}`, 60004])))
  await checkChange(caller, form.change)
  const list: Outcome[] = []
  // One after the other, because all of them change the count of the same department.
  for (const id of ids)
    try {
      list.push(await again(() => changeOne(caller, id, form)))
    } catch (error) {
      list.push(refusedBy(id, error))
    }
  return { list }
}
