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

// ADMS terminals poll over HTTP, and the answers are lines of text. Every request proves the terminal's identity again.
// Both protocols share the code for records and commands, but the server cannot push to ADMS terminals.

/**
 * The limit of a body. A terminal that was offline for weeks delivers some ten thousand records in one request. Base64
 * adds a third, and Lambda takes 6 MB.
 */
const mostBytes = 4 * 1024 * 1024
/**
 * Above this size, Lambda may kill the function while it stores the records. No other process would note the refusal.
 */
const longBytes = 256 * 1024

const answerPoll = async (visit: Visit, terminal: IdentifiedTerminal): Promise<Result> => {
  const info = visit.query.get('info')
  await see(visit, terminal, info ? { said: readInfo(info) } : {})
  await noteListed(visit, terminal)
  const lines = await handOver(visit, terminal)
  return text(200, lines.join('') || nothingToDo)
}

const answer = async (visit: Visit, terminal: IdentifiedTerminal): Promise<Result> => {
  const { action, method } = visit
  if (action === 'cdata' && method === 'GET') return begin(visit, terminal)
  if (action === 'cdata' || (action === 'fdata' && visit.query.has('table'))) return take(visit, terminal)
  if (action === 'registry') return takeOptions(visit, terminal, composeRegistry(numberOf(visit.sn)))
  if (action === 'getrequest') return answerPoll(visit, terminal)
  if (action === 'devicecmd') return takeReturns(visit, terminal)
  return action ? text(200, nothingToDo) : text(404, '')
}

const hear = async (visit: Visit): Promise<Result> => {
  const { ip, sn, now, bytes } = visit
  const caller = `${ip} ${sn}`
  const isFlood = countMessage(caller, now) > messagesPerSecond.terminal
  // A flood from unknown hardware costs almost nothing. For the terminal itself, the server notes one refused delivery
  // a second.
  if (isFlood && (bytes === 0 || countMessage(`${caller} refused`, now) > 1)) return text(429, '')
  const terminal = await recognise(visit)
  if (!terminal) return isFlood ? text(429, '') : refuse(visit)
  const isTooLarge = bytes > mostBytes
  const delivery = deliveryOf(visit)
  return answerDelivery({ ...terminal, delivery, isLong: bytes > longBytes && !isFlood && !isTooLarge }, async () => {
    if (isFlood || isTooLarge) return text(isFlood ? 429 : 413, '')
    return answer(visit, terminal).catch(error => fail(visit, error))
  })
}

const fail = ({ sn, action }: Visit, error: unknown): Result => {
  log({ iclock: action, sn, fault: error instanceof Error ? error.stack : String(error) })
  return text(500, 'ERROR\n')
}

/**
 * Takes API Gateway's HTTP events. A terminal never takes an error as an acknowledgement: it keeps its records and
 * retries.
 */
export const handler = async (event: Event): Promise<Result> => {
  const { requestId } = event.requestContext
  const visit = readVisit(event)
  if (!('sn' in visit)) return visit
  const { sn, action, now } = visit
  const result = await hear(visit).catch(error => fail(visit, error))
  log({ requestId, iclock: action, sn, ms: Date.now() - now, status: result.statusCode })
  return result
}
