import { hashText } from '../../shared/attendance/hash.ts'
import { hashShift } from '../../shared/attendance/input-hash.ts'
import { validateShift } from '../../shared/attendance/shift.ts'
import { type Fields, Problem } from '../../shared/errors.ts'
import type { Shift, ShiftForm } from '../../shared/shift.ts'

// What a form makes of a shift, and which days a change of one touches.

/** What stands where a weekly-flexible shift is not asked. */
const notAsked = (): Omit<Shift, 'id' | 'name' | 'color'> => ({
  ...{ onDuty: '00:00', offDuty: '00:00', punchStart: '00:00', punchEnd: '00:00' },
  ...{ allowedLateMinutes: 0, allowedEarlyMinutes: 0, noClockOut: 0, breaks: [] },
  earlyInOvertime: { counts: false, afterMinutes: 0 },
  lateOutOvertime: { counts: false, afterMinutes: 0 },
})

/** The shift a form asks for, without what its kind is not asked. Throws what is wrong with it, at the fields. */
export const shiftOf = (id: string, { weekly, ...form }: ShiftForm): Shift => {
  const { kind, name, color, notes, raisesException } = form
  const shift: Shift =
    kind === 'weekly'
      ? { ...notAsked(), id, kind, name, color, raisesException, ...(notes && { notes }), ...(weekly && { weekly }) }
      : { ...notAsked(), ...form, id }
  checkRules(shift)
  return shift
}

/** The engine's own rules for a shift, answered at the field. The first code of the catalogue names the whole. */
const checkRules = (shift: Shift) => {
  const findings = validateShift(shift)
  const [first] = findings
  if (!first) return
  const fields: Fields = {}
  for (const { field, code } of findings) fields[field] ??= code
  throw new Problem(findings.find(({ code }) => code !== 10002)?.code ?? 10002, fields)
}

const rulesOf = (shift: Shift) => hashText(hashShift({ ...shift, version: 0 }))
/** Whether days come out otherwise by one than by the other: a name, a colour and notes change no figure. */
export const countsOtherwise = (one: Shift, other: Shift): boolean => rulesOf(one) !== rulesOf(other)
