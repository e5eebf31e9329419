import { publish } from '../functions/kit/bus.ts'
import { atOnce } from '../functions/kit/each.ts'
import { job, type Told, tryCompanies } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { openTable } from '../functions/kit/table.ts'
import { countPeople } from '../functions/terminal/count.ts'
import {
  askWhomItHolds,
  enlist,
  forgetTerminal,
  isServed,
  readRoster,
  readStaff,
  type Staff,
  terminalsOf,
} from '../functions/terminal/user.ts'
import { deviceKey } from '../shared/device/key.ts'
import type { Device } from '../shared/device.ts'
import type { Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'

// Keeps the users of terminals in line with their departments. An event only names the person or terminal to check; the
// table alone decides the result.

type EnlistFact = Extract<Fact, { type: (typeof jobs)['enlist']['facts'][number] }>

const terminalsAtOnce = 4

const readDevices = (staff: Staff) =>
  staff.table.all<Device>({
    pk: deviceKey('').pk,
    only: [
      ...(['serialNumber', 'department', 'state', 'protocol', 'profile', 'fingerAlgorithm'] as const),
      ...(['emptiedAt', 'resetAt', 'firstOnlineAt', 'isOwnNumbering'] as const),
    ],
  })

/** The people to check on each terminal. */
const readLooks = async (staff: Staff, facts: EnlistFact[]): Promise<Map<Device, Set<string>>> => {
  const looks = new Map<Device, Set<string>>()
  const devices = (await readDevices(staff)).filter(isServed)
  const add = (device: Device, employees: string[]) =>
    looks.set(device, (looks.get(device) ?? new Set()).union(new Set(employees)))
  const people = new Set(facts.flatMap(fact => ('employee' in fact && fact.employee ? [fact.employee] : [])))
  if (people.size > 0)
    for (const { device, employees } of await terminalsOf(staff, devices, [...people]))
      if (employees.length > 0) add(device, employees)
  const told = facts.flatMap(fact => (fact.type === 'device.owed' ? [fact] : []))
  const owed = new Set(told.map(({ sn }) => sn))
  for (const sn of owed) {
    const device = devices.find(({ serialNumber }) => serialNumber === sn)
    if (device) {
      add(device, await readRoster(staff, device))
      // The server already requested the users of a new terminal at its acceptance.
      if (told.some(fact => fact.sn === sn && !('isNew' in fact))) await askWhomItHolds(staff.table, device)
    } else if (!(await staff.table.get(deviceKey(sn)))) await forgetTerminal(staff.table, sn)
  }
  return looks
}

const lookAt = async (company: string, facts: EnlistFact[]): Promise<void> => {
  const staff = await readStaff(openTable(company))
  if (!staff) return
  const looks = await readLooks(staff, facts)
  await atOnce(terminalsAtOnce, [...looks], async ([device, employees]) => {
    const isOver = await enlist(staff, device, [...employees])
    const { serialNumber: sn } = device
    // Counting must not delay other work. The poll job also counts every minute.
    if (isOver)
      await countPeople(staff.table, sn, Date.now(), { isOver }).catch(error =>
        log({ job: 'enlist', company, sn, fault: String(error) }),
      )
  })
  // A moved department affects all its people, so check each terminal as a whole.
  if (facts.some(({ type }) => type === 'department.moved'))
    await publish(
      (await readDevices(staff))
        .filter(isServed)
        .map(({ serialNumber: sn }) => ({ type: 'device.owed' as const, company, sn })),
    )
}

export const handler = job('enlist', jobs.enlist.facts, (told: Told<EnlistFact>[]) =>
  tryCompanies('enlist', told, (company, list) =>
    lookAt(
      company,
      list.map(({ fact }) => fact),
    ),
  ),
)
