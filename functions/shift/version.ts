import { hashText } from '../../shared/attendance/hash.ts'
import { hashShift } from '../../shared/attendance/input-hash.ts'
import { validateShift } from '../../shared/attendance/shift.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import type { Shift, ShiftForm } from '../../shared/shift.ts'

// Makes a shift from a form, and decides whether a change affects calculated days.

/** The default values of fields that the form of a weekly-flexible shift does not have. */
const defaultFields = (): Omit<Shift, 'id' | 'name' | 'color'> => ({
  ...{ onDuty: '00:00', offDuty: '00:00', punchStart: '00:00', punchEnd: '00:00' },
  ...{ allowedLateMinutes: 0, allowedEarlyMinutes: 0, noClockOut: 0, breaks: [] },
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: false, afterMinutes: 0 },
})

/** The shift of a form, without fields that its kind does not have. Throws the problems at their fields. */
export const shiftOf = (id: string, { weekly, ...form }: ShiftForm): Shift => {
  const { kind, name, color, notes, raisesException } = form
  const shift: Shift =
    kind === 'weekly'
      ? {
          ...defaultFields(),
          id,
          kind,
          name,
          color,
          raisesException,
          ...(notes && { notes }),
          ...(weekly && { weekly }),
        }
      : { ...defaultFields(), ...form, id }
  checkRules(shift)
  return shift
}

/** Checks the engine's rules for a shift, with codes by field. The problem gets the first code other than 10002. */
const checkRules = (shift: Shift) => {
  const findings = validateShift(shift)
  const [first] = findings
  if (!first) return
  const fields: Fields = {}
  for (const { field, code } of findings) fields[field] ??= code
  throw new Problem(findings.find(({ code }) => code !== 10002)?.code ?? 10002, fields)
}

const rulesOf = (shift: Shift) => hashText(hashShift({ ...shift, version: 0 }))
/** Whether two shifts calculate differently. Name, colour and notes change no figure. */
export const countsOtherwise = (one: Shift, other: Shift): boolean => rulesOf(one) !== rulesOf(other)
