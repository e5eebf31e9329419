import { firstOf, type Span } from './span.ts'

// Explains the figures of a row. For every minute of every figure, one reason names the rule and the minutes. Minutes
// count since 1970; a span excludes its second number. Rules without a figure only inform the reader.

/** The figures that reasons add up to, named as in the row. */
export type Figure =
  | 'dutyMinutes'
  | 'workMinutes'
  | 'lateMinutes'
  | 'earlyLeaveMinutes'
  | 'absentMinutes'
  | 'leaveMinutes'
  | 'overtimeMinutes'
  | 'breakMinutes'
  | 'longBreakMinutes'

/** The effect of a rule's minutes on the figures: 1 adds them, -1 subtracts them. */
export const rules = {
  duty: { dutyMinutes: 1 },
  dutyShare: { dutyMinutes: 1 },
  present: { workMinutes: 1 },
  toleratedLate: { workMinutes: 1 },
  toleratedEarly: { workMinutes: 1 },
  late: { lateMinutes: 1 },
  early: { earlyLeaveMinutes: 1 },
  earlyWithoutOut: { earlyLeaveMinutes: 1 },
  absent: { absentMinutes: 1 },
  absentWithoutOut: { absentMinutes: 1 },
  markedAbsent: { absentMinutes: 1 },
  leave: { leaveMinutes: 1 },
  fullLeave: { leaveMinutes: 1 },
  breakSlot: { workMinutes: -1, breakMinutes: 1 },
  breakTaken: { workMinutes: -1, breakMinutes: 1 },
  longBreak: { longBreakMinutes: 1 },
  gap: { workMinutes: -1 },
  earlyIn: { overtimeMinutes: 1 },
  earlyInTooShort: {},
  lateOut: { overtimeMinutes: 1 },
  lateOutTooShort: {},
  requestedOvertime: { overtimeMinutes: 1 },
  fullDutyFirst: { overtimeMinutes: -1 },
  belowMinimumOvertime: { overtimeMinutes: -1 },
  aboveMaximumOvertime: { overtimeMinutes: -1 },
  holidayOvertime: { overtimeMinutes: 1 },
  holidayWork: { workMinutes: 1 },
  restDayOvertime: { overtimeMinutes: 1 },
  restDayWork: { workMinutes: 1 },
  breakSlotOfOvertime: { overtimeMinutes: -1, breakMinutes: 1 },
  breakTakenOfOvertime: { overtimeMinutes: -1, breakMinutes: 1 },
  gapOfOvertime: { overtimeMinutes: -1 },
  flexiblePresent: { workMinutes: 1 },
  flexibleBreak: { workMinutes: -1, breakMinutes: 1 },
  flexibleBreakOfOvertime: { overtimeMinutes: -1, breakMinutes: 1 },
  flexibleGap: { workMinutes: -1 },
  flexibleGapOfOvertime: { overtimeMinutes: -1 },
  flexibleLeave: { leaveMinutes: 1 },
} as const satisfies Record<string, Partial<Record<Figure, 1 | -1>>>

export type Rule = keyof typeof rules

export type Reason = [rule: Rule, from: number, to: number]

/** Records the minutes of a rule, one reason for each span. Does nothing if the caller requests no reasons. */
export const note = (reasons: Reason[] | undefined, rule: Rule, spans: readonly Span[]): void => {
  if (reasons === undefined) return
  for (const span of spans) reasons.push([rule, span.from, span.to])
}

/** Like `note`, for the first `minutes` of the spans. */
export const noteFirst = (reasons: Reason[] | undefined, rule: Rule, spans: readonly Span[], minutes: number): void => {
  if (reasons !== undefined) note(reasons, rule, firstOf(spans, minutes))
}

/** Records minutes without a clock position, such as minutes above a maximum. Such minutes start at 0. */
export const noteMinutes = (reasons: Reason[] | undefined, rule: Rule, minutes: number): void => {
  if (reasons !== undefined && minutes > 0) reasons.push([rule, 0, minutes])
}

/** The minutes that the reasons give to a figure. Their sum equals the row's figure. */
export const minutesOf = (reasons: readonly Reason[], figure: Figure): number => {
  let minutes = 0
  for (const [rule, from, to] of reasons) {
    const effects: Partial<Record<Figure, 1 | -1>> = rules[rule]
    minutes += (effects[figure] ?? 0) * (to - from)
  }
  return minutes
}
