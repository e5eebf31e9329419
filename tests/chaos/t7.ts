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

// For each punch, the stack stores, acknowledges, sends events, calculates, writes rows, sums and pushes. The trial
// kills the stack just before and just after each step, until a punch passes without reaching the step. The stack
// restarts after each kill, and at the end the data must be complete.

const crash = fileURLToPath(new URL('crash.ts', import.meta.url))
const number = 1
/** The limit of tried steps, far above their number. */
const mostSteps = 200

export const run = async ({ seed, size, report, say }: Trial) => {
  const data = temporaryFolder()
  const [point, crashed] = [join(data, 'point.json'), join(data, 'crashed.json')]
  const options = { data, nodeArguments: ['--import', crash], environment: { CRASH: data } }
  let stack: Stack = await startStack(options)
  const port = Number(new URL(stack.address).port)
  let fleet: Fleet | undefined
  const crashes: string[] = []
  try {
    const { owner, serialNumbers } = await claimTerminals(stack.address, { count: 1 })
    const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
    const started = startFleet({ address: stack.address, data, seed, serialNumbers, punchesEach: 0 })
    fleet = started
    const [terminal] = started.terminals
    if (!terminal) throw new Error('There is no terminal')
    const quiet = {
      data,
      endpoint: () => engineOf(data),
      company: owner.company,
      prefixes: ['PUNCH#', 'DAY#', 'SUMMARY'],
    }
    const settle = async () => {
      while (started.waiting() > 0) await wait(20)
      await becomeQuiet(quiet, 120)
    }
    while (!terminal.isRegistered) await wait(20)
    await settle()

    let minute = 0
    /** Sends a punch while the stack must crash at a step. Returns whether the stack reached the step. */
    const tryPoint = async (crashPoint: Omit<CrashPoint, 'name'>): Promise<boolean> => {
      rmSync(crashed, { force: true })
      const running = stack
      say?.(`${crashPoint.side} step ${crashPoint.step}`)
      // The rename is atomic, so the stack never reads half a file.
      writeFileSync(`${point}.new`, JSON.stringify({ ...crashPoint, name: `${crashPoint.side} ${crashPoint.step}` }))
      renameSync(`${point}.new`, point)
      const time = `${String(1 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute++ % 60).padStart(2, '0')}:00`
      started.punch(terminal, [{ enrollid: number, time: `${day} ${time}`, mode: 3, inout: 0, event: 0 }])
      let isDone = false
      const isOver = () => {
        isDone = true
      }
      // If the stack crashes meanwhile, `settle` rejects as expected.
      settle().then(isOver, () => undefined)
      while (!isDone && !existsSync(crashed)) await wait(20)
      rmSync(point, { force: true })
      if (!existsSync(crashed)) return false
      await running.kill9()
      crashes.push(JSON.parse(readFileSync(crashed, 'utf8')))
      stack = await startStack({ ...options, port })
      await settle()
      return true
    }
    // In small, the trial tries every other step.
    const stride = size < 1 ? 2 : 1
    for (const side of ['before', 'after'] as const)
      for (let step = 1; step <= mostSteps; step += stride) if (!(await tryPoint({ step, side }))) break

    await settle()
    const stored = await readPunches(engineOf(data), owner.company)
    const counts = countPunches(stored, started)
    const rows = (await readItems(engineOf(data), [owner.company], 'DAY#')) as unknown as DayRow[]
    const row = rows.find(row => row.day === day && row.employee === owner.owner)
    const rowText = JSON.stringify(row ?? '')
    report('kills', crashes.length, 'kills', { atLeast: 5, elseVoid: true })
    for (const [label, times] of Map.groupBy(crashes, label => label)) report(`killed ${label}`, times.length, 'times')
    report('lost', counts.lost, 'punches', { atMost: 0 })
    report('there twice', counts.doubled, 'punches', { atMost: 0 })
    const missing = stored.filter(({ localTime }) => !rowText.includes(localTime))
    report('punches the day does not know', missing.length, 'punches', { atMost: 0 })
    report('dead letters', stack.said().split('DEAD LETTER').length - 1, 'letters', { atMost: 0 })
  } finally {
    await fleet?.close()
    await stack.stop()
    rmSync(data, { recursive: true, force: true })
  }
}
