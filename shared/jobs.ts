// What happens without somebody waiting: which facts wake which job, and which job runs by the clock.
// The cloud stack turns this into rules, queues and schedules; the local bus reads the same lines.

export const jobs = {
  recalculate: {
    facts: ['record.created', 'schedule.changed', 'shift.changed', 'employee.changed', 'company.changed'],
    batchSize: 100,
  },
  refresh: {
    facts: [
      'record.created',
      'day.changed',
      'schedule.changed',
      'shift.changed',
      'employee.changed',
      'department.changed',
      'device.changed',
      'company.changed',
    ],
    batchSize: 100,
  },
} as const

export const schedules = {
  /** Zones differ by quarter hours, so four times an hour meets the end of every local day. */
  close: { everyMinutes: 15 },
} as const

export type JobName = keyof typeof jobs
export type ScheduleName = keyof typeof schedules
