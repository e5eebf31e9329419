import { deliver } from './delivery.ts'
import { quantile } from './fleet.ts'
import { part, type Trial } from './trial.ts'

// 500 terminals deliver 200 punches each, and nothing goes wrong. How fast the bare engine is, in the same run, is
// `npm run bench -- ingest`.

export const run = async ({ seed, size, report, say }: Trial) => {
  const terminals = part(500, size)
  const found = await deliver({ seed, terminals, punchesEach: 200, mostSeconds: 600, say })
  report('punches made', found.made, 'punches')
  report('lost', found.lost, 'punches', { atMost: 0 })
  report('there twice', found.doubled, 'punches', { atMost: 0 })
  report('never made', found.foreign, 'punches', { atMost: 0 })
  report('stored and acknowledged', found.made / found.seconds, 'punches/s')
  report('frame sent → acknowledged, p99', quantile(found.fleet.milliseconds, 0.99), 'ms')
  report('until all was acknowledged', found.seconds, 's')
}
