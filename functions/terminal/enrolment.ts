import { isDeepStrictEqual } from 'node:util'
import { companyKey } from '../../shared/company.ts'
import {
  cardNumber,
  credentialKey,
  type FingerSign,
  fingerSigns,
  type Template,
  templateKey,
} from '../../shared/credential.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { type Employee, employeeKey, worknoKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { fold } from '../../shared/fold.ts'
import { cleanPicture } from '../../shared/image.ts'
import { fullName } from '../../shared/person-name.ts'
import type { HeldUser, ListedUser } from '../../shared/terminal/ai-face.ts'
import {
  backupNumbers,
  type Command,
  commandKey,
  type SettledCommand,
  settledCommandKey,
} from '../../shared/terminal/command.ts'
import { heldBefore, notKept, type Unkept } from '../../shared/terminal/command-kind.ts'
import {
  backupnums,
  type DeviceUser,
  deviceUserKey,
  type FormerUser,
  formerUserKey,
  type HeldNote,
  hasSaid,
  heardMark,
  isKnown,
  isOwn,
  noteHeld,
  ownMark,
  type Part,
  tallyOf,
  withDoubt,
} from '../../shared/terminal/user.ts'
import type { Owner } from '../credential/shred.ts'
import { openTemplate, readCredential, saveCredential, storeTemplate } from '../credential/store.ts'
import { openDigest } from '../credential/vault.ts'
import { atOnce } from '../kit/each.ts'
import { newId } from '../kit/id.ts'
import { again, change } from '../kit/table/change.ts'
import { openTable, save, type Table } from '../kit/table.ts'
import { enrolmentCommands } from './command.ts'
import { noteFound } from './count.ts'
import {
  doneTo,
  enlist,
  firstUser,
  isWanted,
  markOfSealed,
  markOfTemplate,
  readStaff,
  shedFormer,
  takeOutcomes,
  unknownAlgorithm,
} from './user.ts'

// Stores enrolments made at a terminal in the person's vault. That change updates the other terminals.

/** The longest fingerprint has some 1,600 characters. Some firmware sends a single digit for an empty slot. */
const [leastFingerLength, mostFingerLength] = [8, 8192]

/** Whether the slot is empty. */
export const isBlank = ({ backupnum, record }: Pick<HeldUser, 'backupnum' | 'record'>): boolean =>
  record.length < (backupnum < backupNumbers.password ? leastFingerLength : 1)

/** `own` if the content stays on the terminal only; undefined if the server cannot keep it. */
type Kept = typeof ownMark | { mark: string } | undefined

const isSame = async (owner: Owner, template: Template | undefined, bytes: Uint8Array, algorithm: string) => {
  const stored = template?.algorithm === algorithm ? await openTemplate(owner, template) : undefined
  return stored !== undefined && Buffer.compare(stored, bytes) === 0
}

/** Stores a fingerprint or face unless the vault already has it. */
const keepTemplate = async (
  owner: Owner,
  serialNumber: string,
  about: { kind: Template['kind']; sign: FingerSign; algorithm: string; bytes: Uint8Array },
): Promise<Kept> => {
  const company = await owner.table.get(companyKey())
  if (!company?.storesTemplates) return ownMark
  const stored = await owner.table.get(templateKey(owner.employee, about.kind, about.sign))
  if (stored && (await isSame(owner, stored, about.bytes, about.algorithm))) return { mark: markOfTemplate(stored) }
  return { mark: markOfTemplate(await storeTemplate(owner, { ...about, serialNumber })) }
}

const keepCard = (owner: Owner, digits: string): Promise<Kept> => {
  const card = cardNumber.safeParse(digits)
  return card.success ? keepDigits(owner, 'card', card.data) : Promise.resolve(undefined)
}

/** Stores a card or password, unless another person has the card. */
const keepDigits = async (owner: Owner, name: 'card' | 'password', digits: string): Promise<Kept> => {
  try {
    await again(async () => {
      const { punchMode = 0, card, password, version } = (await readCredential(owner)) ?? {}
      const changed = { punchMode, card, password, [name]: digits }
      if (changed.card !== card || changed.password !== password) await saveCredential(owner, changed, version)
    })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
  const credential = await owner.table.get(credentialKey(owner.employee))
  const sealed = name === 'card' ? credential?.cardDigest : credential?.password
  return sealed ? { mark: markOfSealed(sealed) } : undefined
}

const keep = async (
  owner: Owner,
  { serialNumber, fingerAlgorithm = unknownAlgorithm }: Device,
  { backupnum, record, algorithm = fingerAlgorithm }: HeldUser,
): Promise<Kept> => {
  const part = String(backupnum)
  if (part === backupnums.card) return keepCard(owner, record)
  if (part === backupnums.password)
    return /^\d{1,8}$/.test(record) ? keepDigits(owner, 'password', String(Number(record))) : undefined
  const sign = fingerSigns.find(candidate => candidate === backupnum)
  if (sign !== undefined && record.length <= mostFingerLength)
    return keepTemplate(owner, serialNumber, { kind: 'finger', sign, algorithm, bytes: Buffer.from(record, 'latin1') })
  const picture =
    part === backupnums.face ? cleanPicture(Buffer.from(record.replace(/^data:[^,]*,/, ''), 'base64')) : undefined
  if (picture?.type !== 'image/jpeg') return ownMark
  return keepTemplate(owner, serialNumber, { kind: 'face', sign: 0, algorithm: picture.type, bytes: picture.bytes })
}

/** The present holders of these employee IDs. The server learns nothing from former employee IDs. */
const findHolders = async (table: Table, numbers: string[]): Promise<Map<string, Employee>> => {
  const holders = await table.getMany(numbers.map(worknoKey))
  const held = numbers.flatMap((number, i) => (holders[i] ? [{ number, id: holders[i].employee }] : []))
  const people = await table.getMany(held.map(({ id }) => employeeKey(id)))
  return new Map(
    held.flatMap(({ number }, i) => {
      const employee = people[i]
      return employee?.workno === number ? [[number, employee] as const] : []
    }),
  )
}

/** Whether the names match: the terminal may hold another person under this number, from before the claim. */
const isNamedSo = (employee: Employee, { name = '' }: HeldUser): boolean =>
  fold(fullName(employee)).startsWith(fold(name))

/** Limits the parallel people: the server reads, compares and seals each new template with the person's own key. */
const peopleAtOnce = 16

/** Records the terminal's content. Skips content under a former employee ID, because the server removes it anyway. */
const noteAll = (
  table: Table,
  { serialNumber, replacedAt }: Device,
  { employee, isAsked }: { employee: Employee; isAsked: boolean },
  notes: [Part, HeldNote][],
): Promise<void> =>
  again(async () => {
    const key = deviceUserKey(serialNumber, employee.id)
    const [device, stored] = await Promise.all([table.get(deviceKey(serialNumber)), table.get(key)])
    const settled = stored && (await takeOutcomes(table, stored))
    const before = device && (settled ? withDoubt(settled, device) : firstUser(device, employee))
    // A manager may have approved other hardware since then.
    if (!device || device.replacedAt !== replacedAt || before?.number !== employee.workno) return
    const updated = notes.reduce<DeviceUser>((user, [part, note]) => noteHeld(user, part, note), before)
    if (stored && isDeepStrictEqual(updated, before)) return
    const registered = new Set(notes.flatMap(([part, { mark }]) => (mark !== ownMark ? [part] : [])))
    const isDone = doneTo(device, stored, settled)
    const isShed = (part: Part) => (isAsked && registered.has(part)) || isDone(part)
    const shed = await shedFormer(table, device, employee.workno, isShed)
    await save(
      stored ? table.replace(key, { ...updated, version: stored.version }) : table.insert(key, updated),
      ...shed,
    )
  })

/** The recorded content from before the claim, by employee ID. */
const readFormer = async (
  table: Table,
  { serialNumber, resetAt }: Device,
  numbers: string[],
): Promise<Map<string, FormerUser['parts']>> => {
  const stored = await table.getMany(numbers.map(number => formerUserKey(serialNumber, number)))
  return new Map(
    stored.flatMap(former => (former?.resetAt === resetAt && former ? [[former.number, former.parts]] : [])),
  )
}

/** A fingerprint arrives in two forms, so this also fits a second enrolment. */
const mostForms = 4

/** Records a terminal's content from before the claim, without content that the server sent. */
const noteFormer = async (
  table: Table,
  device: Device,
  reported: ReadonlyMap<string, FormerUser['parts']>,
  holders: ReadonlyMap<string, Employee>,
): Promise<void> => {
  const { serialNumber, resetAt } = device
  const users = await table.getMany([...holders.values()].map(({ id }) => deviceUserKey(serialNumber, id)))
  const sent = new Map(users.flatMap(user => (user ? [[user.number, withDoubt(user, device).holds]] : [])))
  const isSent = (number: string, part: Part) => {
    const mark = sent.get(number)?.[part]
    return mark !== undefined && isKnown(mark) && !isOwn(mark)
  }
  const isStrange = ([number, all]: [string, FormerUser['parts']]) =>
    Object.keys(all).some(part => !isSent(number, part))
  if (!device.heldPeople && [...reported].some(isStrange))
    await change(table, deviceKey(serialNumber), current =>
      current.heldPeople ? undefined : { ...current, heldPeople: true as const },
    )
  await atOnce(peopleAtOnce, [...reported], ([number, all]) =>
    again(async () => {
      const key = formerUserKey(serialNumber, number)
      const stored = await table.get(key)
      const before = stored?.resetAt === resetAt ? (stored?.parts ?? {}) : {}
      const news = Object.entries(all).filter(([part]) => !isSent(number, part))
      const join = ([part, digests]: [Part, string[]]) =>
        [part, [...new Set([...digests, ...(before[part] ?? [])])].slice(0, mostForms)] as const
      const parts = { ...before, ...Object.fromEntries(news.map(join)) }
      if (isDeepStrictEqual(parts, before)) return
      const former = { number, parts, ...(resetAt && { resetAt }) }
      await save(stored ? table.replace(key, { ...former, version: stored.version }) : table.insertAnew(key, former))
    }),
  )
}

interface Telling {
  company: string
  serialNumber: string
  by?: string | undefined
  isLook?: boolean
  isFresh?: boolean
}

/**
 * Takes a terminal's reports about users, in order. `by` is the person who requested an enrolment here, if any.
 * `isLook` marks a slot that the server reads before an enrolment: all its content is old. `isFresh` marks the answer
 * to a new enrolment; the server ignores any other repeated report. Returns the reason if the server did not keep a
 * report. The server stores nothing for unknown employee IDs and removes nothing from the terminal. Unrequested content
 * counts only for assigned people, and only from a terminal that proves its identity. With just a serial number, an
 * attacker could otherwise add a card that opens every door. Old content may belong to another person with the same
 * employee ID, so the person enrols again.
 */
export const takeHeld = async (
  { company, serialNumber, by, isLook, isFresh }: Telling,
  list: HeldUser[],
): Promise<Unkept | undefined> => {
  const byNumber = Map.groupBy(
    list.filter(held => !isBlank(held)),
    ({ number }) => number,
  )
  const table = openTable(company, { device: serialNumber, ...(by && { employee: by }) })
  const [device, staff, holders] = await Promise.all([
    table.get(deviceKey(serialNumber)),
    by === undefined ? readStaff(table) : undefined,
    findHolders(table, [...byNumber.keys()]),
  ])
  // A number of the terminal's own is no employee ID.
  if (!device || device.isOwnNumbering) return undefined
  const digest = await openDigest({ table, company })
  const contentOf = ({ record }: HeldUser) => digest('former', record)
  const former = await readFormer(table, device, [...byNumber.keys()])
  if (isLook || (by === undefined && !device.listed)) {
    const partsOf = (list: HeldUser[]) =>
      Object.fromEntries(list.map(held => [String(held.backupnum), [contentOf(held)]]))
    await noteFormer(table, device, new Map([...byNumber].map(([number, list]) => [number, partsOf(list)])), holders)
  }
  const isTaken = (employee: Employee, held: HeldUser) =>
    by !== undefined || (staff !== undefined && isWanted(staff, device, employee) && isNamedSo(employee, held))
  const mayBeOurs = by !== undefined || (!isLook && device.authentication !== 'claim' && device.listed !== undefined)
  const people = [...holders].flatMap(([number, employee]) => {
    const taken = (byNumber.get(number) ?? []).filter(held => isTaken(employee, held))
    // If the terminal reports a slot twice, the latter report counts.
    return taken.length > 0 ? [{ employee, taken: new Map(taken.map(held => [held.backupnum, held])) }] : []
  })
  if (people.length === 0) return undefined
  let unkept: Unkept | undefined
  const users = await table.getMany(people.map(({ employee }) => deviceUserKey(serialNumber, employee.id)))
  await atOnce(peopleAtOnce, [...people.entries()], async ([i, { employee, taken }]) => {
    const owner = { table, company, employee: employee.id }
    const notes: [Part, HeldNote][] = []
    for (const held of taken.values()) {
      const { backupnum, record, algorithm, admin } = held
      const part = String(backupnum)
      const old = former.get(employee.workno)?.[part]
      const isOld = old !== undefined && (by === undefined || old.includes(contentOf(held)))
      if (isOld) unkept = heldBefore
      const isBelieved = mayBeOurs && !isOld
      const report = isBelieved
        ? digest('held', JSON.stringify([employee.id, part, record, algorithm, admin]))
        : undefined
      if (!isFresh && report !== undefined && hasSaid(users[i], part, report)) continue
      // Content that the server sent keeps its mark, whatever the terminal reports, so a later withdrawal removes it.
      if (!isBelieved && users[i]?.holds[part] !== undefined) continue
      const kept = isBelieved ? await keep(owner, device, held) : ownMark
      if (!kept) unkept = notKept
      notes.push([part, kept === ownMark ? { mark: ownMark, admin } : { mark: kept?.mark, admin, said: report }])
    }
    if (notes.length > 0) await noteAll(table, device, { employee, isAsked: by !== undefined }, notes)
  })
  return unkept
}

/** How long after the command a terminal may deliver an enrolment. */
const lateMilliseconds = 120_000
/** All commands of an enrolment end within this time after its start. */
const longestMilliseconds = 10 * 60_000

/** The enrolments in progress at a terminal, each with its person and its author. */
const readEnrolments = async (table: Table, sn: string, now: number) => {
  const [device, open, over] = await Promise.all([
    table.get(deviceKey(sn)),
    table.all<Command>({ pk: commandKey(sn, '').pk }),
    // Ids sort by creation time.
    table.all<SettledCommand>({
      pk: settledCommandKey(sn, '').pk,
      from: newId(now - longestMilliseconds),
      to: newId(now + 1000),
    }),
  ])
  // New hardware does not carry out commands for the earlier hardware.
  const isLate = ({ result, queuedAt, settledAt }: SettledCommand) =>
    queuedAt >= (device?.replacedAt ?? '') &&
    (result === 'ok' || result === 'no answer') &&
    now - Date.parse(settledAt) < lateMilliseconds
  // Before the server sends `adduser`, the terminal cannot enrol.
  const sent = open.filter(({ cmd, state }) => cmd !== 'adduser' || state === 'sent')
  const begun = [...sent, ...over.filter(isLate)].flatMap(({ cmd, body, by, subject }) =>
    by && subject && enrolmentCommands.has(cmd) ? [{ by, subject, backupnum: body.backupnum }] : [],
  )
  const people = await table.getMany(begun.map(({ subject }) => employeeKey(subject)))
  return begun.map((enrolment, i) => ({ ...enrolment, number: people[i]?.workno }))
}

/** Takes an unrequested report: as the result of a running enrolment, or without an author. */
export const takeDelivered = async (
  { company, serialNumber }: { company: string; serialNumber: string },
  list: HeldUser[],
  now: number,
): Promise<void> => {
  const enrolments = await readEnrolments(openTable(company), serialNumber, now)
  const byOf = ({ number, backupnum }: HeldUser) =>
    enrolments.find(enrolment => enrolment.number === number && enrolment.backupnum === backupnum)?.by
  for (const [by, part] of Map.groupBy(list, byOf)) await takeHeld({ company, serialNumber, by }, part)
}

const fetchedParts: ReadonlySet<Part> = new Set([...fingerSigns.map(String), backupnums.password, backupnums.card])

/**
 * Takes a terminal's list of its users. Requests unseen content of the kinds that the server stores and that fit into a
 * frame. Content counts as old until the terminal has listed its users completely. The server never copies old content,
 * because another person may have had the employee ID. The terminal has already counted listed content, unless the list
 * is part of an enrolment.
 */
export const takeListed = async (
  company: string,
  { device, isEnrolment }: { device: Device; isEnrolment: boolean },
  users: ListedUser[],
): Promise<void> => {
  const table = openTable(company)
  const { serialNumber, listed } = device
  const [staff, settings] = await Promise.all([readStaff(table), table.get(companyKey())])
  if (!staff || device.isOwnNumbering) return
  const isKept = (part: Part) => fetchedParts.has(part) && (settings?.storesTemplates === true || Number(part) > 9)
  const news: { before: DeviceUser; after: DeviceUser }[] = []
  const byNumber = Map.groupBy(users, user => user.number)
  const holders = await findHolders(table, [...byNumber.keys()])
  const partsOf = (list: ListedUser[]) => Object.fromEntries(list.map(({ backupnum }) => [String(backupnum), []]))
  if (!listed || listed.isPartial)
    await noteFormer(table, device, new Map([...byNumber].map(([number, list]) => [number, partsOf(list)])), holders)
  const former = await readFormer(table, device, [...byNumber.keys()])
  for (const [number, list] of byNumber) {
    const employee = holders.get(number)
    if (!employee || !isWanted(staff, device, employee)) continue
    const isOld = (part: Part) => !listed || listed.isPartial || former.get(number)?.[part] !== undefined
    const difference = await again(async () => {
      const key = deviceUserKey(serialNumber, employee.id)
      const stored = await table.get(key)
      const settled = stored && (await takeOutcomes(table, stored))
      const before = settled ? withDoubt(settled, device) : listed ? undefined : firstUser(device, employee)
      const more =
        before?.number === number ? list.filter(user => before.holds[String(user.backupnum)] === undefined) : []
      if (!before || more.length === 0) return undefined
      const after = more.reduce<DeviceUser>((user, { backupnum, admin }) => {
        const part = String(backupnum)
        return noteHeld(user, part, { mark: isKept(part) && !isOld(part) ? heardMark : ownMark, admin })
      }, before)
      const shed = await shedFormer(table, device, number, doneTo(device, stored, settled))
      await save(stored ? table.replace(key, { ...after, version: stored.version }) : table.insert(key, after), ...shed)
      return { before, after }
    })
    if (difference) news.push(difference)
  }
  if (news.length === 0) return
  if (!isEnrolment)
    await noteFound(table, serialNumber, {
      before: tallyOf(
        news.map(({ before }) => before),
        device,
      ),
      after: tallyOf(
        news.map(({ after }) => after),
        device,
      ),
    })
  await enlist(
    staff,
    device,
    news.map(({ after }) => after.employee),
  )
}
