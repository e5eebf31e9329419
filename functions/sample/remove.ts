import { credentialKey, dataKeyKey } from '../../shared/credential.ts'
import { departmentKey } from '../../shared/department.ts'
import { type Employee, employeeKey, formerEmployeeKey, worknoKey } from '../../shared/employee.ts'
import { type Invitation, invitationKey } from '../../shared/invitation.ts'
import { roles } from '../../shared/permissions.ts'
import { type Punch, punchKey, sampleSn } from '../../shared/punch.ts'
import { type Request, requestKey, requestPk } from '../../shared/request.ts'
import { type Sample, type SamplePerson, sampleKey } from '../../shared/sample.ts'
import { type ShiftVersion, shiftKey, shiftVersionKey } from '../../shared/shift.ts'
import { readCompany } from '../company/store.ts'
import { removeDepartments } from '../department/store.ts'
import { depart } from '../erasure/departure.ts'
import { eraseNotices } from '../erasure/punch.ts'
import { removeRequests } from '../erasure/request.ts'
import { removeFigures } from '../erasure/retention.ts'
import { again } from '../kit/table/change.ts'
import { type Item, save, type Table } from '../kit/table.ts'
import type { TakingBack } from '../kit/task.ts'
import { punchesPk } from '../record/orphan.ts'
import { readMonths, saveMonths, setDay, shiftsOn } from '../schedule/store.ts'
import { removeShift } from '../shift/remove.ts'
import { plannedDays, sampleRequest } from './load.ts'

// Removes sample data. A sample person that the company has made its own stays, also as a former employee, without the
// sample's schedule, punches and requests. Every part is idempotent.

type Work = Pick<TakingBack<'company/sample/load' | 'company/sample/remove'>, 'table' | 'company' | 'tell' | 'pause'>

const readPunches = (table: Table, number: string) => table.all<Punch>({ pk: punchesPk(number) })
const readRequests = (table: Table, id: string) => table.all<Request>({ pk: requestPk(id) })
const isOfSample = ({ employee, id, toDay }: Request) => id === sampleRequest(employee, toDay)

/**
 * Whether the company has made a sample person its own: it changed the name, number or address, gave a sign-in, a role
 * or a credential, or the person has punches or requests that the sample did not load.
 */
const isOwn = async (table: Table, loaded: SamplePerson, now: Employee): Promise<boolean> => {
  const { id, workno, first_name, last_name } = loaded
  if (now.workno !== workno || now.first_name !== first_name || now.last_name !== last_name) return true
  if (now.email !== undefined || now.tel !== undefined || now.account !== undefined) return true
  if (now.role !== roles.employee || now.photo !== undefined) return true
  const [punches, requests, credential, dataKey, invitations] = await Promise.all([
    readPunches(table, workno),
    readRequests(table, id),
    table.get(credentialKey(id)),
    table.get(dataKeyKey(id)),
    table.page<Invitation>({ pk: invitationKey(id, '').pk, size: 1 }),
  ])
  return (
    punches.some(({ sn }) => sn !== sampleSn) ||
    requests.some(request => !isOfSample(request)) ||
    credential !== undefined ||
    dataKey !== undefined ||
    invitations.list.length > 0
  )
}

/** Removes the sample's punches, requests and shifts from a person who stays. */
const removeShare = async (table: Table, sample: Sample, { id, workno, shift }: SamplePerson): Promise<void> => {
  const punches = (await readPunches(table, workno)).filter(({ sn }) => sn === sampleSn)
  for (const punch of punches) await save(table.remove(punchKey(punch)))
  for (const request of (await readRequests(table, id)).filter(isOfSample))
    await save(table.remove(requestKey(request)))
  const days = plannedDays(sample)
  await again(async () => {
    const months = (await readMonths(table, [id], days)).get(id)
    if (!months) return
    for (const day of days) if (shiftsOn(months, day).join() === shift) setDay(months, day, [])
    await saveMonths(table, id, months)
  })
}

/** Removes a person with all figures, and frees the employee ID. */
const removePerson = async ({ table, company }: Work, sample: Sample, id: string): Promise<void> => {
  const { timezone } = await readCompany({ table })
  // Before the person leaves, because a departure withdraws pending requests and notifies the approvers.
  await removeRequests(table, company, id)
  await again(async () => {
    const employee = await table.get(employeeKey(id))
    if (employee) await depart({ table, company, timezone }, employee, person => person)
  })
  const former = await table.get(formerEmployeeKey(id))
  if (!former) return
  await removeFigures(table, company, former, sample.from)
  await eraseNotices(table, id)
  await save(
    table.remove(formerEmployeeKey(id)),
    ...[former.workno, ...(former.formerWorknos ?? [])].map(number => table.remove(worknoKey(number))),
  )
}

/** Removes the departments that still have their name and that nobody uses. */
const removeSampleDepartments = async (table: Table, { departments }: Sample): Promise<void> => {
  const stored = await table.getMany(departments.map(({ id }) => departmentKey(id)))
  const unchanged = departments.filter(({ name }, i) => stored[i]?.name === name)
  await removeDepartments(
    table,
    unchanged.map(({ id }) => id),
  )
}

/** Removes the shifts that the company has neither changed nor scheduled. */
const removeSampleShifts = async (table: Table, { shifts }: Sample): Promise<void> => {
  for (const { id, name } of shifts) {
    const shift = await table.get(shiftKey(id))
    const versions = await table.all<Item<ShiftVersion>>({ pk: shiftVersionKey(id, 1).pk })
    if (!shift || shift.name !== name || versions.length > 1) continue
    if (await removeShift(table, shift))
      for (const { number } of versions) await save(table.remove(shiftVersionKey(id, number)))
  }
}

export const removeSample = async (work: Work, sample: Sample): Promise<void> => {
  const { table, tell, pause } = work
  const total = sample.people.length + 1
  await tell('write', 0, total)
  for (const [done, person] of sample.people.entries()) {
    const now = (await table.get(employeeKey(person.id))) ?? (await table.get(formerEmployeeKey(person.id)))
    if (now && (await isOwn(table, person, now))) await removeShare(table, sample, person)
    else await removePerson(work, sample, person.id)
    await tell('write', done + 1, total)
    pause()
  }
  await removeSampleShifts(table, sample)
  await removeSampleDepartments(table, sample)
  await save(table.remove(sampleKey()))
}
