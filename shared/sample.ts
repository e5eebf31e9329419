import * as z from 'zod'
import { at, type Declarations, done, id, nothing } from './contract.ts'
import type { Key } from './table.ts'

// Sample data lets a new company try the product before its own people exist. The company can remove it at any time.

/** A person as loaded. The removal keeps a person that the company has changed. */
export interface SamplePerson {
  id: string
  workno: string
  first_name: string
  last_name: string
  department: string
  /** The shift of the person's week days. */
  shift: string
}

/** The items of a task. The removal deletes exactly these. */
export interface Sample {
  state: 'loading' | 'loaded' | 'removing'
  task: string
  by: string
  at: string
  /** The days of the schedule. Punches begin on the first day. */
  from: string
  to: string
  departments: { id: string; name: string; parent?: string }[]
  shifts: { id: string; name: string; onDuty: string; offDuty: string }[]
  people: SamplePerson[]
}

export const sampleKey = (): Key<Sample> => ({ pk: 'SAMPLE', sk: '-' })

export const companySamplePaths = {
  'company/sample': {
    does: 'Returns whether sample data is loaded, and the task that loads or removes it.',
    who: 'administrator',
    input: nothing,
    output: z.object({
      state: z.enum(['none', 'loading', 'loaded', 'removing']),
      task: id.optional().describe('the running task'),
      people: z.int().optional().describe('the number of sample people'),
      at: at.optional().describe('when the task began'),
    }),
  },
  'company/sample/load': {
    does: 'Starts a task that loads sample departments, people, shifts, punches, leave and requests. Does nothing if they are loaded.',
    who: 'administrator',
    writes: true,
    input: nothing,
    output: z.object({ task: id.optional().describe('absent if sample data is already loaded') }),
  },
  'company/sample/remove': {
    does: 'Starts a task that removes the sample data with its worked days, and keeps what the company made itself; refused while sample days are locked (60061).',
    who: 'administrator',
    writes: true,
    input: nothing,
    output: z.object({ task: id.optional().describe('absent without sample data') }),
  },
  'company/steps/update': {
    does: 'Hides the first steps on the dashboard of all administrators, or shows them again.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ areHidden: z.boolean() }),
    output: done,
  },
} as const satisfies Declarations
