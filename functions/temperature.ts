import { defaultPrevention } from '../shared/company.ts'
import { temperaturePaths, temperatureRow } from '../shared/temperature.ts'
import { readCompany } from './company/store.ts'
import { lambda } from './kit/lambda.ts'
import { beginTask } from './kit/task.ts'
import { listRecords } from './record/list.ts'
import { feverTenths, openRecords, type Place, type PunchRecord } from './record/read.ts'

/**
 * The most measurements, reads and milliseconds of one summary. A year with few punches takes 12 reads. If these limits
 * are too low, the caller chooses fewer days.
 */
const mostCounted = 4000
const mostReads = 12
const mostMilliseconds = 10_000

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
    // Read several times: with few measurements, one read may not find all of them.
    const list: PunchRecord[] = []
    let place: Place | undefined
    const until = performance.now() + mostMilliseconds
    for (let reads = 0; reads < mostReads && performance.now() < until; reads++) {
      const part = await read(mostCounted - list.length, place)
      list.push(...part.list)
      place = part.place
      if (!place || list.length >= mostCounted) break
    }
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
