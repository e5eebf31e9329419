import * as z from 'zod'
import { preventionUnit } from './company.ts'
import { type Declarations, gridInput, gridOutput } from './contract.ts'
import { recordFilters, recordRow } from './record.ts'
import { begun, sheetType } from './task.ts'

// Punches with a temperature or a mask check: normal punches, for managers who check health at the door.

const temperatureFilters = recordFilters.omit({ source: true })

/** The fields of a punch for health checks. Excludes locations and the way of recognition. */
export const temperatureRow = recordRow.pick({
  ...{ employee: true, first_name: true, last_name: true, workno: true, department: true, day: true, at: true },
  ...{ timezone: true, device: true, deviceName: true, temperature: true, isHigh: true, mask: true },
})

export const temperaturePaths = {
  'temperature/grid': {
    does: 'Lists punches with a temperature or a mask check, of employees the caller manages, newest first.',
    who: [9, 11],
    input: gridInput(temperatureFilters),
    output: gridOutput(temperatureRow),
  },
  'temperature/summary': {
    does: 'Counts the punches of `temperature/grid`, and returns the fever threshold.',
    who: [9, 11],
    input: z.strictObject({ filters: temperatureFilters }),
    output: z.object({
      measured: z.int().describe('number of measured temperatures'),
      high: z.int().describe('number of high temperatures'),
      withoutMask: z.int(),
      isMore: z.boolean().describe('whether only the newest punches were counted'),
      ...preventionUnit,
    }),
  },
  'temperature/export': {
    does: 'Exports the punches of `temperature/grid`. Returns a task; its file can be downloaded for 24 hours.',
    who: [9, 11],
    writes: true,
    input: z.strictObject({ type: sheetType, filters: temperatureFilters }),
    output: begun,
  },
} as const satisfies Declarations
