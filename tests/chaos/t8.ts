import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type Punch, punchFacts } from '../../shared/punch.ts'
import { startStack, temporaryFolder } from '../kit/stack.ts'
import {
  claimTerminals,
  countPunches,
  engineOf,
  type Fleet,
  readPunches,
  type StoredPunch,
  startFleet,
} from './fleet.ts'
import { becomeQuiet, handOver } from './quiet.ts'
import { part, type Trial } from './trial.ts'

// Repeats every fact. Each stored punch goes to the calculation twice more, in reverse order, and each terminal
// delivers its whole log again. Punches and days must stay equal byte for byte.

const employees = 20

export const run = async ({ seed, size, report }: Trial) => {
  const data = temporaryFolder()
  let stack = await startStack({ data })
  let fleet: Fleet | undefined
  try {
    const { address } = stack
    const { http, owner, serialNumbers } = await claimTerminals(address, { count: part(50, size) })
    const { department, company } = owner
    for (let workno = 2; workno <= employees; workno++)
      await http.call(
        'employee/add',
        { first_name: 'Per', last_name: 'Son', workno: String(workno), department },
        owner,
      )
    // With few employees, each employee has many punches per day.
    const started = startFleet({
      address,
      data,
      seed,
      serialNumbers,
      punchesEach: part(200, size),
      people: 2 * employees,
    })
    fleet = started
    const quiet = { data, endpoint: () => engineOf(data), company, prefixes: ['PUNCH#', 'DAY#'] }
    while (started.waiting() > 0 && started.now() < 300_000) await wait(50)
    const before = await becomeQuiet(quiet, 300)
    const stored = await readPunches(engineOf(data), company)
    report('punches stored', stored.length, 'punches', { atLeast: started.made.size })
    report('lost', countPunches(stored, started).lost, 'punches', { atMost: 0 })

    await stack.stop()
    const facts = stored.flatMap((punch: StoredPunch) =>
      punchFacts({ company, at: '', new: punch as unknown as Punch }),
    )
    handOver(data, 'recalculate', [...facts.toReversed(), ...facts])
    stack = await startStack({ data, port: Number(new URL(address).port) })
    while (started.terminals.some(({ isRegistered }) => !isRegistered)) await wait(50)
    started.commanded.clear()
    const from = new Date(Date.now() - 4 * 86_400_000).toISOString().slice(0, 10)
    for (const serialNumber of serialNumbers) await http.call('device/reconcile', { serialNumber, from }, owner)
    const countAsked = () => serialNumbers.filter(sn => started.commanded.get(sn)?.has('getalllog')).length
    while (countAsked() < serialNumbers.length && started.now() < 600_000) await wait(100)
    report('terminals that gave all their log', countAsked(), 'terminals', { atLeast: serialNumbers.length })
    const after = await becomeQuiet(quiet, 300)
    report('facts told again', 2 * facts.length, 'facts', { atLeast: 1 })
    report('punches and days that differ by a byte', before === after ? 0 : 1, 'sets', { atMost: 0 })
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
