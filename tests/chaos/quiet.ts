import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { canonical } from '../kit/canonical.ts'
import { readItems } from './fleet.ts'

// A stack is quiet when all its events are sent and all its jobs are done.

const countPending = (data: string): number => {
  // A restarted stack locks the database for a moment.
  const jobs = new DatabaseSync(join(data, 'jobs.db'), { readOnly: true, timeout: 5000 })
  try {
    return Number(jobs.prepare('SELECT count(*) AS count FROM message').get()?.count)
  } finally {
    jobs.close()
  }
}

/** The number and a hash of all items of these kinds, independent of their order. */
export const fingerprint = async (endpoint: string, company: string, prefixes: string[]): Promise<string> => {
  const lines: string[] = []
  for (const prefix of prefixes)
    for (const item of await readItems(endpoint, [company], prefix)) lines.push(canonical(item))
  return `${lines.length} ${createHash('sha256').update(lines.sort().join('\n')).digest('hex')}`
}

/** Waits until the stack is quiet, and returns the fingerprint of its items. */
export const becomeQuiet = async (
  options: { data: string; endpoint: () => string; company: string; prefixes: string[] },
  mostSeconds: number,
): Promise<string> => {
  const { data, endpoint, company, prefixes } = options
  const until = performance.now() + mostSeconds * 1000
  let last = ''
  for (let equalCount = 0; equalCount < 2; ) {
    if (performance.now() > until)
      throw new Error(`After ${mostSeconds} s it is not quiet: ${countPending(data)} on their way`)
    await wait(300)
    const current = countPending(data) > 0 ? '' : await fingerprint(endpoint(), company, prefixes)
    equalCount = current !== '' && current === last ? equalCount + 1 : 0
    last = current
  }
  return last
}

/** Queues events for a job of a stopped stack, in the way in which the bus stores accepted events. */
export const handOver = (data: string, job: string, facts: { type: string }[]) => {
  const jobs = new DatabaseSync(join(data, 'jobs.db'))
  try {
    const insert = jobs.prepare('INSERT INTO message (job, body) VALUES (?, ?)')
    jobs.exec('BEGIN')
    for (const fact of facts)
      insert.run(job, JSON.stringify({ version: '0', 'detail-type': fact.type, source: 'attendance', detail: fact }))
    jobs.exec('COMMIT')
  } finally {
    jobs.close()
  }
}
