import { deliver, usualManners } from './delivery.ts'
import { part, type Trial } from './trial.ts'

// The table throttles 5 % of all calls, and executes 1 % without an answer.

export const run = async ({ seed, size, report, say }: Trial) => {
  const storage = { throttled: 0.05, unanswered: 0.01 }
  const delivered = await deliver({
    seed,
    terminals: part(200, size),
    punchesEach: 200,
    mannersOf: usualManners,
    storage,
    say,
    mostSeconds: 600,
  })
  report('punches made', delivered.made, 'punches')
  report('lost', delivered.lost, 'punches', { atMost: 0 })
  report('acknowledged and lost', delivered.broken, 'punches', { atMost: 0 })
  report('there twice', delivered.doubled, 'punches', { atMost: 0 })
  report('never made', delivered.foreign, 'punches', { atMost: 0 })
  report('until all was delivered', delivered.seconds, 's')
}
