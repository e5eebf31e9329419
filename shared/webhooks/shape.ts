import * as z from 'zod'
import { at, day } from '../contract.ts'
import { toldRow } from '../preview.ts'
import { personOutput, recordOutput } from '../record.ts'
import { type EventName, ping } from './event.ts'

// The payload of each event, for receivers, with a sample of each.

const employee = z.object({
  employee: personOutput.extend({
    id: z.string(),
    departments: z.array(z.string()).optional().describe('names of other departments'),
    position: z.string().optional(),
    email: z.string().optional(),
    tel: z.string().optional(),
    hireDay: day.optional(),
    endDay: day.optional(),
  }),
})

const terminal = z.object({
  serial_number: z.string(),
  name: z.string().optional().describe('absent for a deleted terminal'),
  department: z.string().optional(),
  model: z.string().optional(),
  firmware: z.string().optional(),
  online: z.boolean(),
})

const outcome = toldRow.nullable()

const attendance = z.object({
  employee: personOutput.extend({ id: z.string() }),
  day,
  shift: z.string().nullable().describe('name of the shift; null on a day without one'),
  before: outcome.describe('null for a new row'),
  after: outcome.describe('null for a removed row'),
  reason: z.string().describe('cause of the recalculation: punch, schedule, request, close, …'),
  calculatedAt: at.describe('events of a day may arrive out of order; the latest counts'),
})

const correction = recordOutput.pick({ uuid: true, device: true, employee: true, workno: true }).extend({
  checktime: at.nullable().describe('when the punch counts from now on; null if it does not count'),
  before: at.nullable().describe('when it counted before; null if it did not count'),
  recorded: at.optional().describe('when the terminal recorded it; absent for a punch that a manager added'),
  checktype: z.int().optional().describe('0 in, 1 out; for a punch that a manager added'),
  reason: z.string(),
  author: z
    .object({ id: z.string(), workno: z.string() })
    .optional()
    .describe('the manager, or the employee who objected; absent for a deleted person'),
})

export const eventData = {
  'employee.created': employee,
  'employee.updated': employee,
  'employee.deleted': employee,
  'record.created': recordOutput,
  'record.updated': recordOutput,
  'record.deleted': recordOutput.omit({ checktype: true, temperature: true, mask: true }),
  'record.correction_added': correction,
  'record.correction_updated': correction,
  'record.correction_ignored': correction,
  'record.correction_restored': correction,
  'terminal.registered': terminal,
  'terminal.updated': terminal,
  'terminal.online': terminal,
  'terminal.offline': terminal,
  'terminal.removed': terminal,
  'attendance.day_changed': attendance,
  [ping]: z.object({ webhook: z.string() }),
} as const satisfies Record<EventName | typeof ping, z.ZodType>

export type EventData = { [E in keyof typeof eventData]: z.output<(typeof eventData)[E]> }

/** The body of every webhook. */
export const eventBody = z.object({
  type: z.string(),
  timestamp: at.describe('time of the event; `webhook-timestamp` is the time of sending'),
  ...{ company_id: z.string(), data: z.unknown() },
  link: z.url().optional().describe('URL of the full data, if it exceeds 20 KB; `data` then has only an `id`'),
})

/** The description of each event in one sentence. */
export const eventWords = {
  'employee.created': 'An employee was added.',
  'employee.updated': 'The reported data of an employee changed.',
  'employee.deleted': 'An employee was deleted.',
  'record.created': 'A punch was stored.',
  'record.updated': 'The employee of a punch changed, because its number was assigned or unassigned.',
  'record.deleted': 'A punch was removed after its retention period.',
  'record.correction_added': 'A manager added a punch, and it counts. If both must agree, the employee has agreed.',
  'record.correction_updated': 'A punch counts at another time, by a correction of a manager.',
  'record.correction_ignored': 'A punch no longer counts, because a manager ignored it.',
  'record.correction_restored':
    'A correction ended: a manager reverted it, or the employee objected. An added punch no longer counts then.',
  'terminal.registered': 'A terminal was added to the company.',
  'terminal.updated': 'The data of a terminal changed.',
  'terminal.online': 'A terminal came online.',
  'terminal.offline': 'A terminal has been silent for over ten minutes. Short interruptions send no event.',
  'terminal.removed': 'A terminal was deleted.',
  'attendance.day_changed': 'The result of an employee’s day changed.',
  [ping]: 'A user tested the endpoint.',
} as const satisfies Record<EventName | typeof ping, string>

export const sampleTimestamp = '2026-11-02T06:57:14.120Z'
export const sampleCompany = 'mfw29zq4b1c2d3e4'

const ada = { workno: '1001', first_name: 'Ada', last_name: 'Byron', department: 'Research' }
const sampleEmployee = {
  employee: { ...ada, id: 'mfw2a1x0q3k8s7d1', position: 'Analyst', email: 'ada@example.com', hireDay: '2026-01-05' },
}
const sampleRecord = {
  uuid: '3b0e7a44-6f0d-4c3e-9c2a-8f3a2f3f9f10',
  checktime: '2026-11-02T08:57:12+02:00',
  device: { serial_number: 'ABC1234567', name: 'Main gate' },
  employee: ada,
  workno: '1001',
}
const sampleCorrection = {
  uuid: '3b0e7a44-6f0d-4c3e-9c2a-8f3a2f3f9f10',
  device: { serial_number: 'ABC1234567', name: 'Main gate' },
  ...{ employee: ada, workno: '1001' },
  ...{ reason: 'Queue at the gate', author: { id: 'mfw2a1x0q3k8s7d2', workno: '1002' } },
}
const [recordedTime, correctedTime] = ['2026-11-02T06:57:12.000Z', '2026-11-02T06:45:00.000Z']
const sampleTerminal = {
  ...{ serial_number: 'ABC1234567', name: 'Main gate', department: 'Research' },
  ...{ model: 'AiFace', firmware: '2.4.1', online: true },
}
const noMinutes = {
  ...{ earlyLeaveMinutes: 0, absentMinutes: 0, leaveMinutes: 0, overtimeMinutes: 0 },
  unscheduledMinutes: 0,
}

export const eventSamples: EventData = {
  'employee.created': sampleEmployee,
  'employee.updated': sampleEmployee,
  'employee.deleted': sampleEmployee,
  'record.created': { ...sampleRecord, checktype: 0, temperature: 36.6, mask: false },
  'record.updated': { ...sampleRecord, workno: '77', checktype: 0 },
  'record.deleted': sampleRecord,
  'record.correction_added': {
    ...sampleCorrection,
    ...{ device: { serial_number: 'manager' }, checktime: '2026-11-02T15:00:00.000Z', before: null, checktype: 1 },
  },
  'record.correction_updated': {
    ...sampleCorrection,
    ...{ checktime: correctedTime, before: recordedTime, recorded: recordedTime },
  },
  'record.correction_ignored': { ...sampleCorrection, checktime: null, before: recordedTime, recorded: recordedTime },
  'record.correction_restored': {
    ...sampleCorrection,
    ...{ checktime: recordedTime, before: correctedTime, recorded: recordedTime },
  },
  'terminal.registered': sampleTerminal,
  'terminal.updated': sampleTerminal,
  'terminal.online': sampleTerminal,
  'terminal.offline': { ...sampleTerminal, online: false },
  'terminal.removed': { serial_number: 'ABC1234567', online: false },
  'attendance.day_changed': {
    employee: { ...ada, id: 'mfw2a1x0q3k8s7d1' },
    ...{ day: '2026-11-02', shift: 'Early', reason: 'punch', calculatedAt: sampleTimestamp },
    before: {
      kind: 'work',
      exceptions: [],
      dutyMinutes: 480,
      workMinutes: 0,
      lateMinutes: 0,
      ...noMinutes,
      unresolvedMinutes: 480,
    },
    after: {
      kind: 'work',
      exceptions: ['missingOut'],
      dutyMinutes: 480,
      workMinutes: 0,
      lateMinutes: 7,
      ...noMinutes,
      unresolvedMinutes: 473,
    },
  },
  'webhook.ping': { webhook: 'mfw2a1x0q3k8s7d1' },
}
