import * as z from 'zod'
import type { Audited, Change } from './change.ts'
import type { Company } from './company.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing, text, version } from './contract.ts'
import type { Code } from './errors.ts'
import { entered, overtimeBehalf, shiftBehalf } from './personal/behalf.ts'
import {
  leaveBalances,
  requestDetails,
  requestId,
  requestOutput,
  requestState,
  requestType,
} from './personal/request.ts'
import { toldRow } from './preview.ts'
import { mostRequestsAtOnce, type Request, type RequestStep, requestStatus } from './request.ts'
import type { Key } from './table.ts'

// Approval of requests. Managers with the permission decide within their departments, and so do their delegates.

/**
 * An absent approver delegates their decisions to another person. A delegation ends with its last day, or when the
 * approver loses the permission.
 */
export interface Delegation {
  /** The absent approver. */
  employee: string
  /** The person who decides instead. */
  delegate: string
  /** First and last day, both included, in the company's zone. */
  from: string
  to: string
  /** Some days after the last one, in epoch seconds. */
  expiresAt: number
}

const audited: Audited<Delegation> = {
  noun: 'delegation',
  id: ({ employee }) => employee,
  name: () => '',
}

export const delegationKey = (employee: string): Key<Delegation> => ({ pk: 'DELEGATION', sk: employee, audited })

export const isDelegated = ({ from, to }: Pick<Delegation, 'from' | 'to'>, day: string) => from <= day && day <= to

/** A change of a delegation changes what the delegate may see. */
export const delegationFacts = ({ company }: Change<Delegation>) => [{ type: 'delegation.changed' as const, company }]

/** The people behind a step: the person who took it, and the absent approver they represent. */
const peopleBehind = ({ by, onBehalfOf = by }: Pick<RequestStep, 'by' | 'onBehalfOf'>) => [by, onBehalfOf]

/** The first of two approvals, for a request that waits for the second. */
export const firstApproval = ({ status, steps }: Pick<Request, 'status' | 'steps'>): RequestStep | undefined =>
  status === requestStatus.pending ? steps.find(step => step.status === requestStatus.approved) : undefined

type Rule = Pick<Company, 'secondStep'>

/** Whether one more approval leaves the request pending. */
export const isFirstOfTwo = (request: Pick<Request, 'status' | 'steps' | 'type'>, { secondStep = [] }: Rule): boolean =>
  request.status === requestStatus.pending && secondStep.includes(request.type) && !firstApproval(request)

/** Returns 60083 if one person would give both approvals of a two-step approval. */
export const refusedStep = (
  request: Pick<Request, 'status' | 'steps' | 'type'>,
  step: Pick<RequestStep, 'by' | 'onBehalfOf'>,
  { secondStep = [] }: Rule,
): Code | undefined => {
  const first = secondStep.includes(request.type) ? firstApproval(request) : undefined
  return first && peopleBehind(step).some(person => peopleBehind(first).includes(person)) ? 60083 : undefined
}

/** The decisions the caller may make on a request, and the reason against others. */
const judged = {
  department: id.describe('main department of the requester'),
  moves: z
    .array(z.literal([1, 2, 3]))
    .describe('states that the caller may set now: 1 approved, 2 declined, 3 cancelled'),
  refused: z
    .int()
    .optional()
    .describe('error code if the caller may not approve it, or not cancel the approved request'),
  needsSecond: z.boolean().describe('whether it stays pending after this approval, because it needs a second one'),
}

const face = toldRow.extend({ firstIn: at.optional(), lastOut: at.optional() })
const judgedDay = z.object({
  day,
  timezone: z.string(),
  shift: z.string().optional().describe('name of the shift; absent on a day without one'),
  shiftColor: z.string().optional(),
  dutyFrom: at.optional(),
  dutyTo: at.optional(),
  before: face.nullable().describe('present row; null if there is none'),
  after: face.nullable().optional().describe('row after the approval or cancellation; null if there is none'),
})
/** The count of pending requests stops here. */
export const mostCounted = 100
/** The most days shown for one request. */
export const mostJudgedDays = 31
/** The most colleagues shown for one request. */
export const mostColleagues = 20

const named = { employee: id, id: requestId }

export const approvePaths = {
  'approve/grid': {
    does: 'Lists requests of people the caller manages or decides for as a delegate: pending ones by last day, decided ones newest first.',
    who: [10],
    input: gridInput(
      z.strictObject({
        status: requestState.optional(),
        type: requestType.optional(),
        from: day.optional().describe('requests that end on this day or later'),
        to: day.optional(),
        department: id.optional().describe('includes sub-departments; the person’s current department'),
        employee: id.optional(),
        search: z.string().trim().max(100).optional().describe('part of name or employee ID'),
      }),
    ),
    output: gridOutput(requestOutput.extend(judged)),
  },
  'approve/count': {
    does: 'Counts the pending requests the caller can decide on, up to 100.',
    who: [10],
    input: nothing,
    output: z.object({ count: z.int().min(0).max(mostCounted) }),
  },
  'approve/get': {
    does: 'Returns a request, its days before and after the decision, and the colleagues on leave at the same time.',
    who: [10],
    input: z.strictObject(named),
    output: requestDetails.extend({
      ...judged,
      days: z.array(judgedDay).describe(`the first ${mostJudgedDays} rows, oldest first`),
      dayCount: z.int().min(0).describe('number of rows'),
      people: z.int().min(0).describe('number of employees in that department'),
      colleagues: z
        .array(
          z.object({
            employee: id,
            first_name: z.string(),
            last_name: z.string(),
            leaveType: z.int(),
            status: requestState,
            date: day,
            toDate: day,
            isAllDay: z.boolean(),
          }),
        )
        .describe(
          `members of that department with approved or requested leave at the same time; at most ${mostColleagues}`,
        ),
      balances: leaveBalances.balances.optional(),
      exceeds: leaveBalances.exceeds,
    }),
  },
  'approve/update': {
    does: 'Approves or declines requests, or revokes approved ones, all or none. Callers cannot decide on their own requests (60082). With two-step approval, the request stays pending until a second person approves it (60083).',
    who: [10],
    isPersonal: true,
    writes: true,
    input: z.strictObject({
      requests: z.array(z.strictObject(named)).min(1).max(mostRequestsAtOnce),
      status: z.literal([1, 2, 3]).describe('1 approved, 2 declined, 3 cancelled'),
      reason: text(500).optional().describe('shown to the requester'),
    }),
    output: done,
  },
  'approve/shift/add': {
    does: 'Enters a missing punch for one or more people, all or none, as requested by them and approved by the caller. Rejects what the person could not request, with its code at `employees.<index>`.',
    who: [10],
    isPersonal: true,
    writes: true,
    input: shiftBehalf,
    output: entered,
  },
  'approve/overtime/add': {
    does: 'Enters overtime for one or more people, all or none, as requested by them and approved by the caller. Rejects what the person could not request, with its code at `employees.<index>`.',
    who: [10],
    isPersonal: true,
    writes: true,
    input: overtimeBehalf,
    output: entered,
  },
  'approve/employee/grid': {
    does: 'Lists the people whose requests the caller decides, in order of name.',
    who: [10],
    input: gridInput(
      z.strictObject({ search: z.string().trim().max(100).optional().describe('part of name or employee ID') }),
    ),
    output: gridOutput(z.object({ id, first_name: z.string(), last_name: z.string(), workno: z.string() })),
  },
  'approve/comment/add': {
    does: 'Adds a comment to a request, visible to its author and to everyone who can decide.',
    who: [10],
    isPersonal: true,
    writes: true,
    input: z.strictObject({ ...named, text: text(500) }),
    output: z.object({ comment: id }),
  },
  'approve/params': {
    does: 'Returns the request types with two-step approval.',
    who: [10],
    input: nothing,
    output: z.object({ secondStep: z.array(requestType), version }),
  },
  'approve/params/update': {
    does: 'Sets the request types with two-step approval; pending requests follow the new rule.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ version, secondStep: z.array(requestType).max(3) }),
    output: done,
  },
  'approve/delegate/all': {
    does: 'Lists possible delegates of the caller: people who may approve requests of some of the same departments.',
    who: [10],
    isPersonal: true,
    input: nothing,
    output: z.object({
      list: z.array(z.object({ employee: id, first_name: z.string(), last_name: z.string(), workno: z.string() })),
    }),
  },
  'approve/delegate/get': {
    does: "Returns the caller's delegate, and the people who delegated their approvals to the caller.",
    who: [10],
    isPersonal: true,
    input: nothing,
    output: z.object({
      own: z
        .object({ employee: id, name: z.string(), from: day, to: day })
        .optional()
        .describe('the caller’s delegate; absent without one'),
      list: z
        .array(z.object({ employee: id, name: z.string(), from: day, to: day }))
        .describe('people who delegated to the caller, for today or later'),
      today: day,
    }),
  },
  'approve/delegate/update': {
    does: "Delegates the caller's approvals to another person for a range of days. The delegate decides for the people the caller manages, as long as both may approve.",
    who: [10],
    isPersonal: true,
    writes: true,
    input: z.strictObject({
      employee: id.describe('must have the permission to approve (60005)'),
      from: day,
      to: day.describe('inclusive; at most a year after `from`'),
    }),
    output: done,
  },
  'approve/delegate/delete': {
    does: "Ends the caller's delegation.",
    who: [10],
    isPersonal: true,
    writes: true,
    input: nothing,
    output: done,
  },
} as const satisfies Declarations
