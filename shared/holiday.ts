import * as z from 'zod'
import {
  clockTime,
  type Declarations,
  day,
  gridInput,
  gridOutput,
  id,
  nothing,
  planDay,
  text,
  version,
} from './contract.ts'
import { mostImported } from './holiday/day.ts'
import { begun } from './task.ts'

const departments = z
  .array(id)
  .min(1)
  .max(1000)
  .optional()
  .describe('departments that have the day off, without their sub-departments; everybody if omitted')

const part = z.union([
  z.literal('half').describe('the later half of each shift'),
  z.strictObject({
    from: clockTime.optional().describe('the beginning of the day if omitted'),
    to: clockTime.optional().describe('the end of the day if omitted'),
  }),
])
export const holidayPart = part.optional().describe('the free part of a holiday of one day; whole days if omitted')

const form = { name: text(100), from: planDay, to: planDay.describe('inclusive'), departments, part: holidayPart }
const stored = z.object({ id, ...form, version })

/** Absent if the holiday contains no calculated day. */
const recalculating = {
  task: id.optional().describe('task that recalculates the affected days, if any'),
}

const country = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .describe('a country of `holiday/country`')
const state = z
  .string()
  .regex(/^[A-Z0-9-]{1,8}$/)
  .describe('one of its `states`; if omitted, holidays of the whole country')
const year = z.int().min(1970).max(2100)

export const holidayPaths = {
  'holiday/grid': {
    does: 'Lists holidays, by date by default.',
    who: 'administrator',
    input: gridInput(
      z.strictObject({
        search: z.string().trim().max(100).optional(),
        year: year.optional().describe('holidays that touch this year'),
      }),
      ['from', 'name'],
    ),
    output: gridOutput(stored),
  },
  'holiday/all': {
    does: "Lists holidays within a range of up to 366 days for planning: those that apply to the caller's employees, with their departments only.",
    who: 'manager',
    input: z.strictObject({ from: day, to: day }),
    output: z.object({ list: z.array(z.object({ id, ...form })) }),
  },
  'holiday/add': {
    does: 'Adds a holiday; its days are recalculated.',
    who: 'administrator',
    writes: true,
    input: z.strictObject(form),
    output: z.object({ id, ...recalculating }),
  },
  'holiday/update': {
    does: 'Updates a holiday; its earlier and new days are recalculated.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id, version, ...form }),
    output: z.object(recalculating),
  },
  'holiday/delete': {
    does: 'Deletes a holiday; its days are recalculated.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: z.object(recalculating),
  },
  'holiday/preview': {
    does: 'Previews adding, changing or deleting holidays, without saving.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      id: id.optional().describe('the holiday to change or delete'),
      holidays: z.array(z.strictObject(form)).max(mostImported).default([]).describe('the new or changed holiday'),
    }),
    output: begun,
  },
  'holiday/country': {
    does: 'Lists the countries with available public holidays, and their states with holidays of their own.',
    who: 'administrator',
    input: nothing,
    output: z.object({
      list: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          states: z.array(z.object({ id: z.string(), name: z.string() })),
        }),
      ),
    }),
  },
  'holiday/public': {
    does: 'Lists the public holidays of a country or state in a year, and which of them already apply to the whole company.',
    who: 'administrator',
    input: z.strictObject({ country, state: state.optional(), year, departments }),
    output: z.object({
      list: z.array(z.object({ name: z.string(), from: day, to: day, part: holidayPart, isKnown: z.boolean() })),
    }),
  },
  'holiday/import': {
    does: 'Adds the public holidays of a country or state that begin on the given days, all or none; existing ones stay unchanged.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({
      country,
      state: state.optional(),
      year,
      days: z.array(day).min(1).max(mostImported),
      departments,
    }),
    output: z.object({ added: z.int(), ...recalculating }),
  },
} as const satisfies Declarations
