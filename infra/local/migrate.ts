import { migrations } from '../migrate/all.ts'
import { migrateAll } from '../migrate/run.ts'

/** Long migrations report at most this often. */
const sayMilliseconds = 1000

/** Runs the pending migrations of all companies on this machine. A failed company is tried again at the next start. */
export const migrateHere = async (
  say: (line: string) => void,
  complain: (sentence: string) => void,
  log: string,
): Promise<void> => {
  let saidAt = 0
  const { pending, failed } = await migrateAll({
    migrations,
    isTimeUp: () => false,
    tell({ company, migration: { number, name }, after }) {
      const now = performance.now()
      if (after !== undefined && now - saidAt < sayMilliseconds) return
      saidAt = now
      say(`migration ${number} (${name}) of company ${company}: ${after ?? 'finished'}`)
    },
  })
  if (pending > 0) say(`migrated companies: ${pending - failed} of ${pending}`)
  if (failed > 0) complain(`Companies that were not migrated: ${failed}, see ${log}. The next start tries them again.`)
}
