import * as z from 'zod'
import { email, newPassword } from './account.ts'
import { type Employments, employmentsOf } from './attendance/employment.ts'
import type { Audited, Change } from './change.ts'
import { type Company, defaultRetentionMonths } from './company.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing, text, version } from './contract.ts'
import { credentialPaths } from './credential.ts'
import { formerEmployeePaths } from './employee/former.ts'
import { manyEmployeesPaths } from './employee/many.ts'
import { personGetInput, personOutput } from './employee/person.ts'
import { fold } from './fold.ts'
import { imageTypes, mostPhotos } from './image.ts'
import { invitationPaths, invited } from './invitation.ts'
import { type Language, language } from './language.ts'
import { addMonths } from './local-day.ts'
import { roles } from './permissions.ts'
import { fullName, type PersonName } from './person-name.ts'
import { searchText } from './search.ts'
import type { Key } from './table.ts'
import { begun, importInput, isTemplate, sheetType } from './task.ts'

export interface Employee extends Employments {
  id: string
  first_name: string
  last_name: string
  /** The company's name order when the server last wrote the names. */
  isFamilyFirst?: true
  /** The pinyin of a Chinese name, such as `zhang wei`. Lists sort by it, and searches find it. */
  reading?: string
  /** The employee ID, which the employee types at terminals and at employee sign-in. Decimal, without leading zeros. */
  workno: string
  /** Earlier employee IDs. Punches with an earlier ID still belong to the employee. */
  formerWorknos?: string[]
  /** The main department, in which worked days count. */
  department: string
  /** The other departments. Their managers also manage the employee. */
  departments?: string[]
  position?: string
  /** A contact address only. The account holds the sign-in address. */
  email?: string
  /**
   * The employee or API key that entered `email`, possibly with their own address. Rows older than this attribute lack
   * it, and count as entered by an employee without rights.
   */
  emailSetBy?: string
  tel?: string
  role: number
  /** The custom role of an employee with role 2. */
  roleId?: string
  /** The account for signing in. Absent until the employee has a password. */
  account?: string
  /** When the password was last set or changed. */
  passwordSetAt?: string
  /**
   * The employee who provided the sign-in: the password, the link, or the mailed invitation's address. That employee
   * may have used the sign-in. Signing in keeps this attribute; only another invitation or password changes it. A
   * person who joined with the company's invitation is their own provider.
   */
  passwordSetBy?: string
  /**
   * Sessions are invalid if they began or were confirmed before this instant, because the sign-in has changed since.
   */
  sessionsSince?: string
  /**
   * The employee joined with the company's invitation and waits for a role. Sign-in then answers 21023 instead of
   * 21021.
   */
  isWaiting?: true
  /** The language of the employee's mails. */
  language?: Language
  /** When the server erased the identity of a former employee. The names are then a pseudonym. */
  erasedAt?: string
  /** The owner of the company. Administrators cannot delete the owner (59012). */
  isOwner?: true
  /** The upload id of the photo, which changes with every new photo. Absent without a photo. */
  photo?: string
}

/** The sort key of a name: the name as read, with case and accents folded. */
export const nameToSort = (employee: PersonName & Pick<Employee, 'reading'>): string =>
  fold(employee.reading ?? fullName(employee))

/**
 * The most letters of a name in an index key. A key has at most 1024 bytes and two texts, with up to three bytes per
 * character.
 */
const mostLetters = 200
/** The order of names. Employees with equal names follow the order of their creation. */
const nameOrder = (employee: Employee) => `${nameToSort(employee).slice(0, mostLetters).toWellFormed()} #${employee.id}`
/** The order of employee IDs, in which 2 comes before 10. Employee IDs are unique. */
export const numberOrder = ({ workno }: Pick<Employee, 'workno'>) => workno.padStart(12, '0')

/** Pinyin in full and by initials: `zhang wei`, `zhangwei` and `zw`. */
const spellings = (reading: string) => [
  reading,
  reading.replaceAll(' ', ''),
  reading
    .split(' ')
    .map(syllable => syllable[0])
    .join(''),
]

type Searched = Pick<Employee, 'first_name' | 'last_name' | 'reading' | 'workno' | 'email' | 'position'>

/** The text for searches: the name in both orders and in pinyin, the employee ID, the e-mail and the position. */
export const employeeSearchText = ({ first_name, last_name, reading, workno, email, position }: Searched): string =>
  [
    `${first_name} ${last_name} ${first_name}`,
    last_name + first_name,
    ...(reading ? spellings(reading) : []),
    ...[workno, email, position],
  ]
    .flatMap(part => (part ? [searchText(part)] : []))
    .join('\n')

const audited: Audited<Employee> = {
  noun: 'employee',
  id: ({ id }) => id,
  name: employee => fullName(employee),
}

export const employeeKey = (id: string): Key<Employee> => ({
  pk: 'EMPLOYEE',
  sk: id,
  audited,
  places: employee => ({
    byName: { pk: 'EMPLOYEE', sk: nameOrder(employee) },
    byNumber: { pk: 'EMPLOYEE', sk: numberOrder(employee) },
    search: employeeSearchText(employee),
  }),
})

/** An employee in a member list, with the attributes that the list filters by. */
interface Member {
  employee: string
  role: number
  roleId?: string
  endDay?: string
}
/** An employee of a department, which may or may not be the main department. */
export interface DepartmentMember extends Member {
  department: string
}
/** An employee in a rare list. One row holds all departments, so that no row per department is necessary. */
export interface RareMember extends Member {
  departments: string[]
}

export const departmentMemberPk = (department: string) => `DEPARTMENT_EMPLOYEE#${department}`
/** Rare states of employees. A list for each state avoids a search among all employees. */
export const rareStates = ['waiting', 'left', 'administrator'] as const
type RareState = (typeof rareStates)[number]
export const rareMemberPk = (state: RareState) => `RARE_EMPLOYEE#${state}`
/** The rare lists of an employee. A reader of `left` checks whether the end day has passed. */
const rareStatesOf = ({ role, endDay }: Employee): RareState[] => [
  ...(role === roles.none ? (['waiting'] as const) : []),
  ...(endDay ? (['left'] as const) : []),
  ...(role === roles.administrator ? (['administrator'] as const) : []),
]
/** Stored beside the employee. The sort key is `<folded name> #<employee>`, so that the partition is in name order. */
const memberKey = <T extends Member>(pk: string, employee: Employee): Key<T> => ({
  pk,
  sk: nameOrder(employee),
  byNumber: { pk, sk: numberOrder(employee) },
  search: employeeSearchText(employee),
})
const member = ({ id, role, roleId, endDay }: Employee): Member => ({
  employee: id,
  role,
  ...(roleId && { roleId }),
  ...(endDay && { endDay }),
})
/** The employee's rows in the lists of their departments. */
export const departmentMembers = (employee: Employee): [Key<DepartmentMember>, DepartmentMember][] =>
  departmentsOf(employee).map(department => [
    memberKey(departmentMemberPk(department), employee),
    { ...member(employee), department },
  ])
/** The employee's rows in the rare lists. */
export const rareMembers = (employee: Employee): [Key<RareMember>, RareMember][] =>
  rareStatesOf(employee).map(state => [
    memberKey(rareMemberPk(state), employee),
    { ...member(employee), departments: departmentsOf(employee) },
  ])

export const roleMemberPk = (role: string) => `ROLE_EMPLOYEE#${role}`
/** Stored beside an employee with role 2, in name order. */
export const roleMemberKey = (role: string, employee: Employee): Key<{ employee: string }> => ({
  pk: roleMemberPk(role),
  sk: nameOrder(employee),
  search: employeeSearchText(employee),
})

/** The departments of an employee, main department first, without duplicates. */
export const departmentsOf = ({ department, departments = [] }: Pick<Employee, 'department' | 'departments'>) => [
  ...new Set([department, ...departments]),
]

/** Whether the last day was before `today`. A former employee cannot sign in. */
export const hasLeft = ({ endDay }: Pick<Employee, 'endDay'>, today: string) => endDay !== undefined && endDay < today

/** Days for which the server keeps a former employee's card, password and templates. The employee may soon return. */
export const credentialDays = 30

/** Whether the retention of a deleted or erased employee is over. `today` is in the company's zone. */
export const isForgotten = (
  { endDay }: Pick<Employee, 'endDay'>,
  { retentionMonths = defaultRetentionMonths }: Pick<Company, 'retentionMonths'>,
  today: string,
) => endDay !== undefined && addMonths(endDay, retentionMonths) < today

/**
 * The first day within the retention. The server may have deleted older records, so it does not request them from
 * terminals again. `today` is in the company's zone.
 */
export const firstKeptDay = (
  { retentionMonths = defaultRetentionMonths }: Pick<Company, 'retentionMonths'>,
  today: string,
): string => addMonths(today, -retentionMonths)

/** The holder of an employee ID. */
export interface NumberHolder {
  employee: string
  /**
   * Since when the employee holds the ID. The server announced earlier punches without an employee, and has not
   * announced the new holder.
   */
  untoldBefore?: string
}
/** The server never reuses an employee ID, even after its holder left, because years of punches refer to it. */
export const worknoKey = (workno: string): Key<NumberHolder> => ({ pk: `WORKNO#${workno}`, sk: '-' })

export interface FormerEmployee extends Employee {
  /** The server has not deleted all data of the person yet. */
  isLeaving?: true
}

/** A deleted employee. The server keeps this item for the worked days. */
export const formerEmployeeKey = (id: string): Key<FormerEmployee> => ({ pk: 'FORMER_EMPLOYEE', sk: id })

/** An employee has one photo file, so a new photo replaces the old photo. */
export const photoKey = (employee: string) => `photo/${employee}`
/** An upload for the photo of this employee only. */
export const photoUploadKey = (employee: string, upload: string) => `upload/${employee}/${upload}`

/** The days that a new hire or end date would remove from the reports. Error 60090 contains them. */
export interface RemovedDays {
  days: number
  from: string
  to: string
  /** The minutes worked on these days, with overtime. */
  workMinutes: number
}

/** The attributes that decide about the existence of days and about their punches. */
const employment = (employee: Employee | undefined) =>
  employee && JSON.stringify([employee.workno, employee.department, employmentsOf(employee)])

export const employeeFacts = ({ company, old, new: next }: Change<Employee>) => {
  const employee = next ?? old
  if (!employee) return []
  const fact = { company, employee: employee.id }
  return [
    { type: 'employee.changed' as const, ...fact },
    ...(employment(old) === employment(next)
      ? []
      : // A new employee has no schedule yet, so the job only looks for punches.
        [{ type: 'employment.changed' as const, ...fact, workno: employee.workno, ...(!old && { isNew: true }) }]),
  ]
}

/** Recalculates former employees only for punches that terminals still deliver. */
export const formerEmployeeFacts = ({ company, old, new: next }: Change<Employee>) => [
  { type: 'employee.changed' as const, company, employee: next?.id ?? old?.id ?? '' },
]

/** Terminals use this number for unknown people, so no employee may have it. */
export const strangerNumber = '99999999'

/** 59013 if the text is no number. `007` becomes `7`, because terminals store only numbers. */
export const workno = z
  .string({ error: issue => (issue.input === undefined ? '60001' : '59013') })
  .trim()
  .min(1, '60001')
  .regex(/^0*[1-9]\d{0,11}$/, '59013')
  .transform(number => number.replace(/^0+/, ''))
  .refine(number => number !== strangerNumber, '59014')

/**
 * The most additional departments. All writes about an employee are one transaction. With ID, role and counts, a change
 * of all departments takes some 60 of the hundred writes.
 */
export const mostOtherDepartments = 10

const form = {
  first_name: text(60),
  last_name: text(60),
  workno,
  department: id,
  departments: z
    .array(id)
    .max(mostOtherDepartments)
    .optional()
    .describe('other departments; their managers also manage the person'),
  position: text(100).optional(),
  email: email.optional(),
  tel: text(40).optional(),
  hireDay: day.optional(),
  endDay: day.optional(),
  role: z.int().min(0).max(3).default(3),
  roleId: id.optional(),
}

const stored = z.object({
  id,
  ...form,
  email: z.string().optional(),
  workno: z.string(),
  role: z.int(),
  earlierEmployments: z
    .array(z.object({ hireDay: day.optional(), endDay: day }))
    .optional()
    .describe('employments before the current one, oldest first'),
  isOwner: z.literal(true).optional(),
  canSignIn: z.boolean(),
  passwordSetAt: at.optional(),
  invited: invited.optional().describe('Last invitation of a person without a sign-in, in lists only.'),
  isWaiting: z.literal(true).optional().describe('Joined with the company’s invitation and waits for a role.'),
  language: language.optional(),
  photo: z.url().optional().describe('Address of the photo, valid for half an hour.'),
  version,
})

/** `left` has an end day in the past. `waiting` has no role and is no former employee. */
export const employeeStates = ['active', 'waiting', 'left'] as const

/** The filters of the list and of an export. */
export const employeeFilters = z.strictObject({
  department: id.optional().describe('main or other department'),
  search: z
    .string()
    .trim()
    .max(100)
    .optional()
    .describe('part of name, employee ID, e-mail or position, ignoring case and accents'),
  role: z.int().min(0).max(3).optional(),
  roleId: id.optional(),
  state: z.enum(employeeStates).optional(),
})
export type EmployeeFilters = z.output<typeof employeeFilters>

/** The filters of an export: the filters of the list, or the ids of selected employees. */
const exportFilters = employeeFilters.extend({
  ids: z.array(id).min(1).max(1000).optional().describe('only these people, in this order'),
})

export const employeeSorts = ['name', 'workno'] as const
export interface EmployeeSort {
  by: (typeof employeeSorts)[number]
  descending: boolean
}

export const employeePaths = {
  'employee/grid': {
    does: 'Lists employees of the departments the caller manages, by name or employee ID.',
    who: [3],
    input: gridInput(employeeFilters, employeeSorts),
    output: gridOutput(stored),
  },
  'employee/count': {
    does: 'Counts the employees of `employee/grid`. Returns a count only for the company or for departments, not for a search.',
    who: [3],
    input: z.strictObject({ filters: employeeFilters.prefault({}) }),
    output: z.object({ count: z.int().optional() }),
  },
  'employee/get': {
    does: 'Returns one person of the departments the caller manages: the state now, the facts of the page’s head, and the totals of the month.',
    who: [3, 8, 9, 10],
    input: personGetInput,
    output: personOutput.extend({
      record: stored.optional().describe('as in `employee/grid`; only with permission 3, and for people who exist'),
    }),
  },
  'employee/add': {
    does: 'Adds an employee; with a password they can sign in by company number and employee ID.',
    who: [3],
    writes: true,
    input: z.strictObject({ ...form, password: newPassword.optional().describe('API keys cannot set passwords') }),
    output: z.object({ id }),
  },
  'employee/update': {
    does: 'Updates an employee; omitted fields are removed, except the password. Rejects a hire or end date that would remove days from the reports, until the call confirms it (60090). A person who gets a management role loses a sign-in or an e-mail that a non-administrator set up.',
    who: [3],
    writes: true,
    input: z.strictObject({
      ...{ id, version, ...form },
      password: newPassword.optional().describe('API keys cannot set passwords'),
      removesDays: z
        .int()
        .min(1)
        .optional()
        .describe('confirms that the new hire or end date removes this many days from the reports; see code 60090'),
    }),
    output: z.object({
      mustJoin: z.literal(true).optional().describe('the sign-in was removed: check the e-mail and invite the person'),
    }),
  },
  'employee/delete': {
    does: 'Deletes an employee, signs them out everywhere and deletes the photo; past days stay.',
    who: [3],
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
  'employee/workno': {
    does: 'Proposes a free employee ID. Reserves nothing: saving still answers 59014 if somebody was faster.',
    who: [3],
    input: nothing,
    output: z.object({ workno: z.string() }),
  },
  'employee/sign_in': {
    does: 'Returns how an employee signs in and who set that up, for the confirmation before a management role is assigned.',
    who: 'administrator',
    input: z.strictObject({ id }),
    output: z.object({
      canSignIn: z.boolean(),
      email: z
        .string()
        .optional()
        .describe('sign-in address; for a person without a sign-in, the address for the invitation'),
      givenBy: z.string().optional().describe('name of the employee who set it up, unless the person did'),
      mustJoin: z.boolean().describe('whether a management role would remove this sign-in or address'),
    }),
  },
  'employee/import': {
    does: 'Imports employees from a sheet, all or none. Returns a task that checks every row before it writes one.',
    who: [3],
    writes: true,
    input: importInput,
    output: begun,
  },
  'employee/export': {
    does: 'Exports the employees the caller manages. Returns a task; its file can be downloaded for 24 hours.',
    who: [3],
    writes: true,
    input: z.strictObject({ type: sheetType, filters: exportFilters.prefault({}), isTemplate }),
    output: begun,
  },
  'employee/photo/list': {
    does: 'Returns the photos of people in the departments the caller manages, without people who have no photo.',
    who: [3, 8, 9, 10],
    input: z.strictObject({ ids: z.array(id).min(1).max(mostPhotos) }),
    output: z.object({
      list: z.array(z.object({ id, photo: z.url().describe('Address of the photo, valid for half an hour.') })),
    }),
  },
  'employee/photo': {
    does: 'Returns a form for uploading a photo within five minutes: POST its fields in order, then the `file`, of up to 2 MB.',
    who: [3],
    writes: true,
    input: z.strictObject({ id, type: z.enum(imageTypes) }),
    output: z.object({ upload: id, url: z.url(), fields: z.record(z.string(), z.string()) }),
  },
  'employee/photo/save': {
    does: 'Stores the uploaded file as the photo, without metadata; rejects files other than JPEG or PNG (10002) and pictures above 4096 by 4096 pixels (60002).',
    who: [3],
    writes: true,
    input: z.strictObject({ id, upload: id }),
    output: z.object({ version }),
  },
  'employee/photo/delete': {
    does: 'Deletes the photo of an employee.',
    who: [3],
    writes: true,
    input: z.strictObject({ id }),
    output: z.object({ version }),
  },
  ...credentialPaths,
  ...invitationPaths,
  ...formerEmployeePaths,
  ...manyEmployeesPaths,
} as const satisfies Declarations

export const employeeRecord = stored
