import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { HttpResponse } from '@smithy/core/protocols'
import { drawLots } from '../../infra/local/terminal/fault.ts'

// Loaded into a stack before it starts (`--import`). The table then fails sometimes, beneath the client library’s own
// retries, while the file named by `STORAGE_FAULTS` exists.

export interface StorageFaults {
  seed: number
  /** Shares of all calls: throttled calls, and calls that are executed without an answer. */
  throttled: number
  unanswered: number
  /** Only calls that contain this text fail. */
  of?: string
}

const file = process.env.STORAGE_FAULTS ?? ''
let drawLot = () => 1
let [throttled, unanswered] = [0, 0]
let requiredText = ''
const readFaults = () => {
  if (!existsSync(file)) {
    ;[throttled, unanswered] = [0, 0]
    return
  }
  const faults: StorageFaults = JSON.parse(readFileSync(file, 'utf8'))
  if (throttled + unanswered === 0) drawLot = drawLots(faults.seed, 'storage')
  throttled = faults.throttled
  unanswered = faults.unanswered
  requiredText = faults.of ?? ''
}
readFaults()
setInterval(readFaults, 100).unref()
const data =
  /^DynamoDB_\d+\.(Get|Put|Update|Delete|BatchGet|TransactWrite)Items?$|^DynamoDB_\d+\.(Query|BatchExecuteStatement)$/

interface Handler {
  handle(
    request: { headers: Record<string, string>; body?: unknown },
    options?: object,
  ): Promise<{ response: HttpResponse }>
}
const client = new DynamoDBClient({ region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
const prototype: Handler = Object.getPrototypeOf(client.config.requestHandler)
const { handle } = prototype

prototype.handle = async function (this: Handler, request, options) {
  const isAffected = data.test(request.headers['x-amz-target'] ?? '') && String(request.body).includes(requiredText)
  if (!isAffected) return handle.call(this, request, options)
  const lot = drawLot()
  if (lot < throttled) {
    const type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'
    const body = Readable.from([JSON.stringify({ __type: type, message: 'Too many requests' })])
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'throttled' }
    return { response: new HttpResponse({ statusCode: 400, headers, body }) }
  }
  const answer = await handle.call(this, request, options)
  if (lot < throttled + unanswered) {
    // Reads the answer to its end to free the connection.
    answer.response.body.resume()
    throw Object.assign(new Error('The answer did not arrive in time'), { name: 'TimeoutError' })
  }
  return answer
}
