import { job, type Told } from '../functions/kit/job.ts'
import { disconnect, push } from '../functions/kit/push.ts'
import { directory, openTable, save } from '../functions/kit/table.ts'
import { type Browser, browserKey } from '../shared/connection.ts'
import type { Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'
import { sessionKey } from '../shared/session.ts'

// Open browsers are told what to ask for again, never what it says now: the paths decide who may read it.

type RefreshFact = Extract<Fact, { type: (typeof jobs)['refresh']['facts'][number] }>

const stale: Record<RefreshFact['type'], string[]> = {
  'day.changed': ['report/', 'record/', 'dashboard/'],
  'orphan.changed': ['record/'],
  'schedule.changed': ['schedule/', 'shift/'],
  'shift.changed': ['shift/', 'schedule/', 'report/'],
  'employee.changed': ['employee/', 'department/', 'schedule/', 'dashboard/'],
  'department.changed': ['department/'],
  'device.changed': ['device/', 'department/', 'dashboard/'],
  'company.changed': ['company/', 'auth/'],
}

const tell = async (company: string, refresh: string[]) => {
  const table = openTable(company)
  const browsers = await table.all<Browser>({ pk: browserKey('').pk })
  const sessions = await directory().getMany(browsers.map(({ tokenHash }) => sessionKey(tokenHash)))
  await Promise.all(
    browsers.map(async (browser, i) => {
      const session = sessions[i]
      const stands = session !== undefined && !session.endedAt
      if (!stands) await disconnect(browser.connection)
      else if (browser.type === 'user' || (await push(browser.connection, { refresh }))) return
      await save(table.remove(browserKey(browser.connection)))
    }),
  )
}

export const handler = job('refresh', jobs.refresh.facts, async (told: Told<RefreshFact>[]) => {
  const byCompany = Map.groupBy(told, ({ fact }) => fact.company)
  for (const [company, list] of byCompany)
    await tell(company, [...new Set(list.flatMap(({ fact }) => stale[fact.type]))].sort())
  return []
})
