import { advanceErasure } from '../functions/erasure/store.ts'
import { atOnce } from '../functions/kit/each.ts'
import { job, type Told, tryFacts } from '../functions/kit/job.ts'
import { openTable } from '../functions/kit/table.ts'
import { setTerminals } from '../functions/terminal/round.ts'
import { goOn } from '../functions/terminal/talk.ts'
import type { Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'

// Sends queued commands to online terminals at once, and reports settled commands to waiting erasures. Sends changed
// company settings to all terminals at once.

type CommandFact = Extract<Fact, { type: (typeof jobs)['command']['facts'][number] }>

const terminalsAtOnce = 8

const act = async (fact: CommandFact): Promise<void> => {
  const table = openTable(fact.company)
  if (fact.type === 'prevention.changed') return setTerminals(fact.company)
  if (fact.type === 'command.queued') return goOn(fact.company, fact.sn)
  // The erasure decides whether a failed command stays pending.
  const settled = { serialNumber: fact.sn, command: fact.command }
  if (fact.erasure) await advanceErasure(table, fact.erasure, { settled })
}

export const handler = job('command', jobs.command.facts, async (told: Told<CommandFact>[]) => {
  // Process one event of a terminal at a time, because parallel events of one terminal would only conflict.
  const byTerminal = Map.groupBy(told, ({ fact }) => `${fact.company} ${'sn' in fact ? fact.sn : ''}`)
  const failed = await atOnce(terminalsAtOnce, [...byTerminal.values()], list => tryFacts('command', 1, list, act))
  return failed.flat()
})
