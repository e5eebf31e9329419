import { type Company, companyKey } from '../../shared/company.ts'
import { type Credential, credentialKey, type Template } from '../../shared/credential.ts'
import { type Department, departmentKey, withAllBelow } from '../../shared/department.ts'
import type { Device } from '../../shared/device.ts'
import {
  type DepartmentMember,
  departmentMemberPk,
  departmentsOf,
  type Employee,
  employeeKey,
  formerEmployeeKey,
  hasLeft,
} from '../../shared/employee.ts'
import { localDay } from '../../shared/local-day.ts'
import { fullName } from '../../shared/person-name.ts'
import {
  type Command,
  commandKey,
  type SettledCommand,
  settledCommandKey,
  usualAttempts,
} from '../../shared/terminal/command.ts'
import { userCommands } from '../../shared/terminal/command-kind.ts'
import { profileNamed } from '../../shared/terminal/profile.ts'
import { shownBy } from '../../shared/terminal/punch-mode.ts'
import { stampedTables, stampKey } from '../../shared/terminal/stamp.ts'
import {
  backupnums,
  beginSteps,
  type DeviceUser,
  deviceUserKey,
  dueDeviceUserKey,
  endStep,
  type FormerUser,
  formerUserKey,
  isForgettable,
  namePart,
  newDeviceUser,
  type Part,
  planSteps,
  type SyncOutcome,
  type SyncStep,
  type Unfit,
  type Wanted,
  withDoubt,
  withHope,
} from '../../shared/terminal/user.ts'
import { atOnce } from '../kit/each.ts'
import { hashSecret, newId } from '../kit/id.ts'
import { again } from '../kit/table/change.ts'
import { save, type Table, type Write } from '../kit/table.ts'
import { giveUp, queueCommand } from './command.ts'

// A terminal holds the people of its department and its sub-departments. The server compares each person's known
// content with the wanted content, and queues the differences in small portions. Events may come twice, in any order,
// or late.

/** The most commands queued ahead. Later people wait, so that a manual command does not wait behind thousands. */
const mostAhead = 20
const comparedAtOnce = 16
/** Deletes run in parallel: a re-added terminal waits until up to ten thousand user entries are deleted. */
const removedAtOnce = 32
const listHours = 12
/** The algorithm of terminals that do not report their template format. */
export const unknownAlgorithm = 'unknown'
/** The largest picture, as text, that fits into a terminal's frame. */
const mostFaceBytes = 90 * 1024

/** Company data that all checks share. */
export interface Staff {
  table: Table
  today: string
  below(department: string): ReadonlySet<string>
}

/** Returns undefined if the company no longer exists. */
export const readStaff = async (table: Table): Promise<Staff | undefined> => {
  const [company, departments] = await Promise.all([
    table.get<Company>(companyKey()),
    table.all<Department>({ pk: departmentKey('').pk, only: ['id', 'parent'] }),
  ])
  if (!company) return undefined
  const reaches = new Map<string, ReadonlySet<string>>()
  return {
    table,
    today: localDay(company.timezone, Date.now()),
    below(department) {
      const reach = reaches.get(department) ?? withAllBelow(departments, [department])
      reaches.set(department, reach)
      return reach
    },
  }
}

/** The server sends no users to a terminal that never connected, or that has its own numbering. */
export const isServed = ({ state, connection, firstOnlineAt, isOwnNumbering }: Device): boolean =>
  !isOwnNumbering && state !== 'claimed' && (connection ?? firstOnlineAt) !== undefined

export const isWanted = (
  { today, below }: Staff,
  { department }: Pick<Device, 'department'>,
  employee: Employee,
): boolean => {
  const reach = below(department)
  return !hasLeft(employee, today) && departmentsOf(employee).some(id => reach.has(id))
}

/** A hash of the name: after an erasure the name itself must not remain anywhere. */
const markOfName = (employee: Employee) => hashSecret(`${employee.id} ${fullName(employee)}`).slice(0, 8)
/** Sealed data begins with random bytes, so every seal has its own mark. */
export const markOfSealed = (sealed: string) => sealed.slice(0, 16)
export const markOfTemplate = ({ registeredAt, version }: Pick<Template, 'registeredAt'> & { version: number }) =>
  `${registeredAt} ${version}`

type TemplateHead = Omit<Template, 'sealed'> & { version: number }

/** The content that an assigned terminal must receive for a person. */
export const readWanted = async (
  staff: Staff,
  device: Device,
  employee: Employee | undefined,
): Promise<Wanted | undefined> => {
  if (!employee || !isWanted(staff, device, employee)) return undefined
  const pk = credentialKey(employee.id).pk
  const stored = await staff.table.all<Credential & TemplateHead>({
    pk,
    only: ['punchMode', 'card', 'cardDigest', 'password', 'kind', 'sign', 'algorithm', 'registeredAt', 'bytes'],
  })
  const credential = stored.find(({ kind }) => kind === undefined)
  const kinds = shownBy(credential?.punchMode ?? 0)
  const marks: Wanted['marks'] = { [namePart]: markOfName(employee) }
  const unfit: Wanted['unfit'] = {}
  if (credential?.password && kinds.has('password')) marks[backupnums.password] = markOfSealed(credential.password)
  if (credential?.cardDigest && kinds.has('card')) marks[backupnums.card] = markOfSealed(credential.cardDigest)
  for (const template of stored.filter(({ kind }) => kind !== undefined && kinds.has(kind))) {
    const part = template.kind === 'face' ? backupnums.face : String(template.sign)
    const why = whyUnfit(device, template)
    if (why) unfit[part] = why
    else marks[part] = markOfTemplate(template)
  }
  return { number: employee.workno, marks, unfit }
}

/**
 * Why a terminal cannot use a template. Terminals of different makers cannot read each other's fingerprint templates.
 */
const whyUnfit = ({ protocol, fingerAlgorithm }: Device, template: TemplateHead): Unfit | undefined => {
  if (template.kind === 'finger')
    return template.algorithm === (fingerAlgorithm ?? unknownAlgorithm) ? undefined : 'other algorithm'
  if (protocol === 'adms') return 'other algorithm'
  if (template.algorithm !== 'image/jpeg') return 'no JPEG'
  return template.bytes === undefined || template.bytes > mostFaceBytes ? 'too large' : undefined
}

const outcomeOf = (settled: SettledCommand | undefined): SyncOutcome =>
  settled &&
  (settled.state === 'done'
    ? { isDone: true, ...(settled.holds && { holds: settled.holds }) }
    : { isDone: false, reason: settled.result, at: settled.settledAt })

/** Applies the outcomes of all actions in flight. */
export const takeOutcomes = async (table: Table, user: DeviceUser): Promise<DeviceUser> => {
  const { serialNumber, steps } = user
  // Ids sort by time. Of two sent names, the later one counts.
  const ids = Object.keys(steps).sort()
  if (ids.length === 0) return user
  // Read open commands first: the second read then finds a command that settles in between.
  const open = await table.getMany(ids.map(id => commandKey(serialNumber, id)))
  const over = ids.filter((_, i) => !open[i])
  const settled = await table.getMany(over.map(id => settledCommandKey(serialNumber, id)))
  return over.reduce((current, id, i) => endStep(current, id, outcomeOf(settled[i])), user)
}

/** The server retries a removal until it succeeds, but gives up an addition that the terminal refuses. */
const commandOf = (device: Device, { number, employee }: DeviceUser, { part, isRemoval, isQuestion }: SyncStep) => {
  const enrollid = Number(number)
  const body = part === namePart ? { enrollid } : { enrollid, backupnum: Number(part) }
  if (isRemoval) return { cmd: 'deleteuser', body }
  if (isQuestion)
    return { cmd: 'getuserinfo', body: { ...body, employee }, isFinal: true as const, mostAttempts: usualAttempts }
  const isNamed = part === namePart && !profileNamed(device.profile).plainUser
  return {
    ...{ cmd: isNamed ? 'setusername' : 'setuserinfo', body: { ...body, employee } },
    ...{ isFinal: true as const, mostAttempts: usualAttempts },
  }
}

interface Comparison {
  /** The stored state with the outcomes applied. */
  settled: DeviceUser | undefined
  current: DeviceUser | undefined
  wanted: Wanted | undefined
  steps: SyncStep[]
  /** Whether an erasure removes this person from the terminal, so that this comparison queues nothing. */
  isErased: boolean
}

const compare = async (
  staff: Staff,
  device: Device,
  employee: string,
  stored: DeviceUser | undefined,
  person: Employee | undefined,
): Promise<Comparison> => {
  const { table } = staff
  const former = person || !stored ? undefined : await table.get(formerEmployeeKey(employee))
  const wanted = await readWanted(staff, device, person)
  const dayBefore = new Date(Date.now() - 24 * 3_600_000).toISOString()
  const settled = stored && (await takeOutcomes(table, stored))
  const current = settled && withHope(withDoubt(settled, device), dayBefore)
  return { settled, current, wanted, steps: planSteps(current, wanted), isErased: former?.erasedAt !== undefined }
}

const isSame = (a: object | undefined, b: object | undefined) => JSON.stringify(a) === JSON.stringify(b)

/** The state of a person whom the server never sent to the terminal. */
export const firstUser = (
  { serialNumber, emptiedAt }: Device,
  { id, workno }: Pick<Employee, 'id' | 'workno'>,
): DeviceUser => ({ ...newDeviceUser(serialNumber, id, workno), ...(emptiedAt !== undefined && { emptiedAt }) })

/** The writes that delete old content from the record once the server has set, removed or enrolled the part. */
export const shedFormer = async (
  table: Table,
  { serialNumber, resetAt }: Device,
  number: string,
  isShed: (part: Part) => boolean,
): Promise<Write[]> => {
  const key = formerUserKey(serialNumber, number)
  const former = await table.get(key)
  if (!former || former.resetAt !== resetAt) return []
  const left = Object.entries(former.parts).filter(([part]) => !isShed(part))
  if (left.length === Object.keys(former.parts).length) return []
  const parts = Object.fromEntries(left)
  return [left.length > 0 ? table.replace(key, { ...former, parts }) : table.remove(key, former.version)]
}

const isEmpty = (holds: DeviceUser['holds']) => Object.keys(holds).length === 0

/** Whether commands have set or removed a part. Commands sent before a reset or to other hardware do not count. */
export const doneTo =
  (device: Device, stored: DeviceUser | undefined, settled: DeviceUser | undefined) =>
  (part: Part): boolean =>
    stored !== undefined &&
    settled !== undefined &&
    stored.emptiedAt === device.emptiedAt &&
    (stored.holds[part] !== settled.holds[part] || (!isEmpty(stored.holds) && isEmpty(settled.holds)))

const shedDone = async (
  table: Table,
  device: Device,
  stored: DeviceUser,
  { settled = stored, isErased }: Pick<Comparison, 'settled' | 'isErased'>,
): Promise<Write[]> => {
  if (isErased) {
    const former = await table.get(formerUserKey(stored.serialNumber, stored.number))
    return former ? [table.remove(formerUserKey(stored.serialNumber, stored.number), former.version)] : []
  }
  const isDone = doneTo(device, stored, settled)
  return Object.keys(stored.holds).some(isDone) ? shedFormer(table, device, stored.number, isDone) : []
}

/** Queues the next commands for a person on a terminal. Returns the number of commands. */
const bring = (staff: Staff, device: Device, employee: string): Promise<number> =>
  again(async () => {
    const { table } = staff
    const sn = device.serialNumber
    const [key, dueKey] = [deviceUserKey(sn, employee), dueDeviceUserKey(sn, employee)]
    const [stored, due, person] = await Promise.all([
      table.get(key),
      table.get(dueKey),
      table.get(employeeKey(employee)),
    ])
    const { settled, current, wanted, steps, isErased } = await compare(staff, device, employee, stored, person)
    const doneWith = due ? [table.remove(dueKey, due.version)] : []
    const open = isErased ? [] : steps
    const begun = Object.fromEntries(open.map(step => [newId(), step]))
    const user = beginSteps(current ?? firstUser(device, { id: employee, workno: wanted?.number ?? '' }), wanted, begun)
    const noted: DeviceUser = { ...user, unfit: wanted?.unfit ?? {} }
    const isGone = isErased || (!wanted && isForgettable(user))
    const kept = stored
      ? isGone
        ? [table.remove(key, stored.version)]
        : isSame(stored, { ...noted, version: stored.version })
          ? []
          : [table.replace(key, { ...noted, version: stored.version })]
      : isGone
        ? []
        : [table.insert(key, noted)]
    const commands = Object.entries(begun).map(([id, step]) =>
      queueCommand(table, sn, { id, ...commandOf(device, user, step), subject: employee }),
    )
    const former = stored ? await shedDone(table, device, stored, { settled, isErased }) : []
    const writes = [...kept, ...commands, ...doneWith, ...former]
    if (writes.length > 0) await save(...writes)
    return open.length
  })

/** Schedules a person for a later check, also during a check. */
const postpone = (table: Table, sn: string, employee: string): Promise<void> =>
  again(async () => {
    const key = dueDeviceUserKey(sn, employee)
    const due = await table.get(key)
    await save(due ? table.replace(key, due) : table.insert(key, { employee }))
  })

const readRoom = async (table: Table, sn: string): Promise<number> => {
  const open = await table.all<Command>({ pk: commandKey(sn, '').pk, only: ['cmd'] })
  return mostAhead - open.filter(({ cmd }) => userCommands.has(cmd)).length
}

/**
 * Requests the list of users; repeated calls with one id request it once. `isFirst` marks the request before the server
 * sends any user. A person cannot cancel that request.
 */
export const askForUsers = (
  table: Table,
  sn: string,
  { id = newId(), isFirst = false }: { id?: string; isFirst?: boolean } = {},
): Write =>
  queueCommand(table, sn, {
    ...{ id, cmd: 'getuserlist', body: { isFirst }, mostAttempts: usualAttempts },
    // The first request waits until the terminal connects.
    ...(!isFirst && { deadline: new Date(Date.now() + listHours * 3_600_000).toISOString() }),
  })

/** Requests the list of users unless a request is pending. ADMS terminals have no list. */
export const askWhomItHolds = async (table: Table, { serialNumber, protocol }: Device): Promise<void> => {
  if (protocol === 'adms') return
  const open = await table.all<Command>({ pk: commandKey(serialNumber, '').pk, only: ['cmd'] })
  if (open.every(({ cmd }) => cmd !== 'getuserlist')) await save(askForUsers(table, serialNumber))
}

const peopleOfPage = 100

/**
 * Checks people on a terminal and queues the differences while the queue has room, then those of waiting people. People
 * who do not fit wait. Returns whether neither a command nor a person is pending.
 */
export const enlist = async (staff: Staff, device: Device, employees: readonly string[]): Promise<boolean> => {
  const { table } = staff
  const sn = device.serialNumber
  let room = await readRoom(table, sn)
  for (let i = 0; i < employees.length; i += peopleOfPage) {
    const page = employees.slice(i, i + peopleOfPage)
    const [stored, people] = await Promise.all([
      table.getMany(page.map(id => deviceUserKey(sn, id))),
      table.getMany(page.map(employeeKey)),
    ])
    const needed = await atOnce(comparedAtOnce, page, async employee => {
      const at = page.indexOf(employee)
      const { steps, current } = await compare(staff, device, employee, stored[at], people[at])
      const isChanged = (part: 'steps' | 'holds') => !isSame(stored[at]?.[part], current?.[part])
      return steps.length > 0 || isChanged('steps') || isChanged('holds') || (stored[at] && !people[at])
    })
    for (const employee of page.filter((_, at) => needed[at]))
      if (room > 0) room -= await bring(staff, device, employee)
      else await postpone(table, sn, employee)
  }
  while (room > 0) {
    const { list } = await table.page<{ employee: string }>({ pk: dueDeviceUserKey(sn, '').pk, size: room })
    for (const { employee } of list) if (room > 0) room -= await bring(staff, device, employee)
    if (list.length === 0) return room === mostAhead
  }
  return false
}

/** All people whom the terminal must hold or whom the server knows on it. */
export const readRoster = async (
  { table, today, below }: Staff,
  { department, serialNumber }: Pick<Device, 'department' | 'serialNumber'>,
): Promise<string[]> => {
  const people = new Set<string>()
  for (const id of below(department))
    for await (const { employee, endDay } of table.each<DepartmentMember>({
      pk: departmentMemberPk(id),
      only: ['employee', 'endDay'],
    }))
      if (!hasLeft({ ...(endDay && { endDay }) }, today)) people.add(employee)
  for await (const { employee } of table.each<DeviceUser>({
    pk: deviceUserKey(serialNumber, '').pk,
    only: ['employee'],
  }))
    people.add(employee)
  return [...people]
}

/** Deletes the content, deliveries and commands of a removed terminal, so that it starts fresh when added again. */
export const forgetTerminal = async (table: Table, sn: string): Promise<void> => {
  // Settle the commands, so that their authors see the end.
  for (const command of await table.all<Command>({ pk: commandKey(sn, '').pk }))
    await giveUp(table, command, { result: 'cancelled' }, Date.now())
  const namedBy = async <T>(pk: string, name: keyof T & string) =>
    (await table.all<T>({ pk, only: [name] })).map(item => ({ pk, sk: String(item[name]) }))
  const left = await Promise.all([
    namedBy<DeviceUser>(deviceUserKey(sn, '').pk, 'employee'),
    namedBy<{ employee: string }>(dueDeviceUserKey(sn, '').pk, 'employee'),
    namedBy<FormerUser>(formerUserKey(sn, '').pk, 'number'),
  ])
  await atOnce(removedAtOnce, left.flat(), key => save(table.remove(key)))
  await save(...stampedTables.map(name => table.remove(stampKey(sn, name))))
}

/** The terminals on which the server must check these people: assigned terminals, and terminals known to hold them. */
export const terminalsOf = async (
  staff: Staff,
  devices: readonly Device[],
  employees: readonly string[],
): Promise<{ device: Device; employees: string[] }[]> => {
  const { table } = staff
  const people = new Map(
    (await table.getMany(employees.map(employeeKey))).flatMap(person => (person ? [[person.id, person]] : [])),
  )
  return Promise.all(
    devices.filter(isServed).map(async device => {
      const users = await table.getMany(employees.map(employee => deviceUserKey(device.serialNumber, employee)))
      const here = employees.filter((employee, i) => {
        const person = people.get(employee)
        return users[i] !== undefined || (person && isWanted(staff, device, person))
      })
      return { device, employees: here }
    }),
  )
}
