import type { FactType } from './fact.ts'

// Background work: the facts that start each job, and the schedules of scheduled jobs. The cloud stack derives rules,
// queues and schedules from this file. The local bus reads the same declarations.

/** The source of every fact on the bus. */
export const source = 'attendance'

/** The most seconds of one run, for a job or a schedule. A scheduled run visits all companies. */
export const jobSeconds = 120
export const scheduleSeconds = 300

export interface Job {
  facts: readonly FactType[]
  /** The most facts of one run. Larger batches calculate the same employee less often. */
  batchSize: number
  /** The most concurrent runs, unless the default applies. */
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
      'correction.changed',
      'dayNote.changed',
      'summary.changed',
      'exception.changed',
      'notice.changed',
      'orphan.changed',
      'request.changed',
      'delegation.changed',
      'schedule.changed',
      'schedule.planned',
      'schedule.drafted',
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
  /** A mail takes some time, and a failed mail retries its whole batch. */
  notify: {
    facts: [
      'request.changed',
      'correction.changed',
      'dayNote.changed',
      'absence.marked',
      'exception.raised',
      'webhook.troubled',
      'record.held',
      'mailing.failed',
      'schedule.published',
    ],
    batchSize: 10,
  },
  // A long task must not delay other tasks.
  perform: { facts: ['task.due'], batchSize: 1 },
  sheet: { facts: ['sheet.due'], batchSize: 1 },
  /** One run may delete years of one person's data. */
  forget: { facts: ['leaver.due'], batchSize: 1 },
  /** Stores the deliveries of events with subscribed webhooks. */
  announce: { facts: ['event.happened'], batchSize: 100 },
  // A slow receiver must not delay other receivers. A run mostly waits for responses.
  deliver: { facts: ['delivery.due'], batchSize: 1, atOnce: 100 },
  /** Updates the list of users for each terminal. */
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
  /** Zones differ by quarter hours, so four runs per hour catch the end of every local day. */
  close: { everyMinutes: 15 },
  /** Reports are due at a minute of the company's clock, and a run soon after it mails them. */
  mail: { everyMinutes: 5 },
  /** Retries failed deliveries. */
  redeliver: { everyMinutes: 1 },
  /** Checks terminals. */
  poll: { everyMinutes: 1 },
  /** Runs hourly, because lost work is rare and the search costs reads. */
  sweep: { everyMinutes: 60 },
  /** Runs pending data migrations (`infra/migrate`). On one machine `npm start` runs them. */
  migrate: { everyMinutes: 5 },
} as const

export type JobName = keyof typeof jobs
export type ScheduleName = keyof typeof schedules
