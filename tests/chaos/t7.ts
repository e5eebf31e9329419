import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DayRow } from '../../shared/day.ts'
import { type Stack, startStack, temporaryFolder } from '../kit/stack.ts'
import type { CrashPoint } from './crash.ts'
import { claimTerminals, countPunches, engineOf, type Fleet, readItems, readPunches, startFleet } from './fleet.ts'
import { becomeQuiet } from './quiet.ts'
import type { Trial } from './trial.ts'

// From a punch to the figures of its day the stack does one thing after the other: it stores, answers, tells, calculates, writes rows,
// sums, pushes. It is killed just before each of these and just after, one after the other, until a punch comes all the way without
// coming to the step; each time it is started again, and in the end everything is as if nothing had happened.

const crash = fileURLToPath(new URL('crash.ts', import.meta.url))
const number = 1
/** Far more than there are. */
const mostSteps = 200

export const run = async ({ seed, size, report, say }: Trial) => {
  const data = temporaryFolder()
  const [point, crashed] = [join(data, 'point.json'), join(data, 'crashed.json')]
  const options = { data, nodeArguments: ['--import', crash], environment: { CRASH: data } }
  let stack: Stack = await startStack(options)
  const port = Number(new URL(stack.address).port)
  let fleet: Fleet | undefined
  const came: string[] = []
  try {
    const { owner, serialNumbers } = await claimTerminals(stack.address, { count: 1 })
    const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
    const sending = startFleet({ address: stack.address, data, seed, serialNumbers, punchesEach: 0 })
    fleet = sending
    const [terminal] = sending.terminals
    if (!terminal) throw new Error('There is no terminal')
    const quiet = {
      data,
      endpoint: () => engineOf(data),
      company: owner.company,
      prefixes: ['PUNCH#', 'DAY#', 'SUMMARY'],
    }
    const settle = async () => {
      while (sending.waiting() > 0) await wait(20)
      await becomeQuiet(quiet, 120)
    }
    while (!terminal.isRegistered) await wait(20)
    await settle()

    let minute = 0
    /** One punch while the stack ends at a step; whether it came to the step. */
    const tryPoint = async (at: Omit<CrashPoint, 'name'>): Promise<boolean> => {
      rmSync(crashed, { force: true })
      const running = stack
      say?.(`${at.side} step ${at.step}`)
      // Read while it is written it would be half a file.
      writeFileSync(`${point}.new`, JSON.stringify({ ...at, name: `${at.side} ${at.step}` }))
      renameSync(`${point}.new`, point)
      const clock = `${String(1 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute++ % 60).padStart(2, '0')}:00`
      sending.punch(terminal, [{ enrollid: number, time: `${day} ${clock}`, mode: 3, inout: 0, event: 0 }])
      let isDone = false
      const isOver = () => {
        isDone = true
      }
      // Where it ends meanwhile this fails, as it must.
      settle().then(isOver, () => undefined)
      while (!isDone && !existsSync(crashed)) await wait(20)
      rmSync(point, { force: true })
      if (!existsSync(crashed)) return false
      await running.kill9()
      came.push(JSON.parse(readFileSync(crashed, 'utf8')))
      stack = await startStack({ ...options, port })
      await settle()
      return true
    }
    // In small, every other step.
    const stride = size < 1 ? 2 : 1
    for (const side of ['before', 'after'] as const)
      for (let step = 1; step <= mostSteps; step += stride) if (!(await tryPoint({ step, side }))) break

    await settle()
    const stored = await readPunches(engineOf(data), owner.company)
    const found = countPunches(stored, sending)
    const rows = (await readItems(engineOf(data), [owner.company], 'DAY#')) as unknown as DayRow[]
    const row = rows.find(row => row.day === day && row.employee === owner.owner)
    const named = JSON.stringify(row ?? '')
    report('kills', came.length, 'kills', { atLeast: 5, elseVoid: true })
    for (const [what, times] of Map.groupBy(came, what => what)) report(`killed ${what}`, times.length, 'times')
    report('lost', found.lost, 'punches', { atMost: 0 })
    report('there twice', found.doubled, 'punches', { atMost: 0 })
    const missing = stored.filter(({ localTime }) => !named.includes(localTime))
    report('punches the day does not know', missing.length, 'punches', { atMost: 0 })
    report('dead letters', stack.said().split('DEAD LETTER').length - 1, 'letters', { atMost: 0 })
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
