import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { canonical } from '../kit/canonical.ts'
import { readItems } from './fleet.ts'

// A stack is quiet when nothing is on its way any more: what was written has been told, what was told has been done.

const onTheirWay = (data: string): number => {
  // A stack that was killed and has just begun again has it to itself for a moment.
  const jobs = new DatabaseSync(join(data, 'jobs.db'), { readOnly: true, timeout: 5000 })
  try {
    return Number(jobs.prepare('SELECT count(*) AS count FROM message').get()?.count)
  } finally {
    jobs.close()
  }
}

/** A short name of all items of these kinds: the same for the same bytes, in whatever order they were written. */
export const fingerprint = async (endpoint: string, company: string, prefixes: string[]): Promise<string> => {
  const lines: string[] = []
  for (const prefix of prefixes)
    for (const item of await readItems(endpoint, [company], prefix)) lines.push(canonical(item))
  return `${lines.length} ${createHash('sha256').update(lines.sort().join('\n')).digest('hex')}`
}

/** Waits until all is done; answers the fingerprint of what then lies there. */
export const becomeQuiet = async (
  options: { data: string; endpoint: () => string; company: string; prefixes: string[] },
  mostSeconds: number,
): Promise<string> => {
  const { data, endpoint, company, prefixes } = options
  const until = performance.now() + mostSeconds * 1000
  let last = ''
  for (let alike = 0; alike < 2; ) {
    if (performance.now() > until)
      throw new Error(`After ${mostSeconds} s it is not quiet: ${onTheirWay(data)} on their way`)
    await wait(300)
    const now = onTheirWay(data) > 0 ? '' : await fingerprint(endpoint(), company, prefixes)
    alike = now !== '' && now === last ? alike + 1 : 0
    last = now
  }
  return last
}

/** Puts facts in front of a job of a stack that does not run, as the bus keeps what it has accepted. */
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
