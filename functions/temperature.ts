import { defaultPrevention } from '../shared/company.ts'
import { temperaturePaths, temperatureRow } from '../shared/temperature.ts'
import { readCompany } from './kit/company.ts'
import { lambda } from './kit/lambda.ts'
import { feverTenths, openRecords } from './kit/record.ts'
import { listRecords } from './kit/record-list.ts'
import { beginTask } from './kit/task.ts'

/** So many are counted at a look; who wants to know of more takes fewer days. */
const mostCounted = 4000

export const handler = lambda(temperaturePaths, {
  'temperature/grid': async ({ filters, size, page }, caller) => {
    const { list, next } = await listRecords(caller, 'temperatures', {
      filters: { ...filters, isMeasured: true },
      size,
      page,
    })
    return { list: list.map(row => temperatureRow.parse(row)), ...(next && { next }) }
  },

  'temperature/summary': async ({ filters }, caller) => {
    const company = await readCompany(caller)
    const read = await openRecords(caller, company, { ...filters, isMeasured: true })
    const { list, place } = await read(mostCounted)
    const fever = feverTenths(company)
    const { temp_unit, fever_threshold } = company.prevention ?? defaultPrevention
    const measured = list.flatMap(({ punch }) => punch?.temperature ?? [])
    return {
      measured: measured.length,
      high: measured.filter(tenths => tenths >= fever).length,
      withoutMask: list.filter(({ punch }) => punch?.mask === false).length,
      isMore: place !== undefined,
      ...{ temp_unit, fever_threshold },
    }
  },

  'temperature/export': (input, caller) => beginTask(caller, 'temperature/export', input),
})
