import { advanceErasure } from '../functions/erasure/store.ts'
import { atOnce } from '../functions/kit/each.ts'
import { job, type Told, tryFacts } from '../functions/kit/job.ts'
import { openTable } from '../functions/kit/table.ts'
import { setTerminals } from '../functions/terminal/round.ts'
import { goOn } from '../functions/terminal/talk.ts'
import type { Fact } from '../shared/fact.ts'
import { jobs } from '../shared/jobs.ts'

// What is queued for a terminal is sent as soon as it is there; what was settled is told to whoever waits for it. What a company wants
// of all its terminals they are told at once.

type CommandFact = Extract<Fact, { type: (typeof jobs)['command']['facts'][number] }>

const terminalsAtOnce = 8

const act = async (fact: CommandFact): Promise<void> => {
  const table = openTable(fact.company)
  if (fact.type === 'prevention.changed') return setTerminals(fact.company)
  if (fact.type === 'command.queued') return goOn(fact.company, fact.sn)
  // What the terminal did not do is still owed.
  const settled = { serialNumber: fact.sn, command: fact.command }
  if (fact.erasure) await advanceErasure(table, fact.erasure, { settled })
}

export const handler = job('command', jobs.command.facts, async (told: Told<CommandFact>[]) => {
  // Of one terminal, one after the other: two at once would only get into each other's way.
  const byTerminal = Map.groupBy(told, ({ fact }) => `${fact.company} ${'sn' in fact ? fact.sn : ''}`)
  const failed = await atOnce(terminalsAtOnce, [...byTerminal.values()], list => tryFacts('command', 1, list, act))
  return failed.flat()
})
