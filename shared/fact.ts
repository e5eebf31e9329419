import { absenceFacts } from './absence.ts'
import { apiKeyFacts } from './apikey.ts'
import { delegationFacts } from './approve.ts'
import type { Change } from './change.ts'
import { companyFacts } from './company.ts'
import { credentialFacts } from './credential.ts'
import { type Cause, dayRowFacts } from './day.ts'
import { departmentFacts } from './department.ts'
import { deviceFacts } from './device/fact.ts'
import { employeeFacts, formerEmployeeFacts } from './employee.ts'
import { erasureFacts } from './erasure.ts'
import { exceptionFacts } from './exception.ts'
import { holidayFacts } from './holiday/day.ts'
import { leaveFacts } from './leave.ts'
import { noticeFacts } from './notice.ts'
import { punchFacts, quarantineFacts } from './punch.ts'
import { correctionFacts } from './record/correction.ts'
import { dayNoteFacts } from './record/day-note.ts'
import { orphanFacts } from './record/orphan.ts'
import { requestFacts } from './request.ts'
import { scheduleFacts } from './schedule/month.ts'
import { shiftFacts } from './shift.ts'
import { summaryFacts, summaryPartFacts } from './summary.ts'
import { taskFacts } from './task.ts'
import { commandFacts, settledCommandFacts } from './terminal/command.ts'
import { deviceUserFacts } from './terminal/user.ts'
import { timeAccountFacts } from './time-account.ts'
import { type DeliveryDue, deliveryFacts, dueDeliveryFacts, webhookHealthFacts } from './webhooks/delivery.ts'
import { type Happened, happened } from './webhooks/event.ts'
import { webhookFacts } from './webhooks.ts'

// Every write is a fact. Each noun turns a change of its item into facts. A fact names the data to read again, and
// never contains amounts to add.

/** The facts by the first word of an item's partition key. Items of other kinds raise no fact. */
const facts = {
  ABSENCE: absenceFacts,
  API_KEY: apiKeyFacts,
  COMMAND: commandFacts,
  COMPANY: companyFacts,
  CORRECTION: correctionFacts,
  CREDENTIAL: credentialFacts,
  DAY: dayRowFacts,
  DAY_NOTE: dayNoteFacts,
  DELEGATION: delegationFacts,
  DELIVERY: deliveryFacts,
  DEPARTMENT: departmentFacts,
  DEVICE: deviceFacts,
  DEVICE_USER: deviceUserFacts,
  EMPLOYEE: employeeFacts,
  ERASURE: erasureFacts,
  EXCEPTION: exceptionFacts,
  FORMER_EMPLOYEE: formerEmployeeFacts,
  HOLIDAY: holidayFacts,
  LEAVE: leaveFacts,
  NOTICE: noticeFacts,
  ORPHAN: orphanFacts,
  PUNCH: punchFacts,
  QUARANTINE: quarantineFacts,
  REQUEST: requestFacts,
  SCHEDULE: scheduleFacts,
  SETTLED_COMMAND: settledCommandFacts,
  SHIFT: shiftFacts,
  SUMMARY: summaryFacts,
  SUMMARY_PART: summaryPartFacts,
  TASK: taskFacts,
  TIME_ACCOUNT: timeAccountFacts,
  WEBHOOK: webhookFacts,
  WEBHOOK_HEALTH: webhookHealthFacts,
} as const

/** Recalculates days of an employee. A job sends this fact to itself, in portions that fit one run. */
export interface DaysDue {
  type: 'days.due'
  company: string
  employee: string
  from: string
  to: string
  /** The cause of the recalculation. */
  cause: Cause
}

/** A part of a publication has changed days of this employee, who gets a notice about them. */
export interface SchedulePublished {
  type: 'schedule.published'
  company: string
  employee: string
  /** The task that published, and the person or API key that started it. */
  task: string
  part: number
  by: string
}

/** Recalculates the summaries of these days, even if no row has changed. */
export interface SummaryDue {
  type: 'summary.due'
  company: string
  from: string
  to: string
}

/** The last day of this employee has passed, so the job checks which data it may keep. */
export interface LeaverDue {
  type: 'leaver.due'
  company: string
  employee: string
}

export type Fact =
  | ReturnType<(typeof facts)[keyof typeof facts]>[number]
  | DaysDue
  | DeliveryDue
  | Happened
  | LeaverDue
  | SchedulePublished
  | SummaryDue
export type FactType = Fact['type']

const isKind = (kind: string): kind is keyof typeof facts => kind in facts

/** The facts of a change of a company's item. `pk` is the noun's own key, without the company. */
export const factsOf = (pk: string, change: Change): Fact[] => {
  const [kind = '', webhook = ''] = pk.split('#', 2)
  if (kind === 'DUE_DELIVERY') return dueDeliveryFacts(webhook, change as Change<never>)
  if (!isKind(kind)) return []
  const toFacts: (change: Change<never>) => Fact[] = facts[kind]
  return [...toFacts(change as Change<never>), ...happened(kind, change)]
}
