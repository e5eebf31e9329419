import type { FactType } from './fact.ts'

// What happens without somebody waiting: which facts wake which job, and which job runs by the clock.
// The cloud stack turns this into rules, queues and schedules; the local bus reads the same lines.

/** The source every fact is put on the bus with. */
export const source = 'attendance'

/** How long one run of a job may take, and how long one by the clock, which goes through all companies. */
export const jobSeconds = 120
export const scheduleSeconds = 300

export interface Job {
  facts: readonly FactType[]
  /** How many facts one run may take; more at once means fewer computations of the same employee. */
  batchSize: number
  /** How many runs go on at once, where that is not as many as of others. */
  atOnce?: number
}

export const jobs = {
  recalculate: {
    facts: ['record.created', 'schedule.changed', 'employment.changed', 'request.decided', 'days.due'],
    batchSize: 1000,
  },
  summarize: { facts: ['day.changed', 'part.changed', 'summary.due'], batchSize: 1000 },
  refresh: {
    facts: [
      'day.changed',
      'summary.changed',
      'exception.changed',
      'notice.changed',
      'orphan.changed',
      'request.changed',
      'delegation.changed',
      'schedule.changed',
      'schedule.planned',
      'shift.changed',
      'employee.changed',
      'department.changed',
      'holiday.changed',
      'leave.changed',
      'device.changed',
      'command.queued',
      'command.changed',
      'command.settled',
      'deviceUser.changed',
      'company.changed',
      'zone.changed',
      'task.changed',
      'webhook.changed',
      'apiKey.changed',
      'record.held',
    ],
    batchSize: 100,
  },
  /** Mails take a while each, and one that fails has its messages come again. */
  notify: {
    facts: ['request.changed', 'exception.raised', 'webhook.troubled', 'record.held', 'mailing.failed'],
    batchSize: 10,
  },
  // One task that takes long must not hold up another.
  perform: { facts: ['task.due'], batchSize: 1 },
  sheet: { facts: ['sheet.due'], batchSize: 1 },
  /** Years of one person may be removed at once. */
  forget: { facts: ['leaver.due'], batchSize: 1 },
  /** What is heard is written down to be delivered. */
  announce: { facts: ['event.happened'], batchSize: 100 },
  // One receiver that is slow must not hold up another: a run waits for answers, and for little else.
  deliver: { facts: ['delivery.due'], batchSize: 1, atOnce: 100 },
  /** Whom terminals have to know. */
  enlist: {
    facts: [
      'employee.changed',
      'credential.changed',
      'department.moved',
      'device.owed',
      'leaver.due',
      'command.settled',
    ],
    batchSize: 100,
  },
  command: {
    facts: ['command.queued', 'command.settled', 'prevention.changed'],
    batchSize: 100,
  },
} as const satisfies Record<string, Job>

export const schedules = {
  /** Zones differ by quarter hours, so four times an hour meets the end of every local day. */
  close: { everyMinutes: 15 },
  /** Reports are mailed by the minute of the company's clock, and a little later. */
  mail: { everyMinutes: 5 },
  /** What a receiver did not take is tried again by the minute. */
  redeliver: { everyMinutes: 1 },
  /** Terminals are looked after. */
  poll: { everyMinutes: 1 },
  /** What was lost comes seldom, and looking for it costs reads: it may wait for an hour. */
  sweep: { everyMinutes: 60 },
} as const

export type JobName = keyof typeof jobs
export type ScheduleName = keyof typeof schedules
