import { tryEach } from '../functions/kit/each.ts'
import { job, type Told, tryCompanies } from '../functions/kit/job.ts'
import { log } from '../functions/kit/log.ts'
import { disconnect, polls, push } from '../functions/kit/push.ts'
import { counts } from '../functions/kit/session.ts'
import { change } from '../functions/kit/table/change.ts'
import { directory, openTable, save } from '../functions/kit/table.ts'
import { companyKey } from '../shared/company.ts'
import { type Browser, browserKey } from '../shared/connection.ts'
import { openTerminalKey } from '../shared/device/claim.ts'
import { deviceKey } from '../shared/device/key.ts'
import type { Device } from '../shared/device.ts'
import { employeeKey } from '../shared/employee.ts'
import type { Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { type Side, sessionKey } from '../shared/session.ts'

// Tells open browsers which paths to read again, never the data itself, because the paths check the reader's rights.
// Disconnects terminals whose clock changed, so that they fetch the new time.

const disconnectsAtOnce = 16

type RefreshFact = Extract<Fact, { type: (typeof jobs)['refresh']['facts'][number] }>

const stale: Record<RefreshFact['type'], string[]> = {
  'day.changed': ['report/', 'record/', 'temperature/', 'exception/', 'device/log', 'employee/get'],
  'correction.changed': ['report/', 'record/'],
  'dayNote.changed': ['report/day'],
  'summary.changed': ['dashboard/', 'report/department'],
  'exception.changed': ['exception/', 'dashboard/attention'],
  'notice.changed': ['notice/'],
  'orphan.changed': ['record/', 'device/log', 'dashboard/attention'],
  'request.changed': ['approve/', 'leave/', 'schedule/', 'dashboard/now', 'dashboard/attention', 'employee/get'],
  'delegation.changed': ['approve/', 'dashboard/attention'],
  'schedule.changed': ['schedule/', 'shift/', 'leave/'],
  'schedule.planned': ['schedule/', 'shift/', 'leave/'],
  'schedule.drafted': ['schedule/'],
  'shift.changed': ['shift/', 'schedule/', 'report/', 'leave/'],
  'employee.changed': ['employee/', 'department/', 'schedule/', 'dashboard/', 'leave/'],
  'department.changed': ['department/'],
  'holiday.changed': ['holiday/', 'leave/'],
  'leave.changed': ['leave/', 'approve/'],
  'device.changed': ['device/', 'department/', 'dashboard/'],
  'command.queued': ['device/command'],
  'command.changed': ['device/command'],
  'command.settled': ['device/command'],
  'deviceUser.changed': ['device/user/'],
  'company.changed': ['company/', 'auth/', 'approve/', 'attparams/', 'report/', 'leave/', 'schedule/draft'],
  'zone.changed': ['schedule/', 'report/', 'record/', 'temperature/', 'dashboard/', 'device/'],
  'task.changed': ['task/'],
  'webhook.changed': ['webhooks/endpoint', 'webhooks/log'],
  'apiKey.changed': ['apikey/'],
  'record.held': ['device/quarantine'],
}

/** The employee side only shows the person's own days, past and planned. */
const staleOfOwn: Partial<typeof stale> = {
  'notice.changed': ['notice/'],
  'day.changed': ['personal/'],
  'correction.changed': ['personal/'],
  'dayNote.changed': ['personal/'],
  'request.changed': ['personal/'],
  'schedule.changed': ['personal/'],
  'schedule.planned': ['personal/'],
  'shift.changed': ['personal/'],
  'holiday.changed': ['personal/'],
  'leave.changed': ['personal/'],
  'company.changed': ['auth/', 'personal/'],
  'zone.changed': ['personal/'],
}

/**
 * Whether an event concerns a browser. Tasks, notifications and all events of the employee side concern one person. All
 * other events concern the whole company.
 */
const isFor = (fact: RefreshFact, type: Side, employee: string) =>
  !('employee' in fact) ||
  (type === 'management' && fact.type !== 'task.changed' && fact.type !== 'notice.changed') ||
  fact.employee === employee

/** The paths that a browser must read again. */
const staleFor = (facts: RefreshFact[], type: Side, employee: string): string[] => {
  const prefixes: Partial<typeof stale> = type === 'user' ? staleOfOwn : stale
  const mine = facts.filter(fact => isFor(fact, type, employee))
  return [...new Set(mine.flatMap(fact => prefixes[fact.type] ?? []))].sort()
}

const tell = async (company: string, facts: RefreshFact[]) => {
  const table = openTable(company)
  const browsers = await table.all<Browser>({ pk: browserKey('').pk })
  const sessions = await directory().getMany(browsers.map(({ tokenHash }) => sessionKey(tokenHash)))
  const holders = await table.getMany(sessions.map(session => employeeKey(session?.employee ?? '-')))
  await Promise.all(
    browsers.map(async ({ connection, type }, i) => {
      const session = sessions[i]
      try {
        if (!counts(session, holders[i])) await disconnect(connection)
        else {
          const refresh = staleFor(facts, type, session.employee)
          if (refresh.length === 0 || (await push(connection, { refresh }))) return
        }
        await save(table.remove(browserKey(connection)))
      } catch (error) {
        // Skip an unreachable browser, because a retry would notify all other browsers again. The browser reads
        // everything at its next start.
        log({ job: 'refresh', socket: connection, fault: String(error) })
      }
    }),
  )
}

/**
 * Disconnects terminals on company time, so that they reconnect and get the new time. Until then the server reads their
 * records with the old clock, including the measured drift.
 */
const reconnectTerminals = async (company: string) => {
  const table = openTable(company)
  const [settings, devices] = await Promise.all([
    table.get(companyKey()),
    table.all<Device>({ pk: deviceKey('').pk, only: ['serialNumber', 'timezone', 'connection'] }),
  ])
  const theirs = devices.filter(({ timezone }) => !timezone)
  const open = await directory().getMany(theirs.map(({ serialNumber }) => openTerminalKey(serialNumber)))
  const outdated = theirs.filter((_, i) => open[i]?.zone !== settings?.timezone)
  const reconnect = async ({ serialNumber, connection }: Device) => {
    await change(table, deviceKey(serialNumber), device => {
      // An ADMS terminal marked as offline gets the time at its next poll.
      const isPolling = device.connection === polls
      if (device.timezone || (device.driftSeconds === undefined && !isPolling)) return undefined
      return { ...device, driftSeconds: undefined, ...(isPolling && { connection: undefined }) }
    })
    if (connection && connection !== polls) await disconnect(connection)
  }
  const nameOf = ({ serialNumber }: Device) => ({ company, sn: serialNumber })
  const failed = await tryEach({ job: 'refresh', atOnce: disconnectsAtOnce, nameOf }, outdated, reconnect)
  if (failed.length > 0) throw new Error(`${failed.length} terminals were not disconnected`)
}

export const handler = job('refresh', jobs.refresh.facts, async (told: Told<RefreshFact>[]) => [
  ...(await tryCompanies('refresh', told, (company, list) =>
    tell(
      company,
      list.map(({ fact }) => fact),
    ),
  )),
  ...(await tryCompanies(
    'refresh',
    told.filter(({ fact }) => fact.type === 'zone.changed'),
    reconnectTerminals,
  )),
])
