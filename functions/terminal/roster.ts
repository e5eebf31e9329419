import type { Device } from '../../shared/device.ts'
import {
  type DepartmentMember,
  departmentMemberPk,
  departmentMembers,
  type Employee,
  hasLeft,
} from '../../shared/employee.ts'
import {
  backupnums,
  type DeviceUser,
  deviceUserKey,
  type deviceUserStates,
  dueDeviceUserKey,
  hasOnlyHere,
  isFace,
  isKnown,
  namePart,
  unknown,
  withDoubt,
} from '../../shared/terminal/user.ts'
import { findEmployees } from '../employee/store.ts'
import { type Caller, manages, managesEmployee } from '../kit/caller.ts'
import type { Table } from '../kit/table.ts'
import { isWanted, readStaff, type Staff } from './user.ts'

// The employees of a terminal, for the device page.

type State = (typeof deviceUserStates)[number]

interface Place {
  id: string
  /** The person's position in the order of names. */
  at: string
  isWanted: boolean
}

/** The assigned employees of departments the caller manages. */
const readPlaces = async (
  caller: Caller,
  { today, below }: Staff,
  { department }: Device,
): Promise<Map<string, Place>> => {
  const places = new Map<string, Place>()
  for (const departmentId of [...below(department)].filter(id => manages(caller, id))) {
    let after: string | undefined
    do {
      const part = await caller.table.part<DepartmentMember>({ pk: departmentMemberPk(departmentId), after })
      for (const { item, at } of part.rows)
        if (!hasLeft(item, today)) places.set(item.employee, { id: item.employee, at, isWanted: true })
      after = part.reached
    } while (after !== undefined)
  }
  return places
}

const readUsers = async (table: Table, device: Device): Promise<Map<string, DeviceUser>> => {
  const users = await table.all<DeviceUser>({ pk: deviceUserKey(device.serialNumber, '').pk })
  return new Map(users.map(user => [user.employee, withDoubt(user, device)]))
}

/** Other people on the terminal whom the caller manages. */
const readOthers = async (caller: Caller, staff: Staff, device: Device, ids: string[]): Promise<Place[]> =>
  (await findEmployees(caller.table, ids))
    .filter(person => managesEmployee(caller, person))
    .map(person => ({ id: person.id, at: placeOf(person), isWanted: isWanted(staff, device, person) }))

const placeOf = (person: Employee) => departmentMembers(person)[0]?.[0].sk ?? ''

const stateOf = (user: DeviceUser | undefined, isWanted: boolean, isDue: boolean): State => {
  if (!isWanted) return 'leaving'
  if (!user || isDue || Object.keys(user.steps).length > 0) return 'waiting'
  const missing = { ...user.refused, ...user.unfit }
  // The server has not checked this person since the terminal was emptied, so unknown parts are pending. Refused parts
  // are not.
  if (Object.entries(user.holds).some(([part, mark]) => mark === unknown && !(part in missing))) return 'waiting'
  return Object.keys(missing).length > 0 ? 'refused' : 'current'
}

const showUser = ({ holds, refused, unfit }: Pick<DeviceUser, 'holds' | 'refused' | 'unfit'>) => {
  const parts = Object.keys(holds).filter(part => part !== namePart)
  const has = (part: string) => parts.includes(part)
  return {
    name: isKnown(holds[namePart]),
    fingers: parts.filter(part => Number(part) < 10).length,
    face: parts.some(isFace),
    card: has(backupnums.card),
    password: has(backupnums.password),
    refused: [
      ...Object.entries(refused).map(([part, { reason }]) => ({ part, reason })),
      ...Object.entries(unfit).map(([part, reason]) => ({ part, reason: String(reason) })),
    ],
  }
}

interface RosterInput {
  filters: { serialNumber: string; state?: State | undefined }
  size: number
  page?: string | undefined
}

export const rosterPage = ({ filters: { serialNumber, state }, size, page }: RosterInput) => ({
  name: `roster ${serialNumber} ${state}`,
  size,
  page,
})

/** One page of a terminal's people by name, with the totals of each state. */
export const listRoster = async (caller: Caller, device: Device, input: RosterInput) => {
  const { table } = caller
  const { state } = input.filters
  const sn = device.serialNumber
  const staff = await readStaff(table)
  if (!staff || device.isOwnNumbering) return { list: [], count: 0 }
  const [places, users, due] = await Promise.all([
    readPlaces(caller, staff, device),
    readUsers(table, device),
    table.all<{ employee: string }>({ pk: dueDeviceUserKey(sn, '').pk, only: ['employee'] }),
  ])
  const waiting = new Set(due.map(({ employee }) => employee))
  const others = await readOthers(
    caller,
    staff,
    device,
    [...users.keys()].filter(id => !places.has(id)),
  )
  const everybody = [...places.values(), ...others].map(place => ({
    ...place,
    state: stateOf(users.get(place.id), place.isWanted, waiting.has(place.id)),
  }))
  const counts = { current: 0, waiting: 0, leaving: 0, refused: 0 }
  for (const place of everybody) counts[place.state]++
  const all = everybody
    .filter(place => state === undefined || place.state === state)
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  const { list, next } = await table.slice(all, rosterPage(input))
  const people = new Map(
    (
      await findEmployees(
        table,
        list.map(({ id }) => id),
      )
    ).map(person => [person.id, person]),
  )
  return {
    count: all.length,
    counts,
    // The number of people with content that only this terminal holds, and that a reset would erase.
    onlyHere: [...users.values()].filter(hasOnlyHere).length,
    list: list.flatMap(({ id, state }) => {
      const person = people.get(id)
      if (!person) return []
      const { first_name, last_name, workno } = person
      return [
        {
          ...{ employee: id, first_name, last_name, workno, state },
          ...showUser(users.get(id) ?? { holds: {}, refused: {}, unfit: {} }),
        },
      ]
    }),
    ...(next && { next }),
  }
}
