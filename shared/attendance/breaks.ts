import type { PlacedBreak } from './instance.ts'
import type { OpenDay } from './open-day.ts'
import { raise } from './open-day.ts'
import type { Group } from './punch.ts'
import { liesIn } from './punch.ts'
import type { Reason, Rule } from './reason.ts'
import { noteFirst, noteMinutes } from './reason.ts'
import type { Use } from './row.ts'
import type { Span } from './span.ts'
import { firstOf, lengthOf, lengthWithin, nothing, union, within, without } from './span.ts'

// Step 8, breaks: deducts breaks from the credited time, either automatically in the break's slot or as punched.

/** The rules name the source of the deduction: work or overtime. */
const rulesOf = {
  work: { slot: 'breakSlot', taken: 'breakTaken', gap: 'gap' },
  overtime: { slot: 'breakSlotOfOvertime', taken: 'breakTakenOfOvertime', gap: 'gapOfOvertime' },
} as const satisfies Record<string, Record<string, Rule>>

type Source = keyof typeof rulesOf.work

/**
 * Pairs punches: the employee leaves with the first punch and returns with the second. Ignores a last punch without a
 * partner.
 */
export const pairAway = (groups: readonly Pick<Group, 'first' | 'last'>[]): Span[] => {
  const away: Span[] = []
  for (let index = 0; index + 1 < groups.length; index += 2) {
    const left = groups[index]
    const back = groups[index + 1]
    if (left && back && back.first > left.last) away.push({ from: left.last, to: back.first })
  }
  return away
}

/** Time away outside breaks. Marks the punches at its ends as `gap`. */
const gapsBetween = (groups: readonly Group[], breaks: readonly PlacedBreak[], uses: Use[]): readonly Span[] => {
  const outside: number[] = []
  groups.forEach((group, index) => {
    const isInner = index > 0 && index < groups.length - 1
    if (isInner && !breaks.some(({ time }) => liesIn(group, time.from, time.to))) outside.push(index)
  })
  if (outside.length % 2 === 1) outside.pop()
  for (const index of outside) uses[index] = 'gap'
  return pairAway(groups.filter((_, index) => outside.includes(index)))
}

/** Inner punches by break, marked as `break`. A punch in the time of two breaks belongs to the first. */
const innerOf = (groups: readonly Group[], breaks: readonly PlacedBreak[], uses: Use[]): Group[][] => {
  const inner: Group[][] = breaks.map(() => [])
  for (let index = 1; index < groups.length - 1; index++) {
    const group = groups[index]
    if (!group) continue
    const place = breaks.findIndex(({ time }) => liesIn(group, time.from, time.to))
    if (place < 0) continue
    inner[place]?.push(group)
    uses[index] = 'break'
  }
  return inner
}

/** Credited time away during a break: its punch pairs, and the gaps within its slot. */
const takenOf = (
  { slot }: PlacedBreak,
  punched: readonly Group[],
  gaps: readonly Span[],
  credited: readonly Span[],
): readonly Span[] => {
  if (punched.length < 2 && gaps.length === 0) return nothing
  const punchedAway = pairAway(punched)
  const away = gaps.length > 0 ? union([...punchedAway, ...within(gaps, slot.from, slot.to)]) : punchedAway
  return away.flatMap(span => within(credited, span.from, span.to))
}

/** Divides deductions between work and the credited minutes that are overtime. */
const shareDeductions = (reasons: Reason[] | undefined, credited: readonly Span[], overtime: readonly Span[]) => {
  let ofOvertime = lengthOf(overtime)
  let ofWork = lengthOf(credited) - ofOvertime
  const all = ofOvertime
  const deduct = (rule: Source, spans: readonly Span[], minutes: number) => {
    const placed = firstOf(spans, minutes)
    const inOvertime = placed.flatMap(span => within(overtime, span.from, span.to))
    const inWork = placed.flatMap(span => without([span], overtime))
    // Two deductions can share minutes. The other figure then gives the missing minutes.
    const least = minutes - ofWork
    const fromOvertime = Math.min(ofOvertime, Math.max(lengthOf(inOvertime), least))
    const fromWork = minutes - fromOvertime
    ofOvertime -= fromOvertime
    ofWork -= fromWork
    for (const [name, part, share] of [
      [rulesOf.overtime[rule], inOvertime, fromOvertime],
      [rulesOf.work[rule], inWork, fromWork],
    ] as const) {
      noteFirst(reasons, name, part, share)
      noteMinutes(reasons, name, share - Math.min(share, lengthOf(part)))
    }
  }
  return { deduct, overtimeMinutes: () => all - ofOvertime }
}

/**
 * Deducts the breaks from `credited`, the minutes that count so far. Returns the deducted minutes and the gaps. Each
 * break deducts the larger of an automatic and a punched amount. Automatic: the credited part of the break's slot. It
 * never exceeds the credited minutes above the break's threshold, after earlier breaks. Punched: the time between pairs
 * of inner punches in the break's time. If the company deducts gaps, also deducts time away outside the breaks. Credited
 * minutes in `overtime` are overtime and all others work; each deduction is divided between the two.
 */
export const deductBreaks = (
  day: OpenDay,
  breaks: readonly PlacedBreak[],
  credited: readonly Span[],
  overtime: readonly Span[] = nothing,
): { minutes: number; overtimeMinutes: number; gaps: readonly Span[] } => {
  const { run, row, groups, uses, reasons } = day
  const shares = overtime.length > 0 ? shareDeductions(reasons, credited, overtime) : undefined
  const deduct =
    shares?.deduct ??
    ((rule: Source, spans: readonly Span[], count: number) => noteFirst(reasons, rulesOf.work[rule], spans, count))
  const creditedMinutes = lengthOf(credited)
  const inner = groups.length > 2 ? innerOf(groups, breaks, uses) : undefined
  const gaps = run.parameters.deductGaps ? gapsBetween(groups, breaks, uses) : nothing
  let automaticMinutes = 0
  let minutes = 0
  let away = gaps
  breaks.forEach((pause, index) => {
    const { slot, durationMinutes, thresholdMinutes } = pause
    const beyondThreshold = Math.max(0, creditedMinutes - automaticMinutes - thresholdMinutes)
    const automatic = Math.min(lengthWithin(credited, slot.from, slot.to), beyondThreshold)
    automaticMinutes += automatic
    const taken = takenOf(pause, inner?.[index] ?? [], gaps, credited)
    const takenMinutes = lengthOf(taken)
    if (away.length > 0) away = without(without(away, [slot]), taken)
    const deduction = Math.min(Math.max(automatic, takenMinutes), creditedMinutes - minutes)
    minutes += deduction
    row.breakMinutes += deduction
    if (takenMinutes > automatic) deduct('taken', taken, deduction)
    else if (reasons || shares) deduct('slot', within(credited, slot.from, slot.to), deduction)
    if (takenMinutes > durationMinutes) {
      row.longBreakMinutes += takenMinutes - durationMinutes
      noteMinutes(reasons, 'longBreak', takenMinutes - durationMinutes)
      raise(day, 'longBreak')
    }
  })
  if (away.length > 0) {
    const creditedAway = away.flatMap(span => within(credited, span.from, span.to))
    const deduction = Math.min(lengthOf(creditedAway), creditedMinutes - minutes)
    minutes += deduction
    deduct('gap', creditedAway, deduction)
  }
  return { minutes, overtimeMinutes: shares?.overtimeMinutes() ?? 0, gaps }
}
