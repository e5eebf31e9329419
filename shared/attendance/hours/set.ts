// The shape of an hour set: which minutes have which kind. `calculate` does not know it; `splitHours` reads it.

/** Clock times `HH:MM`, from included, to not included. `to` at or before `from` is on the next date. */
export interface Window {
  from: string
  to: string
  /** The window holds for a row only if at least this many of its paid minutes lie in it. */
  least?: number
}

/** Conditions on a paid minute. All given conditions must hold. */
export interface HourConditions {
  /** The minute is overtime of its row. */
  overtime?: true
  /** `day`: the row's work day is a holiday. `clock`: the date of the minute is one. */
  holiday?: 'clock' | 'day'
  /** The row has no shift. */
  rest?: true
  /** 0 Sunday … 6 Saturday, of the date of the minute or, with `by: day`, of the work day. */
  weekdays?: readonly number[]
  by?: 'clock' | 'day'
  window?: Window
  /** The row's first paid minute lies on an earlier date than the minute. */
  begunDayBefore?: true
  /** The day has this many paid minutes before the minute. */
  dayOver?: number
  /** The day is this day in a row with paid minutes, counted from the first day of the week. */
  consecutiveDay?: number
}

/** All conditions, in the order of a rule's sentence. */
export const conditionNames = [
  ...(['overtime', 'holiday', 'rest', 'weekdays', 'window', 'begunDayBefore'] as const),
  ...(['dayOver', 'weekOver', 'consecutiveDay'] as const),
] as const

export interface BaseRule extends HourConditions {
  kind: string
  /** The week has this many minutes before the minute whose kinds fill the week. */
  weekOver?: number
  /** Replaces the usual answer of `fillsWeek`. */
  fillsWeek?: boolean
}

export interface ExtraRule extends HourConditions {
  kind: string
  /** The kind does not apply where an extra rule above gave one of these kinds. */
  unless?: readonly string[]
}

export interface HourSet {
  version?: number
  /** Each paid minute has the kind of the first rule whose conditions hold. */
  base: readonly BaseRule[]
  /** Each paid minute also has the kind of every rule whose conditions hold. */
  extra: readonly ExtraRule[]
  /** Whether a minute belongs to the work day of its row (default), or to the local date it lies in. */
  dayOf?: 'workDay' | 'clock'
}

/** Rule 6: whether the minutes of a base rule fill the week. Minutes that are overtime of the day do not. */
export const fillsWeek = ({ fillsWeek: fills, dayOver, consecutiveDay, overtime }: BaseRule): boolean =>
  fills ?? (dayOver === undefined && consecutiveDay === undefined && overtime === undefined)
