import { deliver, healSeconds, usualManners } from './delivery.ts'
import { deliverCleanly } from './t1.ts'
import { part, type Trial } from './trial.ts'

// 500 terminals deliver 200 punches each. 2 % of frames lose the connection; terminals send 10 % twice and 30 % in
// reverse order. The trial kills the stack two seconds after each start. First, this machine runs the trial without
// faults.

export const run = async ({ seed, size, report, say }: Trial) => {
  // In small, five kills take most of the time.
  const cleanSeconds =
    size === 1 ? await deliverCleanly({ seed, size, report: () => undefined, ...(say && { say }) }) : undefined
  const delivered = await deliver({
    seed,
    terminals: part(500, size),
    punchesEach: 200,
    mannersOf: usualManners,
    aliveMilliseconds: size < 0.1 ? 300 : 2000,
    kills: 5,
    // In small, the terminals deliver the remaining punches without kills.
    ...(size < 1 && { mostKills: 5 }),
    say,
    mostSeconds: 900,
  })
  const { registered, lost } = delivered.fleet.events
  report('kills', delivered.kills, 'kills', { atLeast: 5, elseVoid: true })
  report('connections lost', lost, 'connections')
  report('registrations', registered, 'registrations')
  report('punches made', delivered.made, 'punches')
  report('lost', delivered.lost, 'punches', { atMost: 0 })
  report('acknowledged and lost', delivered.broken, 'punches', { atMost: 0 })
  report('there twice', delivered.doubled, 'punches', { atMost: 0 })
  report('never made', delivered.foreign, 'punches', { atMost: 0 })
  report('until no terminal held anything back', delivered.seconds, 's')
  if (cleanSeconds !== undefined) {
    report('the same without faults', cleanSeconds, 's')
    report('with faults / without', delivered.seconds / cleanSeconds, 'ratio', { atMost: 5 })
  }
  report('until nothing was owed after the last kill', delivered.healedSeconds, 's', { atMost: healSeconds })
}
