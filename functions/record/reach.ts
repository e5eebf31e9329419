import type { Company } from '../../shared/company.ts'
import type { Employee } from '../../shared/employee.ts'
import { holidayCalendar } from '../../shared/holiday/day.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { roles } from '../../shared/permissions.ts'
import {
  type Correcting,
  defaultCorrectionRule,
  defaultObjectionDays,
  firstReachedDay,
} from '../../shared/record/rule.ts'
import { readHolidays } from '../holiday/store.ts'
import type { Table } from '../kit/table.ts'

/** Far enough for `mostReachDays` working days with a year of weekends and holidays. */
const mostHolidayYears = 3

/** The first day that a correction may change, for employees of a department. */
export const firstCorrectedDay = async (
  table: Table,
  { timezone, correctionReachDays }: { timezone: string; correctionReachDays: number },
  department: string,
): Promise<string> => {
  const today = localDay(timezone, Date.now())
  const from = addDays(today, -mostHolidayYears * 366)
  const isHoliday = holidayCalendar(await readHolidays(table, { from, to: today }), from, today)
  return firstReachedDay(today, correctionReachDays, day => isHoliday(department, day))
}

/** The correction rule for a person's day, with the error code if managers cannot correct that day. */
export const tellCorrecting = async (
  table: Table,
  company: Company,
  { department, account, role }: Employee,
  day: string,
): Promise<Correcting> => {
  const { correctionRule = defaultCorrectionRule, objectionDays = defaultObjectionDays } = company
  const { timezone, correctionReachDays } = company
  const isTooEarly =
    correctionReachDays !== undefined &&
    day < (await firstCorrectedDay(table, { timezone, correctionReachDays }, department))
  const refused = correctionRule === 'request' ? 60092 : isTooEarly ? 60093 : undefined
  return { rule: correctionRule, objectionDays, refused, canAnswer: account !== undefined && role !== roles.none }
}
