import { deliver, healSeconds, usualManners } from './delivery.ts'
import { deliverCleanly } from './t1.ts'
import { part, type Trial } from './trial.ts'

// 500 terminals deliver 200 punches each while 2 % of the frames lose their connection, 10 % go out twice, 30 % in the opposite
// order, and the whole stack is killed two seconds after each time it is ready. Before that the same machine does it without any fault.

export const run = async ({ seed, size, report, say }: Trial) => {
  // In small, five kills are most of the time.
  const cleanSeconds =
    size === 1 ? await deliverCleanly({ seed, size, report: () => undefined, ...(say && { say }) }) : undefined
  const found = await deliver({
    seed,
    terminals: part(500, size),
    punchesEach: 200,
    mannersOf: usualManners,
    aliveMilliseconds: size < 0.1 ? 300 : 2000,
    kills: 5,
    // In small, what is left after them is delivered in peace.
    ...(size < 1 && { mostKills: 5 }),
    say,
    mostSeconds: 900,
  })
  const { registered, lost } = found.fleet.events
  report('kills', found.kills, 'kills', { atLeast: 5, elseVoid: true })
  report('connections lost', lost, 'connections')
  report('registrations', registered, 'registrations')
  report('punches made', found.made, 'punches')
  report('lost', found.lost, 'punches', { atMost: 0 })
  report('acknowledged and lost', found.broken, 'punches', { atMost: 0 })
  report('there twice', found.doubled, 'punches', { atMost: 0 })
  report('never made', found.foreign, 'punches', { atMost: 0 })
  report('until no terminal held anything back', found.seconds, 's')
  if (cleanSeconds !== undefined) {
    report('the same without faults', cleanSeconds, 's')
    report('with faults / without', found.seconds / cleanSeconds, 'ratio', { atMost: 5 })
  }
  report('until nothing was owed after the last kill', found.healedSeconds, 's', { atMost: healSeconds })
}
