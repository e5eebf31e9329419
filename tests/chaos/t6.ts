import { deliver, usualManners } from './delivery.ts'
import { part, type Trial } from './trial.ts'

// The table is throttled in 5 % of all calls, and carries out 1 % without an answer.

export const run = async ({ seed, size, report, say }: Trial) => {
  const storage = { throttled: 0.05, unanswered: 0.01 }
  const found = await deliver({
    seed,
    terminals: part(200, size),
    punchesEach: 200,
    mannersOf: usualManners,
    storage,
    say,
    mostSeconds: 600,
  })
  report('punches made', found.made, 'punches')
  report('lost', found.lost, 'punches', { atMost: 0 })
  report('acknowledged and lost', found.broken, 'punches', { atMost: 0 })
  report('there twice', found.doubled, 'punches', { atMost: 0 })
  report('never made', found.foreign, 'punches', { atMost: 0 })
  report('until all was delivered', found.seconds, 's')
}
