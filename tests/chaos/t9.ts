import fc from 'fast-check'
import type { Punch } from '../../shared/punch.ts'
import type { LogRecord } from '../../shared/terminal/ai-face.ts'
import { canonical } from '../canonical.ts'
import { openWorld } from '../world.ts'
import { part, type Trial } from './trial.ts'

// Histories nobody thought of: a terminal's records cut into frames in any way, sent twice, in the opposite order, by two sockets
// at once, around the days a clock changes and after somebody set it back. Whatever came in between, each record is there once,
// at an instant at which the clock of its zone showed its time, and sending all of it again changes nothing.

const zones = ['Europe/Athens', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Tokyo']
/** Around the days on which one of these clocks changed, both ways. */
const days = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-10-04',
  '2026-10-25',
  '2026-11-01',
  '2018-02-18',
  '2018-11-04',
]
const numbers = 3

const at = fc.record({
  number: fc.integer({ min: 1, max: numbers }),
  second: fc.integer({ min: 0, max: 2 * 86_400 - 1 }),
})
const history = fc.record({
  zone: fc.constantFrom(...zones),
  day: fc.constantFrom(...days),
  records: fc.array(at, { minLength: 1, maxLength: 12 }),
  /** Each frame names the records it carries; what no frame carries is sent in the end, as a terminal does. */
  frames: fc.array(
    fc.record({
      carries: fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 8 }),
      isTwice: fc.boolean(),
      /** Sent by two sockets at the same time as the frame before. */
      isBeside: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  /** As soon as it happened, or long after. */
  isLive: fc.boolean(),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

const clockAfter = (day: string, second: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000 + second * 1000).toISOString().slice(0, 19)

const formats = new Map<string, Intl.DateTimeFormat>()
/** What a wall clock of the zone showed, by another way than the product's. */
const shown = (zone: string, instant: string) => {
  const known = formats.get(zone)
  const format = known ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  if (!known) formats.set(zone, format)
  return format.format(new Date(instant)).replace(' ', 'T')
}
/** A time the clock skipped is shown later by the gap, which was never longer than an hour. */
const isShown = ({ zone, at, localTime }: Punch) => {
  const difference = Date.parse(`${shown(zone, at)}Z`) - Date.parse(`${localTime}Z`)
  return difference === 0 || difference === 30 * 60_000 || difference === 60 * 60_000
}

export const run = async ({ seed, size, report, say }: Trial) => {
  const world = await openWorld()
  const before = { ...process.env }
  Object.assign(process.env, world.environment)
  const { openTable } = await import('../../functions/kit/table.ts')
  const { ingest } = await import('../../functions/kit/ingest.ts')
  const print = console.log
  let histories = 0
  let sent = 0
  let companies = 0
  const violations: string[] = []

  const readAll = async (table: ReturnType<typeof openTable>) => {
    const lists = Array.from({ length: numbers }, (_, i) => table.all<Punch>({ pk: `PUNCH#${i + 1}` }))
    return (await Promise.all(lists)).flat()
  }

  const live = async ({ zone, day, records, frames, isLive }: History) => {
    const table = openTable(`t9-${seed}-${companies++}`)
    const origin = { table, sn: 'HISTORY', zone, generation: 1 }
    const all = records.map(({ number, second }) => ({ number: `${number}`, localTime: clockAfter(day, second) }))
    const received = isLive ? Date.parse(`${day}T12:00:00Z`) : Date.parse('2027-01-01T00:00:00Z')
    const send = async (list: typeof all) => {
      sent += list.length
      const { isKept } = await ingest(
        origin,
        list.map((record): LogRecord => ({ kind: 'punch', ...record })),
        'sendlog',
        received,
      )
      if (!isKept) throw new Error('not kept')
    }
    let beside: Promise<void>[] = []
    for (const { carries, isTwice, isBeside } of frames) {
      const list = carries.flatMap(index => all[index] ?? [])
      if (!isBeside) {
        await Promise.all(beside)
        beside = []
      }
      beside.push(send(list))
      if (isTwice) beside.push(send(list))
    }
    await Promise.all(beside)
    await send(all)

    const stored = await readAll(table)
    const name = ({ number, localTime }: { number: string; localTime: string }) => `${number} ${localTime}`
    const wanted = [...new Set(all.map(name))].sort()
    if (JSON.stringify(stored.map(name).sort()) !== JSON.stringify(wanted)) throw new Error('not each record once')
    const strange = stored.find(punch => !isShown(punch))
    if (strange) throw new Error(`${strange.localTime} in ${zone} is not ${strange.at}`)
    await send(all.toReversed())
    const again = await readAll(table)
    if (canonical(again) !== canonical(stored)) throw new Error('sent again, it is another')
    histories++
    say?.(`${histories} histories`)
  }

  try {
    // A line for each record that was there already is no figure.
    console.log = () => undefined
    const seeds = part(20, size)
    for (let i = 0; i < seeds; i++) {
      const runs = part(10_000, size < 1 ? size * 10 : 1)
      const found = await fc.check(fc.asyncProperty(history, live), { seed: seed + i, numRuns: runs })
      if (found.failed)
        violations.push(`seed ${seed + i}: ${found.errorInstance} ${JSON.stringify(found.counterexample?.[0])}`)
    }
  } finally {
    console.log = print
    // Who starts a stack in this process afterwards starts it with an engine of its own.
    for (const name of Object.keys(world.environment)) delete process.env[name]
    Object.assign(process.env, before)
    await world.close()
  }
  for (const violation of violations) console.error(violation)
  report('histories', histories, 'histories', { atLeast: 1, elseVoid: true })
  report('records sent', sent, 'records')
  report('violations', violations.length, 'histories', { atMost: 0 })
}
