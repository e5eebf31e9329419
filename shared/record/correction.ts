import * as z from 'zod'
import type { Punch as EnginePunch } from '../attendance/input.ts'
import type { Audited, Change } from '../change.ts'
import { at, clockTime, type Declarations, day, done, id, text, version } from '../contract.ts'
import { addDays } from '../local-day.ts'
import { toldRow } from '../preview.ts'
import type { Key } from '../table.ts'
import { type AnsweredVersion, countedVersion } from './version.ts'

// The server stores a correction beside the punch. The terminal's record never changes.

export interface Correction extends AnsweredVersion {
  employee: string
  /** The key of the corrected punch, as in day rows. An added punch has a key of its own. */
  punch: string
  /** The deadline for an objection. Absent if the rule has no objections. */
  objectBy?: string
  /** The last objection to a correction of this punch. A later correction keeps it. */
  objection?: { at: string; reason: string }
  agreedAt?: string
}

const addedPrefix = 'CORRECTION#'

/** The key of a punch that a correction adds. The day in the key locates the correction. */
export const addedPunch = (day: string, id: string): string => `${addedPrefix}${day}#${id}`
export const isAddedPunch = (punch: string): boolean => punch.startsWith(addedPrefix)

/** The local day in a punch's key. Undefined for other keys, such as a request's. */
export const dayOfPunch = (punch: string): string | undefined =>
  /^(?:CORRECTION|\d{1,18}(?:@[^#]+)?)#(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}:\d{2})?#/.exec(punch)?.[1]

const audited: Audited<Correction> = {
  noun: 'correction',
  id: ({ employee }) => employee,
  name: ({ at, recordedAt = '' }) => at ?? recordedAt,
}

/** The partition of the corrections that the employee may answer, in the day index by local day. */
export const answerableCorrectionPk = 'CORRECTION_ANSWERABLE'
const isAnswerable = ({ state, objectBy }: Correction) =>
  state === 'proposed' || (state === undefined && objectBy !== undefined)

/** Whether the employee may still agree or object. */
export const awaitsAnswer = (correction: Correction, now: string): boolean =>
  correction.state === 'proposed' || (!correction.state && (correction.objectBy ?? '') > now)

export const correctionPk = (employee: string) => `CORRECTION#${employee}`
/** In the order of local days. */
export const correctionKey = ({ employee, punch }: Pick<Correction, 'employee' | 'punch'>): Key<Correction> => ({
  pk: correctionPk(employee),
  sk: `${dayOfPunch(punch) ?? ''}#${punch}`,
  places: correction =>
    isAnswerable(correction)
      ? { byDay: { pk: answerableCorrectionPk, sk: `${dayOfPunch(punch) ?? ''}#${employee}#${punch}` } }
      : {},
  audited,
})

/** A correction can move a punch by at most one day, so across one midnight. */
export const mostMovedDays = 1
/** The engine's margin, plus the day by which a correction may move a punch. */
const nearDays = 3 + mostMovedDays

/** The days whose rows a correction may change. */
export const correctedDays = ({ punch }: Pick<Correction, 'punch'>): { from: string; to: string } => {
  const day = dayOfPunch(punch) ?? ''
  return { from: addDays(day, -nearDays), to: addDays(day, nearDays) }
}

/** The punches that count after the corrections. */
export const applyCorrections = (punches: EnginePunch[], corrections: Correction[]): EnginePunch[] => {
  if (corrections.length === 0) return punches
  const byPunch = new Map(corrections.map(correction => [correction.punch, countedVersion(correction)]))
  const corrected = punches.flatMap((punch): EnginePunch[] => {
    const version = byPunch.get(punch.key)
    if (!version) return [punch]
    if (version.isIgnored) return []
    return [{ ...punch, ...(version.at !== undefined && { at: Date.parse(version.at) }) }]
  })
  const added = corrections.flatMap((correction): EnginePunch[] => {
    const { punch } = correction
    const { at, inout, isIgnored } = countedVersion(correction) ?? {}
    return isAddedPunch(punch) && at !== undefined && !isIgnored
      ? [{ at: Date.parse(at), key: punch, ...(inout !== undefined && { state: inout === 0 ? 'in' : 'out' }) }]
      : []
  })
  return [...corrected, ...added]
}

export const correctionFacts = ({ company, old, new: now }: Change<Correction>) => {
  const correction = now ?? old
  if (!correction) return []
  const { employee, punch, by } = correction
  const isObjected = now?.state === 'objected'
  return [
    {
      type: 'days.due' as const,
      company,
      employee,
      ...correctedDays(correction),
      // The stream does not name who removed a correction, and its author need not be that person.
      cause: isObjected ? { kind: 'objection' as const } : { kind: 'correction' as const, ...(now && { by }) },
    },
    { type: 'correction.changed' as const, company, employee, punch },
  ]
}

/** The correction of a punch, as lists show it. */
export const shownCorrection = z
  .object({
    reason: z.string(),
    by: z.string().describe('name of the manager; empty if the caller may not see the person'),
    madeAt: at,
    recordedAt: at.optional().describe('when the terminal recorded it; absent for an added punch'),
    at: at.optional().describe('the time that it gives the punch; absent for the recorded time'),
    inout: z.literal([0, 1]).optional().describe('0 in, 1 out; only for an added punch with a direction'),
    isIgnored: z.boolean(),
    state: z
      .enum(['counts', 'proposed', 'objected'])
      .describe('`proposed` waits for the employee’s agreement; neither it nor `objected` counts'),
    objectBy: at.optional().describe('until when the employee may object; absent without this right'),
    agreedAt: at.optional(),
    objection: z
      .object({ at, reason: z.string() })
      .optional()
      .describe('the employee’s last objection to a correction of this punch, even if a later one counts'),
    version: z.int(),
  })
  .describe('the correction that added, moved or ignored the punch')

const punch = z.string().min(1).max(150).describe('`id` of the punch in `report/day`')
const reason = text(200).describe('shown beside the day, and in the audit log')
const seen = version.optional().describe('version of the correction that the caller saw; omit it if there was none')
const time = {
  date: day.describe('date of the punch'),
  time: clockTime.describe('HH:MM by the company’s clock'),
  isLater: z.boolean().optional().describe('the second of two times, if a clock change repeats the hour'),
}
const inout = z.literal([0, 1]).optional().describe('0 in, 1 out')
const person = { employee: id }
const change = z.object({
  punch: z.string(),
  version: version.optional().describe('version of the stored correction; absent if the change removed it'),
})

const refused =
  'Rejects own punches (60088), locked days (60061), days out of reach (60093), all corrections if the company allows requests only (60092), a second punch at the same time (60089), and times in the future or outside the employment (10002).'
/** How the company's rule affects a correction. */
const ruled =
  'If both must agree, the correction is a proposal: it counts once the employee agrees, and waits while they have no sign-in.'

export const correctionPaths = {
  'record/add': {
    does: `Adds a punch for an employee whom the caller manages. ${ruled} ${refused}`,
    who: [9],
    writes: true,
    input: z.strictObject({ ...person, ...time, inout, reason }),
    output: change,
  },
  'record/update': {
    does: `Changes the time of a punch; the terminal's record stays. ${ruled} ${refused}`,
    who: [9],
    writes: true,
    input: z.strictObject({ ...person, punch, ...time, reason, version: seen }),
    output: change,
  },
  'record/ignore': {
    does: 'Ignores a punch; the terminal’s record stays. Rejects the same as `record/update`.',
    who: [9],
    writes: true,
    input: z.strictObject({ ...person, punch, reason, version: seen }),
    output: change,
  },
  'record/restore': {
    does: 'Reverts the correction of a punch: an ignored punch counts again, a moved one counts at its recorded time, and an added one is removed. Withdraws a proposal. Rejects a correction that the employee objected to (60004).',
    who: [9],
    writes: true,
    input: z.strictObject({ ...person, punch, version: seen }),
    output: change,
  },
  'record/preview': {
    does: 'Previews a correction without saving: the days it changes, before and after. A proposal is shown as if the employee agreed.',
    who: [9],
    input: z.strictObject({
      ...person,
      action: z.enum(['add', 'update', 'ignore', 'restore']),
      punch: punch.optional().describe('required except for `add`'),
      date: time.date.optional().describe('required for `add` and `update`'),
      time: time.time.optional(),
      isLater: time.isLater,
      inout,
    }),
    output: z.object({
      days: z.array(
        z.object({
          day,
          shift: z.string().optional(),
          before: toldRow.nullable().describe('null: no row yet'),
          after: toldRow.nullable().describe('null: the row would be removed'),
        }),
      ),
    }),
  },
} as const satisfies Declarations

const own = { punch, version: version.describe('version of the correction that the caller saw') }

export const personalCorrectionPaths = {
  'personal/record/agree': {
    does: "Agrees to a manager's proposed correction of the caller's punch; it counts from now on. Rejects locked days (60061), and a second punch at the same time (60089).",
    who: 'employee',
    writes: true,
    input: z.strictObject(own),
    output: done,
  },
  'personal/record/object': {
    does: "Objects to a manager's correction of the caller's punch, or declines a proposed one: what counted before counts again. Rejects locked days (60061), objections after the deadline (60094), and corrections under a rule without objections (60073).",
    who: 'employee',
    writes: true,
    input: z.strictObject({ ...own, reason: text(200).describe('shown to the manager, and in the audit log') }),
    output: done,
  },
} as const satisfies Declarations
