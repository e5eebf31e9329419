import { sampleKey } from '../../shared/sample.ts'
import { readCompany } from '../company/store.ts'
import { save, type Table } from '../kit/table.ts'
import type { Kind } from '../kit/task.ts'
import { loadSample } from './load.ts'
import { removeSample } from './remove.ts'

// The tasks of sample data. A failed load takes back what it has written.

/** Records in the audit that sample data was loaded or removed. Each item also has its own entry. */
const noteChange = async (table: Table, isLoaded: boolean): Promise<void> => {
  const company = await readCompany({ table })
  const sampleData = { before: !isLoaded, after: isLoaded }
  await save(
    table.note({ noun: 'company', id: company.id, name: company.name, change: 'changed', fields: { sampleData } }),
  )
}

export const loadSampleData: Kind<'company/sample/load'> = {
  async run(work) {
    const sample = await work.table.get(sampleKey())
    if (sample?.task !== work.task || sample.state !== 'loading') return {}
    await loadSample(work, sample)
    await noteChange(work.table, true)
    return { rowCount: sample.people.length }
  },
  async takeBack(work) {
    const sample = await work.table.get(sampleKey())
    if (sample?.task === work.task) await removeSample(work, sample)
  },
}

export const removeSampleData: Kind<'company/sample/remove'> = {
  async run(work) {
    const sample = await work.table.get(sampleKey())
    if (sample?.task !== work.task) return {}
    await removeSample(work, sample)
    await noteChange(work.table, false)
    return { rowCount: sample.people.length }
  },
}
