import * as z from 'zod'
import { email, newPassword } from './account.ts'
import type { Audited, Change } from './change.ts'
import { type Company, defaultRetentionMonths } from './company.ts'
import { at, type Declarations, day, done, gridInput, gridOutput, id, nothing, text, version } from './contract.ts'
import { credentialPaths } from './credential.ts'
import { fold } from './fold.ts'
import { imageTypes } from './image.ts'
import { invitationPaths } from './invitation.ts'
import { type Language, language } from './language.ts'
import { addMonths } from './local-day.ts'
import { roles } from './permissions.ts'
import { fullName, type PersonName } from './person-name.ts'
import { searchText } from './search.ts'
import type { Key } from './table.ts'
import { begun, importInput, isTemplate, sheetType } from './task.ts'

export interface Employee {
  id: string
  first_name: string
  last_name: string
  /** As the company chose when the names were last written. */
  isFamilyFirst?: true
  /** The pinyin of a Chinese name: `zhang wei`. Lists sort by it, and searches find it. */
  reading?: string
  /** The employee ID: what is typed at a terminal and at employee sign-in. Decimal, without leading zeros. */
  workno: string
  /** Numbers the person had before: what was punched with them stays theirs. */
  formerWorknos?: string[]
  /** The main department: the days worked count there. */
  department: string
  /** Others the person works in: their managers manage the person too. */
  departments?: string[]
  position?: string
  /** Only to be reached by; what the person signs in with is the account's. */
  email?: string
  /**
   * The employee or API key that entered `email`: its mailbox may be theirs. Rows without one are older than this record, and
   * count as entered by an employee without rights.
   */
  emailSetBy?: string
  tel?: string
  hireDay?: string
  endDay?: string
  role: number
  /** The custom role of an employee whose role is 2. */
  roleId?: string
  /** What the person signs in with; none while nobody gave a password. */
  account?: string
  /** When a password was last given or changed. */
  passwordSetAt?: string
  /**
   * Who gave the person the way in: the password, the link handed over, or the address the invitation was mailed to. The giver
   * may be the one who took it. Signing in never changes it; only another invitation or password does. A person who joined by
   * the company's invitation gave it themselves.
   */
  passwordSetBy?: string
  /** Sessions that were begun or confirmed before count no more, whatever became of them: what the person signs in with is another. */
  sessionsSince?: string
  /** Joined by the company's invitation, and waits for a role: told 21023 rather than 21021. */
  isWaiting?: true
  /** Of the mails the person gets. */
  language?: Language
  /** When who the person was has been erased: the names are a pseudonym's. Of former employees. */
  erasedAt?: string
  /** The owner of the company cannot be deleted (59012). */
  isOwner?: true
  /** The upload the photo came from; another one is another photo. None while there is no photo. */
  photo?: string
}

/** What people are sorted by: the name as it is read, in letters that have an order. */
export const nameToSort = (employee: PersonName & Pick<Employee, 'reading'>): string =>
  fold(employee.reading ?? fullName(employee))

/** An index key ends at 1024 bytes, and a character takes at most three for each of its two halves. */
const mostLetters = 200
/** The order of names, as they are read; of those who share one, the order of their coming. */
const nameOrder = (employee: Employee) => `${nameToSort(employee).slice(0, mostLetters).toWellFormed()} #${employee.id}`
/** The order of numbers: 2 before 10. No two people share one. */
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

/** The text that a search looks in: the name in either order and in pinyin, the number, the e-mail and the position. */
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

/** Somebody who stands in a list of people, with what it is narrowed to. */
interface Member {
  employee: string
  role: number
  roleId?: string
  endDay?: string
}
/** Somebody who belongs to a department, as its main one or another. */
export interface DepartmentMember extends Member {
  department: string
}
/** One of few: of all departments in one row, so that who works in many is not written for each. */
export interface RareMember extends Member {
  departments: string[]
}

export const departmentMemberPk = (department: string) => `DEPARTMENT_EMPLOYEE#${department}`
/** What few people are: a list of each spares looking for them among all. */
export const rareStates = ['waiting', 'left', 'administrator'] as const
type RareState = (typeof rareStates)[number]
export const rareMemberPk = (state: RareState) => `RARE_EMPLOYEE#${state}`
/** In which of these lists somebody stands; whether an end day is over, who reads them looks. */
const rareStatesOf = ({ role, endDay }: Employee): RareState[] => [
  ...(role === roles.none ? (['waiting'] as const) : []),
  ...(endDay ? (['left'] as const) : []),
  ...(role === roles.administrator ? (['administrator'] as const) : []),
]
/** Stands beside the employee: `<folded name> #<employee>`, so that reading the partition is reading in the order of names. */
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
/** Where somebody stands in the list of each of their departments. */
export const departmentMembers = (employee: Employee): [Key<DepartmentMember>, DepartmentMember][] =>
  departmentsOf(employee).map(department => [
    memberKey(departmentMemberPk(department), employee),
    { ...member(employee), department },
  ])
/** Where somebody stands in the lists of the few. */
export const rareMembers = (employee: Employee): [Key<RareMember>, RareMember][] =>
  rareStatesOf(employee).map(state => [
    memberKey(rareMemberPk(state), employee),
    { ...member(employee), departments: departmentsOf(employee) },
  ])

export const roleMemberPk = (role: string) => `ROLE_EMPLOYEE#${role}`
/** Stands beside an employee who holds a role of number 2, in the order of names. */
export const roleMemberKey = (role: string, employee: Employee): Key<{ employee: string }> => ({
  pk: roleMemberPk(role),
  sk: nameOrder(employee),
  search: employeeSearchText(employee),
})

/** Every department somebody belongs to, the main one first, each once. */
export const departmentsOf = ({ department, departments = [] }: Pick<Employee, 'department' | 'departments'>) => [
  ...new Set([department, ...departments]),
]

/** Whether somebody's last day was before `today`: who has left signs in no more. */
export const hasLeft = ({ endDay }: Pick<Employee, 'endDay'>, today: string) => endDay !== undefined && endDay < today

/** For how long the card, the password and the templates of who has left are kept: somebody may come back next month. */
export const credentialDays = 30

/** Whether the company keeps nothing any more of somebody who was deleted or erased; `today` is the company's. */
export const isForgotten = (
  { endDay }: Pick<Employee, 'endDay'>,
  { retentionMonths = defaultRetentionMonths }: Pick<Company, 'retentionMonths'>,
  today: string,
) => endDay !== undefined && addMonths(endDay, retentionMonths) < today

/** Of what was before, something may have been kept no longer: no terminal is asked for it again. `today` is the company's. */
export const firstKeptDay = (
  { retentionMonths = defaultRetentionMonths }: Pick<Company, 'retentionMonths'>,
  today: string,
): string => addMonths(today, -retentionMonths)

/** Whose a number is. */
export interface NumberHolder {
  employee: string
  /** Since when it is theirs: the punches of before were told as nobody's, and not as theirs yet. */
  untoldBefore?: string
}
/** Numbers are never given twice, not even after their holder left: punches of years are found by them. */
export const worknoKey = (workno: string): Key<NumberHolder> => ({ pk: `WORKNO#${workno}`, sk: '-' })

export interface FormerEmployee extends Employee {
  /** What goes with the person is not all gone yet. */
  isLeaving?: true
}

/** Who left and was deleted: kept for the days that were worked. */
export const formerEmployeeKey = (id: string): Key<FormerEmployee> => ({ pk: 'FORMER_EMPLOYEE', sk: id })

/** One file for each employee, so that a new photo takes the place of the old one and none is left behind. */
export const photoKey = (employee: string) => `photo/${employee}`
/** What was sent to become the photo of this employee and of nobody else. */
export const photoUploadKey = (employee: string, upload: string) => `upload/${employee}/${upload}`

/** What decides which days there are and which punches belong to them. */
const employment = (employee: Employee | undefined) =>
  employee && [employee.workno, employee.department, employee.hireDay, employee.endDay].join()

export const employeeFacts = ({ company, old, new: now }: Change<Employee>) => {
  const employee = now ?? old
  if (!employee) return []
  const fact = { company, employee: employee.id }
  return [
    { type: 'employee.changed' as const, ...fact },
    ...(employment(old) === employment(now)
      ? []
      : // Nobody is scheduled before they are there, so of who is new only punches are looked for.
        [{ type: 'employment.changed' as const, ...fact, workno: employee.workno, ...(!old && { isNew: true }) }]),
  ]
}

/** Of who has left nothing is calculated anew but what terminals still deliver. */
export const formerEmployeeFacts = ({ company, old, new: now }: Change<Employee>) => [
  { type: 'employee.changed' as const, company, employee: now?.id ?? old?.id ?? '' },
]

/** The stranger of the terminals has this number, so that nobody of ours may. */
export const strangerNumber = '99999999'

/** 59013 where it is not a number; `007` is `7`, as terminals know numbers only. */
export const workno = z
  .string({ error: issue => (issue.input === undefined ? '60001' : '59013') })
  .trim()
  .min(1, '60001')
  .regex(/^0*[1-9]\d{0,11}$/, '59013')
  .transform(number => number.replace(/^0+/, ''))
  .refine(number => number !== strangerNumber, '59014')

/** All that is written of somebody is one save: with their number, role and counts, the worst change of ten is some 60 writes of the hundred. */
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
    .describe('other departments, whose managers manage the person too'),
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
  isOwner: z.literal(true).optional(),
  canSignIn: z.boolean(),
  passwordSetAt: at.optional(),
  isWaiting: z.literal(true).optional().describe('Joined by the invitation of the company, and waits for a role.'),
  language: language.optional(),
  photo: z.url().optional().describe('Shows the photo, for half an hour at most.'),
  version,
})

/** Who has left is who has an end day that is over; who waits has no role and has not left. */
export const employeeStates = ['active', 'waiting', 'left'] as const

/** What the list is narrowed to; an export takes the same. */
export const employeeFilters = z.strictObject({
  department: id.optional().describe('main or other department'),
  search: z
    .string()
    .trim()
    .max(100)
    .optional()
    .describe('part of the name, the number, the e-mail or the position, whatever its case and accents'),
  role: z.int().min(0).max(3).optional(),
  roleId: id.optional(),
  state: z.enum(employeeStates).optional(),
})
export type EmployeeFilters = z.output<typeof employeeFilters>

/** An export takes the same, or people chosen one by one. */
const exportFilters = employeeFilters.extend({
  ids: z.array(id).min(1).max(1000).optional().describe('these people and nobody else, in this order'),
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
    does: 'Counts the employees of such a list where the count is stored: for the company or departments, not for a search.',
    who: [3],
    input: z.strictObject({ filters: employeeFilters.prefault({}) }),
    output: z.object({ count: z.int().optional() }),
  },
  'employee/add': {
    does: 'Adds an employee; with a password they can sign in by company number and employee ID.',
    who: [3],
    writes: true,
    input: z.strictObject({ ...form, password: newPassword.optional().describe('no API key gives one') }),
    output: z.object({ id }),
  },
  'employee/update': {
    does: 'Updates an employee; omitted fields are removed, except the password. A person who gets a management role loses a sign-in or an e-mail that a non-administrator set up.',
    who: [3],
    writes: true,
    input: z.strictObject({ id, version, ...form, password: newPassword.optional().describe('no API key gives one') }),
    output: z.object({
      mustJoin: z.literal(true).optional().describe('the sign-in was removed: check the e-mail and invite the person'),
    }),
  },
  'employee/delete': {
    does: 'Deletes an employee: signs them out everywhere, deletes the photo, keeps past days.',
    who: [3],
    writes: true,
    input: z.strictObject({ id }),
    output: done,
  },
  'employee/sign_in': {
    does: 'Returns how an employee signs in and who set it up, for the question before a management role.',
    who: 'administrator',
    input: z.strictObject({ id }),
    output: z.object({
      canSignIn: z.boolean(),
      email: z
        .string()
        .optional()
        .describe('the address the person signs in with; where they cannot sign in yet, the one they are invited by'),
      givenBy: z.string().optional().describe('the name of the employee who set it up, other than the person'),
      mustJoin: z.boolean().describe('a management role removes this sign-in or address'),
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
  'employee/former/grid': {
    does: 'Lists deleted and erased employees with stored days, newest first.',
    who: 'administrator',
    input: gridInput(z.strictObject({ search: z.string().trim().max(100).optional() })),
    output: gridOutput(
      z.object({
        id,
        first_name: z.string(),
        last_name: z.string(),
        workno: z.string(),
        department: id,
        endDay: day.optional(),
        erasedAt: at.optional().describe('the names are a pseudonym'),
      }),
    ),
  },
  'employee/erase': {
    does: "Permanently erases a person, also a former one. Returns a task that waits until every terminal has deleted them; a repeated call returns the same task. Past days stay under a pseudonym for the company's retention period.",
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: z.object({ task: id }),
  },
  'employee/erase/grid': {
    does: 'Lists erasures that still wait for terminals.',
    who: 'administrator',
    input: nothing,
    output: z.object({
      list: z.array(
        z.object({
          task: id,
          employee: id,
          startedAt: at,
          terminals: z.array(z.object({ serialNumber: z.string(), name: z.string().optional() })),
        }),
      ),
    }),
  },
  'employee/erase/confirm': {
    does: 'Marks a terminal as permanently gone, so that an erasure stops waiting for it.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ task: id, serialNumber: z.string().trim().min(1).max(32) }),
    output: done,
  },
  'employee/data': {
    does: 'Exports all data stored about a person, also a former one. Returns a task; its file can be downloaded for 24 hours. Card, password and templates are not included.',
    who: 'administrator',
    writes: true,
    input: z.strictObject({ id }),
    output: z.object({ task: id }),
  },
} as const satisfies Declarations

export const employeeRecord = stored
