import * as z from 'zod'
import { at, type Declarations, day, gridInput, gridOutput, id, nothing } from './contract.ts'
import { correctionPaths } from './record/correction.ts'
import { heldNumber } from './record/punched-number.ts'
import { begun, sheetType } from './task.ts'
import { means } from './terminal/profile.ts'

/**
 * How a punch arrived: pushed by the terminal, in a reply to a request, or from the person's browser. `request` and
 * `manager` punches come from an approved request or a manager.
 */
const source = z.enum(['sendlog', 'getnewlog', 'getalllog', 'adms', 'browser', 'request', 'manager'])

export const recordFilters = z.strictObject({
  from: day,
  to: day,
  department: id.optional().describe('includes sub-departments'),
  employee: id.optional(),
  search: z.string().trim().max(100).optional().describe('part of name or employee ID'),
  device: z.string().max(64).optional().describe('serial number of the terminal'),
  source: source.optional(),
  temperature: z.literal([-1, 0, 1]).optional().describe('-1 all, 0 normal, 1 high'),
  mask: z.literal([-1, 0, 1]).optional().describe('-1 all, 0 without, 1 with a mask'),
})
export type RecordFilters = z.output<typeof recordFilters>

const number = z.strictObject({ workno: heldNumber, employee: id })

/** A punch in a list. */
export const recordRow = z.object({
  employee: id,
  first_name: z.string(),
  last_name: z.string(),
  workno: z.string(),
  department: id,
  /** The date on the terminal's clock. */
  day,
  workDay: day.describe('the work day that uses the punch, as in `report/day`'),
  at,
  timezone: z.string(),
  /** Serial number of the terminal. `request` if a request added the punch, `manager` if a manager did. */
  device: z.string(),
  /** The company's name for the terminal, while the terminal belongs to the company. */
  deviceName: z.string().optional(),
  /** The use of the punch in the calculation: in, out, break, repeat, outside the punch period, … */
  use: z.string(),
  source: source.optional(),
  temperature: z.number().optional().describe('degrees Celsius'),
  isHigh: z.boolean().optional().describe('the temperature is at or above the fever threshold'),
  mask: z.boolean().optional(),
  means: z.enum(means).optional().describe('verification method, if the terminal’s code is known'),
  mode: z.int().optional().describe('the terminal’s code for it'),
  verifymode: z.int().optional(),
  /** Only for a browser punch, if the company requests the location. */
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  accuracyMetres: z.number().optional(),
  place: z.string().optional().describe('name of the company’s location'),
  isOutside: z.boolean().optional().describe('made outside the company’s locations, or without a location'),
})

/** The data of a person and a punch for integrators, in webhooks and in `record/since`. */
export const personOutput = z
  .object({ workno: z.string(), first_name: z.string(), last_name: z.string(), department: z.string() })
  .describe('name of the department')

export const recordOutput = z.object({
  uuid: z.uuid().describe('identical in every announcement of the punch'),
  checktime: at.describe('with the offset of the terminal’s clock'),
  checktype: z.int().optional().describe('as the terminal sent it'),
  device: z.object({ serial_number: z.string(), name: z.string().optional() }),
  employee: personOutput.optional().describe('absent for an unassigned number'),
  workno: z.string().describe('employee ID of the punch'),
  temperature: z.number().optional().describe('degrees Celsius'),
  mask: z.boolean().optional(),
})

export const recordPaths = {
  ...correctionPaths,
  'record/grid': {
    does: "Lists punches of the caller's employees, newest first.",
    who: [9],
    input: gridInput(recordFilters),
    output: gridOutput(recordRow),
  },
  'record/since': {
    does: 'Lists punches in order of arrival, one minute after they were stored, including late ones of past days. A punch appears once, and again with the same uuid when its number is assigned or unassigned. Starts at the first punch, or continues from the cursor of the previous answer.',
    who: [9],
    input: z.strictObject({
      cursor: z.string().max(2000).optional().describe('cursor of the previous answer; it never expires'),
      size: z.int().min(1).max(200).default(50),
    }),
    output: z.object({
      list: z
        .array(recordOutput.extend({ storedAt: at.describe('when it was received, or last reassigned') }))
        .describe(
          'punches of people whom the caller currently manages; callers who manage the whole company also get those of unassigned numbers',
        ),
      cursor: z.string().describe('cursor for the next call, also after an empty answer'),
      isMore: z.boolean().describe('whether more punches may be available now'),
    }),
  },
  'record/export': {
    does: 'Exports the punches of `record/grid`. Returns a task; its file can be downloaded for 24 hours.',
    who: [9],
    writes: true,
    input: z.strictObject({ type: sheetType, filters: recordFilters }),
    output: begun,
  },
  'record/orphan/grid': {
    does: 'Lists unknown employee IDs that punched, and assigned ones that can be unassigned.',
    who: [9],
    input: nothing,
    output: z.object({
      list: z.array(
        z.object({
          workno: z.string().describe('`29`, or `29@B2` for a number of one terminal'),
          number: z.string().describe('as the terminal shows it'),
          reason: z
            .enum(['unknown', 'ownNumbering'])
            .describe('nobody has the employee ID, or the terminal has its own numbering and nobody has its number'),
          serialNumber: z.string(),
          deviceName: z.string().optional(),
          alsoAt: z.array(z.string()).optional().describe('serial numbers of other recent terminals'),
          timezone: z.string(),
          lastAt: at,
          heldBy: z
            .string()
            .optional()
            .describe('name of the holder, who was not employed on the day of the last punch'),
        }),
      ),
      assigned: z.array(
        z.object({
          workno: z.string(),
          employee: id,
          first_name: z.string(),
          last_name: z.string(),
          at,
          by: z.string(),
        }),
      ),
    }),
  },
  'record/orphan/get': {
    does: 'Lists the latest punches of an unknown employee ID, to help identify the person.',
    who: [9],
    input: z.strictObject({ workno: heldNumber }),
    output: z.object({
      list: z.array(z.object({ at, timezone: z.string(), device: z.string(), deviceName: z.string().optional() })),
    }),
  },
  'record/orphan/assign': {
    does: 'Assigns an unknown employee ID to an employee in addition to their own; its past and future punches count for them. Returns a task that recalculates those days.',
    who: [9],
    writes: true,
    input: number,
    output: begun,
  },
  'record/orphan/return': {
    does: 'Unassigns an employee ID that `record/orphan/assign` assigned. Its punches no longer count for anyone. Returns a task that recalculates those days.',
    who: [9],
    writes: true,
    input: number,
    output: begun,
  },
} as const satisfies Declarations
