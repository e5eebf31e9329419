import type { PathOutput } from '../../shared/api.ts'
import { mostCounted } from '../../shared/approve.ts'
import type { Company } from '../../shared/company.ts'
import { type AttentionKind, attentionKinds, mostAttention } from '../../shared/dashboard.ts'
import { deviceKey } from '../../shared/device/key.ts'
import { isOnline } from '../../shared/device/warning.ts'
import type { Device } from '../../shared/device.ts'
import { employeeKey, type RareMember, rareMemberPk } from '../../shared/employee.ts'
import { exceptionPk, type RaisedException } from '../../shared/exception.ts'
import { heldMinutes } from '../../shared/exception-limit.ts'
import { addDays, laterDay, localDay } from '../../shared/local-day.ts'
import type { Permission } from '../../shared/permissions.ts'
import { type Orphan, orphanKey } from '../../shared/record/orphan.ts'
import { readWaiting } from '../approve/waiting.ts'
import { readCompany } from '../company/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { readList } from '../kit/table/list.ts'
import { seesOrphans } from '../record/orphan.ts'

// The matters that wait for a caller. Each reads few rows and stops at a limit.

type Matter = PathOutput<'dashboard/attention'>['list'][number]
type Found = Omit<Matter, 'kind' | 'count'> & { count: number }

/** The permission that opens the page of each matter. */
const permissionOf = { requests: 10, exceptions: 8, devices: 2, orphans: 9, waiting: 3 } as const satisfies Record<
  AttentionKind,
  Permission
>

/** The page of exceptions shows at most a year. */
const mostDaysBack = 365

const readRequests = async (caller: Caller): Promise<Found> => {
  const list = await readWaiting(caller)
  const since = list.map(({ createdAt }) => createdAt).sort()[0]
  return { count: list.length, ...(since && { since }), ...(list.length === mostCounted && { isMore: true }) }
}

/** Nobody can correct a locked day, so its exceptions wait for nobody. */
const readExceptions = async (caller: Caller, { timezone, lockedTo }: Company): Promise<Found> => {
  const first = addDays(localDay(timezone, Date.now()), -mostDaysBack)
  const { list, next } = await readList<RaisedException>(caller.table, {
    ranges: [
      {
        ...{ pk: exceptionPk('open'), reverse: true },
        from: lockedTo === undefined ? first : laterDay(first, addDays(lockedTo, 1)),
      },
    ],
    ...{ name: 'dashboard attention', size: mostAttention },
    keep: ({ department }) => manages(caller, department),
  })
  const from = list.at(-1)?.day
  const minutes = list.reduce((sum, exception) => sum + heldMinutes(exception), 0)
  return { count: list.length, minutes, ...(from && { from }), ...(next && { isMore: true }) }
}

const readOffline = async (caller: Caller): Promise<Found> => {
  const devices = await caller.table.all<Device>({ pk: deviceKey('').pk, where: [['state', '=', 'bound']] })
  const offline = devices.filter(
    device => manages(caller, device.department) && !isOnline(device, Date.now()) && device.lastSeenAt !== undefined,
  )
  const [only, ...others] = offline
  if (!only || others.length > 0) return { count: offline.length }
  const { name, serialNumber: sn, lastSeenAt: since } = only
  return { count: 1, ...{ name, sn }, ...(since && { since }) }
}

const readOrphans = async (caller: Caller): Promise<Found> => {
  if (!seesOrphans(caller)) return { count: 0 }
  const orphans = await caller.table.all<Orphan>({ pk: orphanKey('').pk, only: ['workno'] })
  const [only] = orphans
  return { count: orphans.length, ...(only && orphans.length === 1 && { name: only.workno }) }
}

/** Those who joined with the company's invitation and have no role yet. Disabled people have none either. */
const readNewMembers = async (caller: Caller, { timezone }: Company): Promise<Found> => {
  const { table } = caller
  const members = await table.all<RareMember>({
    pk: rareMemberPk('waiting'),
    where: [['endDay', 'not below', localDay(timezone, Date.now())]],
    only: ['employee', 'departments'],
  })
  const mine = members.filter(({ departments }) => departments.some(department => manages(caller, department)))
  const people = await table.getMany(mine.slice(0, mostAttention).map(({ employee }) => employeeKey(employee)))
  return { count: people.filter(person => person?.isWaiting).length }
}

const readers: Record<AttentionKind, (caller: Caller, company: Company) => Promise<Found>> = {
  requests: readRequests,
  exceptions: readExceptions,
  devices: readOffline,
  orphans: readOrphans,
  waiting: readNewMembers,
}

/** The matters that wait for the caller, without those whose page the caller cannot open. */
export const readAttention = async (caller: Caller): Promise<Matter[]> => {
  const company = await readCompany(caller)
  const kinds = attentionKinds.filter(kind => caller.permissions.has(permissionOf[kind]))
  const found = await Promise.all(kinds.map(kind => readers[kind](caller, company)))
  return kinds.flatMap((kind, i) => {
    const matter = found[i]
    if (!matter || matter.count === 0) return []
    const isMore = matter.isMore ?? matter.count > mostAttention
    return { ...matter, kind, count: Math.min(matter.count, mostAttention), ...(isMore && { isMore: true as const }) }
  })
}
