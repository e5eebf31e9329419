import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { clientOf } from '../../infra/local/stack/database.ts'
import { type Punch, punchKey, punchName } from '../../shared/punch.ts'
import { companyPrefix } from '../../shared/table.ts'
import { client } from '../kit/client.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import { claimTerminals, countPunches, engineOf, type Fleet, readItems, readPunches, startFleet } from './fleet.ts'
import { becomeQuiet } from './quiet.ts'
import { part, type Trial } from './trial.ts'

// Two of 10,000 punches are poison. The first has an impossible time. The server quarantines it and notifies managers,
// its terminal can continue, and other punches are not delayed. The trial plants the second into the table, and the
// calculation of its day throws. Its event becomes a dead letter, and the stack calculates all other days.

/** The numbers of two employees; the terminals use numbers up to a thousand. */
const [healthy, poisoned] = ['7', '1001']

const plantPunch = async (endpoint: string, company: string, punch: Punch) => {
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(endpoint)))
  const { pk, sk } = punchKey(punch)
  const item = { ...punch, pk: companyPrefix(company) + pk, sk, version: 1 }
  await table.send(new PutCommand({ TableName: 'attendance', Item: item }))
  table.destroy()
}

export const run = async ({ seed, size, report }: Trial) => {
  const data = temporaryFolder()
  const stack = await startStack({ data })
  let fleet: Fleet | undefined
  try {
    const { http, owner, serialNumbers } = await claimTerminals(stack.address, { count: 20 })
    for (const workno of [healthy, poisoned]) {
      const person = { first_name: 'Number', last_name: workno, workno, department: owner.department }
      await http.call('employee/add', person, owner)
    }
    // Waits for the end of the calculations for the new employees, because these would read the poison too.
    const days = { data, endpoint: () => engineOf(data), company: owner.company, prefixes: ['DAY#'] }
    await becomeQuiet(days, 60)
    const punchesEach = part(500, size)
    const { address } = stack
    const started = startFleet({ address, data, seed, serialNumbers, punchesEach })
    fleet = started
    const [first] = started.terminals
    const sn = first?.sn ?? ''
    const [day] = new Date(Date.now() - 2 * 86_400_000).toISOString().split('T')
    await plantPunch(engineOf(data), owner.company, {
      ...{ sn, source: 'sendlog', receivedAt: new Date().toISOString(), at: 'never', localTime: `${day}T08:00:00` },
      ...{ zone: 'Asia/Tokyo', number: poisoned, generation: 1 },
    })
    first?.punch([{ enrollid: 7, time: '2026-02-30 25:61:00', mode: 3, inout: 0, event: 0 }])
    while (started.waiting() > 0 && started.now() < 300_000) await wait(50)
    const seconds = started.now() / 1000
    const allPunches = await readPunches(engineOf(data), owner.company)
    const stored = allPunches.filter(({ number }) => number !== poisoned)
    const counts = countPunches(stored, started)
    report('punches stored', counts.stored, 'punches', { atLeast: started.made.size })
    report('lost', counts.lost, 'punches', { atMost: 0 })
    report('until all was acknowledged', seconds, 's', { atMost: 60 })
    const held = await client(address).call('device/quarantine', {}, owner)
    report('shown to the company', held.list.length, 'records', { atLeast: 1, atMost: 1 })
    report('held in quarantine', (await readItems(engineOf(data), [owner.company], 'QUARANTINE')).length, 'records', {
      atLeast: 1,
      atMost: 1,
    })

    const countDeadLetters = () => stack.said().split('DEAD LETTER').length - 1
    const countMissing = async () => {
      const rows = JSON.stringify(await readItems(engineOf(data), [owner.company], 'DAY#'))
      return stored.filter(punch => punch.number === healthy && !rows.includes(punchName(punch))).length
    }
    const countNotices = async () =>
      (await http.call('notice/grid', {}, owner)).list.filter(({ kind }) => kind === 'record.held').length
    const countMails = async () => (await stack.outbox()).filter(({ text }) => text.includes(`/device?sn=${sn}`)).length
    const countAlarms = () => readFileSync(join(data, 'log.jsonl'), 'utf8').split('"alarm":"record held"').length - 1
    const until = Date.now() + 60_000
    while (Date.now() < until && (countDeadLetters() === 0 || (await countMissing()) > 0 || (await countMails()) === 0))
      await wait(500)
    report('of somebody else in no day', await countMissing(), 'punches', { atMost: 0 })
    report('notices to who looks after the terminal', await countNotices(), 'notices', { atLeast: 1, atMost: 1 })
    report('mails to them', await countMails(), 'mails', { atLeast: 1, atMost: 1 })
    report('alarms to who runs the stage', countAlarms(), 'lines', { atLeast: 1, atMost: 1 })
    report('dead letters of what made a job throw', countDeadLetters(), 'letters', { atLeast: 1, atMost: 1 })
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
