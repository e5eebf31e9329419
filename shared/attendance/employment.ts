// The periods in which a person works for the company. A rehired person has several periods with gaps.

/** An employment includes both days. Without a hire day it has no beginning, without an end day no end. */
export interface Employment {
  hireDay?: string
  endDay?: string
}

/** The last employment, and the earlier employments. */
export interface Employments extends Employment {
  /** The earlier employments, oldest first. */
  earlierEmployments?: EndedEmployment[]
}
export interface EndedEmployment extends Employment {
  endDay: string
}

/** Every employment of a person, oldest first. */
export const employmentsOf = ({ hireDay, endDay, earlierEmployments = [] }: Employments): Employment[] => [
  ...earlierEmployments,
  { ...(hireDay !== undefined && { hireDay }), ...(endDay !== undefined && { endDay }) },
]

/** Whether one of the employments shares a day with the range. */
export const isEmployedBetween = (person: Employments, from: string, to: string): boolean =>
  employmentsOf(person).some(({ hireDay = from, endDay = to }) => hireDay <= to && endDay >= from)

export const isEmployedOn = (person: Employments, day: string): boolean => isEmployedBetween(person, day, day)
