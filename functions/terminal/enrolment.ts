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
import { type Device, deviceKey } from '../../shared/device.ts'
import { type Employee, employeeKey, fullName, worknoKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { fold } from '../../shared/fold.ts'
import { cleanPicture } from '../../shared/image.ts'
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
import { again } from '../kit/table/change.ts'
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

// What somebody registered at a terminal: it is kept in the person's vault, and by its change the other terminals come to know it.

/** A finger of the longest kind has some 1,600 characters; some terminals put a single digit where there is none. */
const [leastFingerLength, mostFingerLength] = [8, 8192]

/** Whether that says that there is nothing in the place. */
export const isBlank = ({ backupnum, record }: Pick<HeldUser, 'backupnum' | 'record'>): boolean =>
  record.length < (backupnum < backupNumbers.password ? leastFingerLength : 1)

/** `own` where it is kept at the terminal alone; undefined where it is nothing anybody could keep. */
type Kept = typeof ownMark | { mark: string } | undefined

const isSame = async (owner: Owner, template: Template | undefined, bytes: Uint8Array, algorithm: string) => {
  const known = template?.algorithm === algorithm ? await openTemplate(owner, template) : undefined
  return known !== undefined && Buffer.compare(known, bytes) === 0
}

/** Keeps a finger or face; one that is kept already is not another one. */
const keepTemplate = async (
  owner: Owner,
  serialNumber: string,
  about: { kind: Template['kind']; sign: FingerSign; algorithm: string; bytes: Uint8Array },
): Promise<Kept> => {
  const company = await owner.table.get(companyKey())
  if (!company?.storesTemplates) return ownMark
  const known = await owner.table.get(templateKey(owner.employee, about.kind, about.sign))
  if (known && (await isSame(owner, known, about.bytes, about.algorithm))) return { mark: markOfTemplate(known) }
  return { mark: markOfTemplate(await storeTemplate(owner, { ...about, serialNumber })) }
}

const keepCard = (owner: Owner, digits: string): Promise<Kept> => {
  const card = cardNumber.safeParse(digits)
  return card.success ? keepDigits(owner, 'card', card.data) : Promise.resolve(undefined)
}

/** Keeps a card or password, unless the card is in another hand. */
const keepDigits = async (owner: Owner, name: 'card' | 'password', digits: string): Promise<Kept> => {
  try {
    await again(async () => {
      const { punchMode = 0, card, password, version } = (await readCredential(owner)) ?? {}
      const now = { punchMode, card, password, [name]: digits }
      if (now.card !== card || now.password !== password) await saveCredential(owner, now, version)
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
  const sign = fingerSigns.find(one => one === backupnum)
  if (sign !== undefined && record.length <= mostFingerLength)
    return keepTemplate(owner, serialNumber, { kind: 'finger', sign, algorithm, bytes: Buffer.from(record, 'latin1') })
  const picture =
    part === backupnums.face ? cleanPicture(Buffer.from(record.replace(/^data:[^,]*,/, ''), 'base64')) : undefined
  if (picture?.type !== 'image/jpeg') return ownMark
  return keepTemplate(owner, serialNumber, { kind: 'face', sign: 0, algorithm: picture.type, bytes: picture.bytes })
}

/** Whose numbers these are now: of a number that somebody gave up nothing is learnt. */
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

/** A terminal may hold somebody else under a number of ours, from before it was ours. */
const isNamedSo = (employee: Employee, { name = '' }: HeldUser): boolean =>
  fold(fullName(employee)).startsWith(fold(name))

/** What is new of somebody is read, compared and sealed by a key of their own. */
const peopleAtOnce = 16

/** Notes what there is of it, in the terms of what the terminal holds; under another number it is taken away as it was. */
const noteAll = (
  table: Table,
  { serialNumber, replacedAt }: Device,
  { employee, isAsked }: { employee: Employee; isAsked: boolean },
  notes: [Part, HeldNote][],
): Promise<void> =>
  again(async () => {
    const key = deviceUserKey(serialNumber, employee.id)
    const [device, known] = await Promise.all([table.get(deviceKey(serialNumber)), table.get(key)])
    const settled = known && (await takeOutcomes(table, known))
    const before = device && (settled ? withDoubt(settled, device) : firstUser(device, employee))
    // Other hardware may have been let in since.
    if (!device || device.replacedAt !== replacedAt || before?.number !== employee.workno) return
    const now = notes.reduce<DeviceUser>((user, [part, note]) => noteHeld(user, part, note), before)
    if (known && isDeepStrictEqual(now, before)) return
    const registered = new Set(notes.flatMap(([part, { mark }]) => (mark !== ownMark ? [part] : [])))
    const isDone = doneTo(device, known, settled)
    const isShed = (part: Part) => (isAsked && registered.has(part)) || isDone(part)
    const shed = await shedFormer(table, device, employee.workno, isShed)
    await save(known ? table.replace(key, { ...now, version: known.version }) : table.insert(key, now), ...shed)
  })

/** By number, what a terminal held from before it was ours. */
const readFormer = async (
  table: Table,
  { serialNumber, resetAt }: Device,
  numbers: string[],
): Promise<Map<string, FormerUser['parts']>> => {
  const found = await table.getMany(numbers.map(number => formerUserKey(serialNumber, number)))
  return new Map(
    found.flatMap(former => (former?.resetAt === resetAt && former ? [[former.number, former.parts]] : [])),
  )
}

/** One finger is told in two forms, as long as nobody registers another one meanwhile. */
const mostForms = 4

/** Remembers what a terminal holds that was ours first just now, but for what it is known to have been sent. */
const noteFormer = async (
  table: Table,
  device: Device,
  told: ReadonlyMap<string, FormerUser['parts']>,
  holders: ReadonlyMap<string, Employee>,
): Promise<void> => {
  const { serialNumber, resetAt } = device
  const users = await table.getMany([...holders.values()].map(({ id }) => deviceUserKey(serialNumber, id)))
  const sent = new Map(users.flatMap(user => (user ? [[user.number, withDoubt(user, device).holds]] : [])))
  const isSent = (number: string, part: Part) => {
    const mark = sent.get(number)?.[part]
    return mark !== undefined && isKnown(mark) && !isOwn(mark)
  }
  await atOnce(peopleAtOnce, [...told], ([number, all]) =>
    again(async () => {
      const key = formerUserKey(serialNumber, number)
      const known = await table.get(key)
      const before = known?.resetAt === resetAt ? (known?.parts ?? {}) : {}
      const news = Object.entries(all).filter(([part]) => !isSent(number, part))
      const join = ([part, digests]: [Part, string[]]) =>
        [part, [...new Set([...digests, ...(before[part] ?? [])])].slice(0, mostForms)] as const
      const parts = { ...before, ...Object.fromEntries(news.map(join)) }
      if (isDeepStrictEqual(parts, before)) return
      const former = { number, parts, ...(resetAt && { resetAt }) }
      await save(known ? table.replace(key, { ...former, version: known.version }) : table.insertAnew(key, former))
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
 * Takes what a terminal says it holds of people, of each in its order; `by` asked for it at this terminal, where somebody did. Of a
 * number that is nobody's no card or template is kept, and nothing is taken off the terminal. What nobody asked for is taken only of
 * people the terminal has to know, and only from one that proves itself: whoever knows no more than its serial number could open every
 * door with a card of theirs. What it held before it was ours may be of somebody else with that number, and stays there, also where it
 * answers with that what somebody had it register: who is to be known elsewhere registers anew, asked for from here. `isLook` where it
 * was asked what is in a place before somebody registers there: all of that is from before. A terminal says the same for days: what it
 * has said before undoes nothing of what was done since, unless it `isFresh`: it answers what somebody registered just now, who may have
 * found a card again. Answers why something is not kept, where it is not.
 */
export const takeHeld = async (
  { company, serialNumber, by, isLook, isFresh }: Telling,
  list: HeldUser[],
): Promise<Unkept | undefined> => {
  const said = Map.groupBy(
    list.filter(held => !isBlank(held)),
    ({ number }) => number,
  )
  const table = openTable(company, { device: serialNumber, ...(by && { employee: by }) })
  const [device, staff, holders] = await Promise.all([
    table.get(deviceKey(serialNumber)),
    by === undefined ? readStaff(table) : undefined,
    findHolders(table, [...said.keys()]),
  ])
  if (!device) return undefined
  const digest = await openDigest({ table, company })
  const contentOf = ({ record }: HeldUser) => digest('former', record)
  const former = await readFormer(table, device, [...said.keys()])
  if (isLook || (by === undefined && !device.listed)) {
    const partsOf = (list: HeldUser[]) =>
      Object.fromEntries(list.map(held => [String(held.backupnum), [contentOf(held)]]))
    await noteFormer(table, device, new Map([...said].map(([number, list]) => [number, partsOf(list)])), holders)
  }
  const isTaken = (employee: Employee, held: HeldUser) =>
    by !== undefined || (staff !== undefined && isWanted(staff, device, employee) && isNamedSo(employee, held))
  const mayBeOurs = by !== undefined || (!isLook && device.authentication !== 'claim' && device.listed !== undefined)
  const people = [...holders].flatMap(([number, employee]) => {
    const taken = (said.get(number) ?? []).filter(held => isTaken(employee, held))
    // Of what it says twice it holds the latter.
    return taken.length > 0 ? [{ employee, taken: new Map(taken.map(held => [held.backupnum, held])) }] : []
  })
  if (people.length === 0) return undefined
  let unkept: Unkept | undefined
  const known = await table.getMany(people.map(({ employee }) => deviceUserKey(serialNumber, employee.id)))
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
      const said = isBelieved
        ? digest('held', JSON.stringify([employee.id, part, record, algorithm, admin]))
        : undefined
      if (!isFresh && said !== undefined && hasSaid(known[i], part, said)) continue
      // What we sent it is ours, and is taken from it when it is withdrawn, whatever it says back.
      if (!isBelieved && known[i]?.holds[part] !== undefined) continue
      const kept = isBelieved ? await keep(owner, device, held) : ownMark
      if (!kept) unkept = notKept
      notes.push([part, kept === ownMark ? { mark: ownMark, admin } : { mark: kept?.mark, admin, said }])
    }
    if (notes.length > 0) await noteAll(table, device, { employee, isAsked: by !== undefined }, notes)
  })
  return unkept
}

/** How long after it was told so a terminal delivers what somebody had it register. */
const lateMilliseconds = 120_000
/** The commands of an enrolment end within this time of its beginning. */
const longestMilliseconds = 10 * 60_000

/** Of whom somebody has a terminal register what at the moment, and who that is. */
const readEnrolments = async (table: Table, sn: string, now: number) => {
  const [device, open, over] = await Promise.all([
    table.get(deviceKey(sn)),
    table.all<Command>({ pk: commandKey(sn, '').pk }),
    // Ids sort by when they were made.
    table.all<SettledCommand>({
      pk: settledCommandKey(sn, '').pk,
      from: newId(now - longestMilliseconds),
      to: newId(now + 1000),
    }),
  ])
  // What the hardware before it was told the one in its place does not do.
  const isLate = ({ result, queuedAt, settledAt }: SettledCommand) =>
    queuedAt >= (device?.replacedAt ?? '') &&
    (result === 'ok' || result === 'no answer') &&
    now - Date.parse(settledAt) < lateMilliseconds
  // What was not told it yet it does not do.
  const told = open.filter(({ cmd, state }) => cmd !== 'adduser' || state === 'sent')
  const begun = [...told, ...over.filter(isLate)].flatMap(({ cmd, body, by, subject }) =>
    by && subject && enrolmentCommands.has(cmd) ? [{ by, subject, backupnum: body.backupnum }] : [],
  )
  const people = await table.getMany(begun.map(({ subject }) => employeeKey(subject)))
  return begun.map((one, i) => ({ ...one, number: people[i]?.workno }))
}

/** Takes what a terminal delivers that answers no question: what somebody is having it register as asked for by them, and all else by nobody. */
export const takeDelivered = async (
  { company, serialNumber }: { company: string; serialNumber: string },
  list: HeldUser[],
  now: number,
): Promise<void> => {
  const enrolments = await readEnrolments(openTable(company), serialNumber, now)
  const byOf = ({ number, backupnum }: HeldUser) =>
    enrolments.find(one => one.number === number && one.backupnum === backupnum)?.by
  for (const [by, part] of Map.groupBy(list, byOf)) await takeHeld({ company, serialNumber, by }, part)
}

const asked: ReadonlySet<Part> = new Set([...fingerSigns.map(String), backupnums.password, backupnums.card])

/**
 * Takes what a terminal lists of the people it has to know: what nobody here has seen is asked for, as long as it is of a kind that is
 * kept and small enough to come in one frame. What it held when it was ours first, so all it lists until it has told that to the end,
 * may be of somebody else with that number: it stays there, and is learnt by nobody. It has counted already what it lists, unless
 * that is asked for an enrolment.
 */
export const takeListed = async (
  company: string,
  { device, isEnrolment }: { device: Device; isEnrolment: boolean },
  users: ListedUser[],
): Promise<void> => {
  const table = openTable(company)
  const { serialNumber, listed } = device
  const [staff, settings] = await Promise.all([readStaff(table), table.get(companyKey())])
  if (!staff) return
  const isKept = (part: Part) => asked.has(part) && (settings?.storesTemplates === true || Number(part) > 9)
  const news: { before: DeviceUser; now: DeviceUser }[] = []
  const byNumber = Map.groupBy(users, user => user.number)
  const holders = await findHolders(table, [...byNumber.keys()])
  const partsOf = (list: ListedUser[]) => Object.fromEntries(list.map(({ backupnum }) => [String(backupnum), []]))
  if (!listed || listed.isPartial)
    await noteFormer(table, device, new Map([...byNumber].map(([one, list]) => [one, partsOf(list)])), holders)
  const former = await readFormer(table, device, [...byNumber.keys()])
  for (const [number, list] of byNumber) {
    const employee = holders.get(number)
    if (!employee || !isWanted(staff, device, employee)) continue
    const isOld = (part: Part) => !listed || listed.isPartial || former.get(number)?.[part] !== undefined
    const found = await again(async () => {
      const key = deviceUserKey(serialNumber, employee.id)
      const known = await table.get(key)
      const settled = known && (await takeOutcomes(table, known))
      const before = settled ? withDoubt(settled, device) : listed ? undefined : firstUser(device, employee)
      const more =
        before?.number === number ? list.filter(one => before.holds[String(one.backupnum)] === undefined) : []
      if (!before || more.length === 0) return undefined
      const now = more.reduce<DeviceUser>((user, { backupnum, admin }) => {
        const part = String(backupnum)
        return noteHeld(user, part, { mark: isKept(part) && !isOld(part) ? heardMark : ownMark, admin })
      }, before)
      const shed = await shedFormer(table, device, number, doneTo(device, known, settled))
      await save(known ? table.replace(key, { ...now, version: known.version }) : table.insert(key, now), ...shed)
      return { before, now }
    })
    if (found) news.push(found)
  }
  if (news.length === 0) return
  if (!isEnrolment)
    await noteFound(table, serialNumber, {
      before: tallyOf(
        news.map(({ before }) => before),
        device,
      ),
      now: tallyOf(
        news.map(({ now }) => now),
        device,
      ),
    })
  await enlist(
    staff,
    device,
    news.map(({ now }) => now.employee),
  )
}
