import { readStream } from '../../infra/local/stream.ts'
import { auditPk } from '../../shared/audit.ts'
import type { Department } from '../../shared/department.ts'
import { departmentKey } from '../../shared/department.ts'
import { openWorld } from '../kit/world.ts'
import type { Report } from './main.ts'

// Measures the cost of the audit log per write. A department change with an audit entry is a transaction. The same
// change without an actor is a single put. Both kinds of change alternate within one run. In the cloud, an audited
// change costs two write units per KB of item and entry. An unaudited change costs one write unit per KB of item.

const rounds = 600

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export const bench = async (report: Report) => {
  const world = await openWorld()
  Object.assign(process.env, world.environment)
  const { openTable, save } = await import('../../functions/kit/table.ts')
  const changes = async () => ({ batchItemFailures: [] })
  const stream = readStream({ database: world.database, table: world.table, bus: world.bus, changes, complain: print })
  const tables = {
    told: openTable('c', { employee: 'e'.repeat(16), ip: '192.0.2.1', path: 'department/update', requestId: 'bench' }),
    untold: openTable('c'),
  }
  const times = { told: [] as number[], untold: [] as number[] }
  try {
    for (const id of ['told', 'untold']) await save(tables.untold.insert(departmentKey(id), { id, name: id }))
    for (let round = -50; round < rounds; round++)
      for (const kind of round % 2 ? (['told', 'untold'] as const) : (['untold', 'told'] as const)) {
        const table = tables[kind]
        const department = await table.get(departmentKey(kind))
        if (!department) throw new Error('The department is gone.')
        const changed: Department & { version: number } = { ...department, tel: String(round) }
        const startedAt = performance.now()
        await save(table.replace(departmentKey(kind), changed))
        if (round >= 0) times[kind].push(performance.now() - startedAt)
      }
    const entries = await tables.untold.count({ pk: auditPk })
    if (entries !== rounds + 50) throw new Error(`${entries} entries of the audit.`)
    report('a change nobody is told of', median(times.untold), 'ms')
    report('a change with its entry in the audit', median(times.told), 'ms')
    report('told / untold', median(times.told) / median(times.untold), 'ratio', { atMost: 3 })
  } finally {
    await stream.stop()
    await world.close()
  }
}

const print = console.error
