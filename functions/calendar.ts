import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { companyKey } from '../shared/company.ts'
import { employeeKey, hasLeft } from '../shared/employee.ts'
import { localDay } from '../shared/local-day.ts'
import { roles } from '../shared/permissions.ts'
import { calendarPointerKey } from '../shared/personal/calendar.ts'
import { composeCalendar } from './calendar/ics.ts'
import { readEvents } from './calendar/store.ts'
import { addressOf, networkOf } from './kit/address.ts'
import { hashSecret } from './kit/id.ts'
import { faultOf, log } from './kit/log.ts'
import { limit, secondsToWait } from './kit/rate.ts'
import { directory, openTable } from './kit/table.ts'

// `GET /api/calendar.ics?key=…`: the published shifts of one person, for calendar apps. The secret in the address is the
// only proof, and alone decides the company and the person. Answers for unknown and stopped addresses do not differ.

type Result = APIGatewayProxyStructuredResultV2

const answer = (statusCode: number, body: string, headers: Record<string, string> = {}): Result => ({
  statusCode,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body,
})

/** A secret has 43 characters. Other texts need no lookup. */
const secretForm = /^[\w-]{43}$/
const perHour = { address: 60, strangers: 60 }

const unknown = async (network: string): Promise<Result> => {
  await limit({ scope: 'calendar-unknown', key: network, times: perHour.strangers, minutes: 60 })
  return answer(404, 'This calendar does not exist.')
}

const readFeed = async (secret: string, network: string, now: number): Promise<Result> => {
  if (!secretForm.test(secret)) return unknown(network)
  const hash = hashSecret(secret)
  const pointer = await directory().get(calendarPointerKey(hash))
  if (!pointer) return unknown(network)
  await limit({ scope: 'calendar', key: hash, times: perHour.address, minutes: 60 })
  const table = openTable(pointer.company)
  const [company, person] = await Promise.all([table.get(companyKey()), table.get(employeeKey(pointer.employee))])
  const isOver = !company || !person || person.role === roles.none || hasLeft(person, localDay(company.timezone, now))
  if (isOver) return unknown(network)
  const events = await readEvents(table, company, person, now)
  return answer(200, composeCalendar(company.name, events, now), {
    'content-type': 'text/calendar; charset=utf-8',
    'content-disposition': 'inline; filename="shifts.ics"',
  })
}

export const handler = async (event: APIGatewayProxyEventV2): Promise<Result> => {
  const { queryStringParameters, headers, requestContext } = event
  const network = networkOf(addressOf(headers, requestContext.http.sourceIp))
  try {
    return await readFeed(queryStringParameters?.key ?? '', network, Date.now())
  } catch (error) {
    const seconds = secondsToWait(error)
    if (seconds !== undefined) return answer(429, 'Too many requests.', { 'retry-after': String(seconds) })
    log({ calendar: 'failed', requestId: requestContext.requestId, fault: faultOf(error) })
    return answer(500, 'Something went wrong on our side.')
  }
}
