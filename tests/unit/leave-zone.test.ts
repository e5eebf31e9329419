import { expect, test } from 'vitest'
import { defaultParameters } from '../../shared/attendance/input.ts'
import { type AskedLeave, countLeave } from '../../shared/leave/day.ts'

// The estimate of a part-day leave, in a department with another zone than the company.

test('divides a leave at the midnight of the department', () => {
  // In Tokyo, 22:00 on Thursday until 01:00 on Friday. In London, both are on Thursday.
  const leave: AskedLeave = {
    ...{ id: 'leave', day: '2026-01-15', toDay: '2026-01-16', leaveType: 1 },
    ...{ from: '2026-01-15T13:00:00.000Z', to: '2026-01-15T16:00:00.000Z' },
  }
  const days = countLeave([leave], {
    company: { timezone: 'Europe/London', parameters: defaultParameters },
    employee: {},
    ...{ schedule: [], shifts: {}, isHoliday: () => false },
    zones: [{ from: '2026-01-01', zone: 'Asia/Tokyo' }],
  })
  expect(days.map(({ day, minutes }) => [day, minutes])).toEqual([
    ['2026-01-15', 120],
    ['2026-01-16', 60],
  ])
})
