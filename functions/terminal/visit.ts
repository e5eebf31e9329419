import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { companyKey } from '../../shared/company.ts'
import { type Claim, claimHours, serialNumberKey } from '../../shared/device/claim.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { iso } from '../../shared/local-day.ts'
import { type Action, readAddress, type TerminalReport } from '../../shared/terminal/adms.ts'
import { readSerialNumber } from '../../shared/terminal/ai-face.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { addressOf } from '../kit/address.ts'
import { hashSecret } from '../kit/id.ts'
import { bodyOf } from '../kit/lambda/body.ts'
import { directory, type Item, openTable, type Table } from '../kit/table.ts'
import { awaitApproval } from './approval.ts'
import { isRefusedTooOften, noteRefusal, type Proof, refusalOf, wrongPath } from './proof.ts'

// Reads one request of an ADMS terminal and identifies the terminal.

export type Event = APIGatewayProxyEventV2

export type Result = APIGatewayProxyStructuredResultV2

export const second = 1000
export const hour = 3600 * second
/** All ADMS terminals share one profile. */
export const profile = 'adms'

export const text = (statusCode: number, body: string): Result => ({
  statusCode,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body,
})

/**
 * Answers every refusal alike, so that the answer reveals nothing about a serial number. The terminal keeps its
 * records.
 */
export const refuse = async ({ sn, ip }: Pick<Visit, 'sn' | 'ip'>): Promise<Result> =>
  (await isRefusedTooOften(sn, ip)) ? text(429, '') : text(403, 'UNKNOWN DEVICE\n')

export interface Visit {
  method: string
  action: Action | undefined
  query: Map<string, string>
  body: string
  /** The size of the whole body, even if the gateway cut it. */
  bytes: number
  sn: string
  /** The serial number as the terminal wrote it. */
  name: string
  ip: string
  proof: Proof
  now: number
}

export interface IdentifiedTerminal {
  table: Table
  company: string
  claim: Item<Claim>
  device: Item<Device>
  /** The zone that the terminal's clock should show, and the zone that it still shows. */
  zone: string
  clockZone: string
  localNow: string
}

export const noteOther = (
  table: Table,
  { sn, ip, now }: Visit,
  { mac, model, firmware }: Partial<TerminalReport> = {},
) => awaitApproval(table, sn, { at: iso(now), ip, protocol: 'adms', mac, model, firmware })

/**
 * Whether denied hardware sent this request. Denied hardware shares the bound terminal's serial number, so only the
 * address differs.
 */
const isDeniedAt = ({ denied, ip }: Device, visit: Visit) =>
  denied !== undefined &&
  visit.now - Date.parse(denied.at) < claimHours * hour &&
  visit.ip === denied.ip &&
  visit.ip !== ip

export const recognise = async (visit: Visit): Promise<IdentifiedTerminal | undefined> => {
  const { sn, proof, now } = visit
  const claim = await directory().get(serialNumberKey(sn))
  if (!claim) return undefined
  const table = openTable(claim.company)
  const [device, company] = await Promise.all([table.get(deviceKey(sn)), table.get(companyKey())])
  if (!device || !company) return undefined
  const isUnseen = device.state === 'claimed' && (device.protocol ?? 'adms') !== 'adms'
  const refusal =
    (await refusalOf(device, company, proof, now)) ??
    (isUnseen && device.authentication === 'claim' ? wrongPath : undefined)
  if (refusal) {
    await noteRefusal(table, device, { ...refusal, path: proof.path }, { ip: visit.ip, protocol: 'adms' }, now)
    return undefined
  }
  if (device.state === 'claimed') {
    if (now - Date.parse(device.claimedAt) > claimHours * hour) return undefined
  } else if (device.protocol !== 'adms') {
    await noteOther(table, visit)
    return undefined
  } else if (device.state === 'needs approval') {
    // A request does not show which of two terminals with one serial number sent it, so both wait.
    return undefined
  } else if (isDeniedAt(device, visit)) return undefined
  const zone = device.timezone ?? company.timezone
  const clockZone = device.state === 'claimed' ? zone : (device.clockZone ?? zone)
  return { table, company: claim.company, claim, device, zone, clockZone, localNow: localTimeAt(clockZone, now) }
}

export const readVisit = (event: Event): Visit | Result => {
  const { rawPath, rawQueryString, headers, requestContext } = event
  const { method, sourceIp } = requestContext.http
  const ip = addressOf(headers, sourceIp)
  const address = readAddress(rawPath)
  const isSupported = method === 'POST' || (method === 'GET' && address?.action !== undefined)
  if (!address || !isSupported) return text(404, '')
  const body = bodyOf(event)
  const bytes = Math.max(body.length, Number(headers['content-length']) || 0)
  const query = new Map([...new URLSearchParams(rawQueryString)].map(([name, value]) => [name.toLowerCase(), value]))
  const name = query.get('sn') ?? ''
  const sn = readSerialNumber(name)
  if (sn === undefined) return text(400, '')
  const secret = address.pathSecret ?? query.get('k')
  return {
    ...{ method, action: address.action, query, body: body.toString(), bytes, sn, name },
    ip,
    proof: {
      ip,
      path: {
        companyNumber: address.companyNumber ?? query.get('c'),
        pathSecretHash: secret === undefined ? undefined : hashSecret(secret),
      },
      said: { companyNumber: query.get('company_num'), password: query.get('comm_pwd') },
    },
    now: Date.now(),
  }
}
