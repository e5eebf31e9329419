import { messagesPerSecond } from '../shared/connection.ts'
import { composeRegistry, nothingToDo, readInfo } from '../shared/terminal/adms.ts'
import { log } from './kit/log.ts'
import { begin, deliveryOf, see, take, takeOptions } from './terminal/delivery.ts'
import { handOver, noteListed, numberOf, takeReturns } from './terminal/handover.ts'
import { countMessage } from './terminal/pressure.ts'
import { answerDelivery } from './terminal/refused-delivery.ts'
import {
  type Event,
  type IdentifiedTerminal,
  type Result,
  readVisit,
  recognise,
  refuse,
  text,
  type Visit,
} from './terminal/visit.ts'

// Terminals of the PUSH family (ADMS): they come over HTTP, ask, and are answered in lines of text. Every call proves itself anew, by
// the same claim, secret or password as a websocket's registration; records go the same way in, and commands come from the same
// queue. There is nobody to be told anything between two calls.

/** A terminal that was away for weeks delivers some ten thousand records in one call. Base64 adds a third, and Lambda takes 6 MB. */
const mostBytes = 4 * 1024 * 1024
/** A function may end while it stores more than this; without an answer from it, nobody else notes that. */
const longBytes = 256 * 1024

const answerPoll = async (visit: Visit, known: IdentifiedTerminal): Promise<Result> => {
  const info = visit.query.get('info')
  await see(visit, known, info ? { said: readInfo(info) } : {})
  await noteListed(visit, known)
  const lines = await handOver(visit, known)
  return text(200, lines.join('') || nothingToDo)
}

const answer = async (visit: Visit, known: IdentifiedTerminal): Promise<Result> => {
  const { action, method } = visit
  if (action === 'cdata' && method === 'GET') return begin(visit, known)
  if (action === 'cdata' || (action === 'fdata' && visit.query.has('table'))) return take(visit, known)
  if (action === 'registry') return takeOptions(visit, known, composeRegistry(numberOf(visit.sn)))
  if (action === 'getrequest') return answerPoll(visit, known)
  if (action === 'devicecmd') return takeReturns(visit, known)
  return action ? text(200, nothingToDo) : text(404, '')
}

const hear = async (visit: Visit): Promise<Result> => {
  const { ip, sn, now, bytes } = visit
  const caller = `${ip} ${sn}`
  const isFlood = countMessage(caller, now) > messagesPerSecond.terminal
  // A stranger costs next to nothing; of the terminal itself one refused delivery a second is noted.
  if (isFlood && (bytes === 0 || countMessage(`${caller} refused`, now) > 1)) return text(429, '')
  const known = await recognise(visit)
  if (!known) return isFlood ? text(429, '') : refuse(visit)
  const isTooLarge = bytes > mostBytes
  const delivery = deliveryOf(visit)
  return answerDelivery({ ...known, delivery, isLong: bytes > longBytes && !isFlood && !isTooLarge }, async () => {
    if (isFlood || isTooLarge) return text(isFlood ? 429 : 413, '')
    return answer(visit, known).catch(error => fail(visit, error))
  })
}

const fail = ({ sn, action }: Visit, error: unknown): Result => {
  log({ iclock: action, sn, fault: error instanceof Error ? error.stack : String(error) })
  return text(500, 'ERROR\n')
}

/** Takes API Gateway's HTTP events. What fails is no answer a terminal takes for one: it keeps its records and comes again. */
export const handler = async (event: Event): Promise<Result> => {
  const { requestId } = event.requestContext
  const visit = readVisit(event)
  if (!('sn' in visit)) return visit
  const { sn, action, now } = visit
  const result = await hear(visit).catch(error => fail(visit, error))
  log({ requestId, iclock: action, sn, ms: Date.now() - now, status: result.statusCode })
  return result
}
