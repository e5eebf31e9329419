import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { HttpResponse } from '@smithy/core/protocols'
import { drawLots } from '../../infra/local/terminal/fault.ts'

// Loaded into a stack before it starts (`--import`): its table then fails now and then, beneath the client library's own retries,
// as long as the file that `STORAGE_FAULTS` names says so.

export interface StorageFaults {
  seed: number
  /** Parts of all calls: those that are refused for being too many, and those that are carried out without an answer. */
  throttled: number
  unanswered: number
  /** Only calls that name this fail. */
  of?: string
}

const file = process.env.STORAGE_FAULTS ?? ''
let lot = () => 1
let [throttled, unanswered] = [0, 0]
let named = ''
const look = () => {
  if (!existsSync(file)) {
    ;[throttled, unanswered] = [0, 0]
    return
  }
  const faults: StorageFaults = JSON.parse(readFileSync(file, 'utf8'))
  if (throttled + unanswered === 0) lot = drawLots(faults.seed, 'storage')
  throttled = faults.throttled
  unanswered = faults.unanswered
  named = faults.of ?? ''
}
look()
setInterval(look, 100).unref()
const data =
  /^DynamoDB_\d+\.(Get|Put|Update|Delete|BatchGet|TransactWrite)Items?$|^DynamoDB_\d+\.(Query|BatchExecuteStatement)$/

interface Handler {
  handle(
    request: { headers: Record<string, string>; body?: unknown },
    options?: object,
  ): Promise<{ response: HttpResponse }>
}
const used = new DynamoDBClient({ region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
const prototype: Handler = Object.getPrototypeOf(used.config.requestHandler)
const { handle } = prototype

prototype.handle = async function (this: Handler, request, options) {
  const isMeant = data.test(request.headers['x-amz-target'] ?? '') && String(request.body).includes(named)
  if (!isMeant) return handle.call(this, request, options)
  const drawn = lot()
  if (drawn < throttled) {
    const type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'
    const body = Readable.from([JSON.stringify({ __type: type, message: 'Too many requests' })])
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'throttled' }
    return { response: new HttpResponse({ statusCode: 400, headers, body }) }
  }
  const answer = await handle.call(this, request, options)
  if (drawn < throttled + unanswered) {
    // Nobody reads it, and its connection is free again.
    answer.response.body.resume()
    throw Object.assign(new Error('The answer did not arrive in time'), { name: 'TimeoutError' })
  }
  return answer
}
