import { setTimeout as wait } from 'node:timers/promises'
import { type Connection, connectionKey, type PendingQuestion } from '../../shared/connection.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { isAllDue } from '../../shared/device/warning.ts'
import type { Device } from '../../shared/device.ts'
import { iso, localDay } from '../../shared/local-day.ts'
import type { RefusedDelivery } from '../../shared/refused-delivery.ts'
import {
  askLog,
  type Fields,
  isPageCommand,
  type LogRecord,
  type PageCommand,
  readLog,
} from '../../shared/terminal/ai-face.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { log } from '../kit/log.ts'
import { disconnect, push } from '../kit/push.ts'
import { change, saves } from '../kit/table/change.ts'
import { directory, type Item } from '../kit/table.ts'
import { takeOutcome } from './command.ts'
import { type Reply, type Spoken, second } from './hear.ts'
import { ingest, type Origin, quarantine } from './intake.ts'
import { mayTake } from './pressure.ts'
import { noteRefusedDelivery, pushed } from './refused-delivery.ts'
import type { Sender } from './registration.ts'
import { goOn, isDoubtful, noteAllAsked, noteLostPage, noteOwedPage, pageMark } from './talk.ts'
import { askForUsers } from './user.ts'

// Takes the pages of records that a websocket terminal returns on request.

/**
 * Waits before new attempts to store a page: the terminal never resends it. Together they stay far below the limit of
 * 29 s.
 */
const pageWaitsMilliseconds = [500, 2000]

/** Stores a page with retries. Returns the instants of the new punches; undefined after a failure. */
const keepPage = async (
  origin: Origin,
  records: LogRecord[],
  command: PageCommand,
  now: number,
): Promise<number[] | undefined> => {
  for (let tries = 0; ; tries++) {
    try {
      const { isKept, added } = await ingest(origin, records, command, now)
      if (isKept) return added
    } catch (error) {
      log({ page: 'not stored', sn: origin.sn, fault: String(error) })
    }
    const pause = pageWaitsMilliseconds[tries]
    if (pause === undefined) return undefined
    await wait(pause)
  }
}

/** The employee probably made a newer punch during the full read. */
const justNowMilliseconds = 5 * 60 * second

/** Counts the records that the terminal had held back when it reported an empty queue. */
const countKeptBack = async ({ table, sn }: Origin, added: number[]): Promise<number> => {
  const uploadedAt = added.length > 0 ? (await table.get(deviceKey(sn)))?.uploadedAt : undefined
  return uploadedAt ? added.filter(at => at < Date.parse(uploadedAt) - justNowMilliseconds).length : 0
}

interface Turn {
  sender: Sender
  origin: Spoken
  command: PageCommand
  asked: PendingQuestion
  isOk: boolean
  fields: Fields
  count: number
  /** The number of records that the terminal had held back, over all pages so far. */
  recovered: number
}

/**
 * A late page may answer an earlier request, so the page settles nothing; the server has already stored its records. A
 * reconnect rules out late replies, but a slow terminal must not reconnect for ever.
 */
const takeLatePage = async (
  { id, connection, now }: Sender,
  origin: Spoken,
  question: PendingQuestion,
): Promise<void> => {
  const { table, sn, company, generation, zone } = origin
  if (question.id)
    await takeOutcome(table, { serialNumber: sn, id: question.id, generation }, { result: 'no answer' }, now)
  const device = await noteOwedPage(table, sn, id, zone)
  if (!device || !isAllDue(device, now)) return goOn(company, sn, now, { askedAt: question.at, id, connection })
  await noteAllAsked(table, sn, now)
  await disconnect(id)
}

const askNextPage = async ({ sender, origin, command, asked: question, fields, recovered }: Turn): Promise<void> => {
  const { id, connection, now } = sender
  const begunAt = question.begunAt ?? question.at
  const next = { ...question, at: iso(now), begunAt, lastPage: pageMark(fields), ...(recovered > 0 && { recovered }) }
  let isWaitedFor = false
  const turn = (current: Item<Connection>) => {
    isWaitedFor = current.asked?.at === question.at
    return isWaitedFor ? { ...current, asked: next } : undefined
  }
  await change(directory(), connectionKey(id), turn, undefined, connection)
  // The question expired, or the page arrived twice.
  if (!isWaitedFor) return
  const device = await noteOwedPage(origin.table, origin.sn, id, origin.zone)
  const days = { from: question.from, to: localDay(origin.zone, now) }
  if (device?.connection === id) await push(id, askLog(command, false, days))
}

/**
 * Whether these pages contain every record that may be lost. A manager's request covers chosen days only. A page lost
 * during this request may be one of its earlier pages.
 */
const coversLost = ({ command, asked: question }: Turn, { reconcileFrom, pageLostAt }: Device): boolean =>
  command === 'getnewlog'
    ? pageLostAt === undefined && !question.isOwed && (question.id === undefined || question.isNothingLost === true)
    : reconcileFrom !== undefined &&
      question.from !== undefined &&
      question.from <= reconcileFrom &&
      (pageLostAt ?? '') < (question.begunAt ?? question.at)

const afterLastPage = (turn: Turn, current: Item<Device>, isDone: boolean, isComplete: boolean): Device => {
  const { sender, origin, command, asked: question, recovered } = turn
  const at = iso(sender.now)
  const isEmpty = turn.isOk && turn.count === 0
  const isNew = command === 'getnewlog'
  // An empty `getnewlog` page means that the terminal also delivered the refused pushes.
  const isOver = ({ table }: RefusedDelivery) =>
    isPageCommand(table) ? isComplete : table === pushed && isEmpty && isNew
  const open = current.refusedDeliveries?.filter(delivery => !isOver(delivery)) ?? []
  const hasCovered = coversLost(turn, current)
  return {
    ...current,
    ...(isEmpty && { lastSeenAt: at, isSilent: undefined }),
    ...(isDone && question.isDaily && { reconciledOn: localDay(origin.zone, sender.now) }),
    ...(recovered > 0 && { recovered: { count: recovered, at } }),
    // Only `getnewlog` proves that the terminal has no unsent records.
    ...(isEmpty && isNew && { unsent: 0 }),
    ...(isEmpty && (isNew || hasCovered) && { uploadedAt: at }),
    ...(isComplete && { reconcileFrom: undefined, pageLostAt: undefined }),
    refusedDeliveries: open.length > 0 ? open : undefined,
    ...(isDone && (hasCovered || (!isNew && current.reconcileFrom === undefined)) && { allAsked: undefined }),
  }
}

const endPages = async (turn: Turn): Promise<void> => {
  const { sender, origin, asked: question, isOk, fields, count, recovered } = turn
  const { id, connection, now } = sender
  const { table, sn, company, generation } = origin
  // A repeated page is the end only if it contains every counted record.
  const isDone = isOk && (count === 0 || Number(fields.count ?? 0) <= count)
  const isLast = !connection.steps?.some(step => isPageCommand(step.command))
  const device = await change(table, deviceKey(sn), latest =>
    latest.connection === id
      ? afterLastPage(turn, latest, isDone, isDone && isLast && coversLost(turn, latest))
      : undefined,
  )
  if (recovered > 0) log({ reconciled: sn, company, recovered })
  // The daily round also finds people whom a manager enrolled at the terminal.
  if (isDone && question.isDaily) await saves(askForUsers(table, sn, { id: `users-${localDay(origin.zone, now)}` }))
  const outcome = isDone ? { result: 'ok' as const } : { result: 'refused' as const }
  if (question.id) await takeOutcome(table, { serialNumber: sn, id: question.id, generation }, outcome, now)
  // In these cases another write may have changed the device since this read.
  const current = question.id === undefined && !question.isDaily ? device : undefined
  await goOn(company, sn, now, { askedAt: question.at, id, connection, device: current })
}

/**
 * Stores a page of records and requests the next one, until a page is empty or repeated. The terminal treats a sent
 * page as delivered. After a failed save `reconcileFrom` stays on the device, and the next round requests all records
 * since that day.
 */
export const takePage = async (sender: Sender, origin: Spoken, command: PageCommand, { ok, fields }: Reply) => {
  const { connection, now } = sender
  const { table, sn, company, zone } = origin
  const { asked: question } = connection
  const isRequested = question?.command === command
  const { records } = readLog(fields, localTimeAt(zone, now))
  // Unrequested pages count against the company's limit.
  const mayStore = isRequested || (await mayTake(company, records.length, now))
  const added = mayStore && (await keepPage(origin, records, command, now))
  if (!added) {
    await noteRefusedDelivery(table, sn, { table: command }, 503)
    if (mayStore) await quarantine(origin, { source: command, reason: 'not stored', raw: JSON.stringify(fields) }, now)
    return void (await noteLostPage(table, sn, zone))
  }
  if (!isRequested) return
  if (isDoubtful(connection)) return takeLatePage(sender, origin, question)
  const recovered = (question.recovered ?? 0) + (question.isDaily ? await countKeptBack(origin, added) : 0)
  const turn = { sender, origin, command, asked: question, isOk: ok, fields, count: records.length, recovered }
  const isNext = ok && records.length > 0 && pageMark(fields) !== question.lastPage
  return isNext ? askNextPage(turn) : endPages(turn)
}
