import { setTimeout as wait } from 'node:timers/promises'
import type { PathOutput } from '../../../shared/api.ts'
import { dayNumber } from '../../../shared/attendance/calendar.ts'
import { addDays, localDay } from '../../../shared/local-day.ts'
import { starters } from '../../../shared/report/template-starter.ts'
import { requestStatus, requestTypes } from '../../../shared/request.ts'
import { daysAhead, gateSerialNumber, people, places, plannedShift } from '../demo.ts'
import { type DemoCaller, readUntil } from './caller.ts'
import { drawPortrait } from './portrait.ts'

// The history of the demo company. Each step uses the paths of the site. All days are relative to today.

export interface DemoWorld {
  address: string
  zone: string
  today: string
  signal: AbortSignal
  admin: DemoCaller
  /** The manager of Production. */
  manager: DemoCaller
  /** A person by their place in `people`, signed in as an employee. */
  as(place: number): Promise<DemoCaller>
  /** Lets the simulated terminal deliver punches, if there is one. */
  punch(entries: { enrollid: number; time: string }[]): void
  /** The ids by place. */
  ids: string[]
  /** The ids of the departments in the order of `departments`. */
  departments: string[]
}

type Step = (world: DemoWorld) => Promise<void>

const leaveTypes = { sick: 2, annual: 3 }
/** No employee has this number, so that a manager can assign its punches. */
const unknownNumber = 4711

/** Whether the demo's rotation gives a person a shift on a day. */
const isScheduled = (day: string, place: number) => plannedShift(place, 0, day) !== undefined

/** Long hair for a varied staff. */
const longHaired = new Set([0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 20, 22])
/** These people have no photo, so that the pages show initials too. */
const withoutPhoto = new Set([13, 16, 21])

/** The time zones of a country. TypeScript does not know this method yet. */
const zonesOf = (country: string): string[] => {
  const locale: Intl.Locale & { getTimeZones?(): string[] | undefined } = new Intl.Locale(`und-${country}`)
  return locale.getTimeZones?.() ?? []
}

const readCountry = async ({ admin, zone }: DemoWorld): Promise<string> => {
  const { list } = await admin.call('holiday/country', {})
  const isHere = (id: string) => zonesOf(id).includes(zone)
  // A machine without a place, such as a server in UTC, gets the holidays of Great Britain.
  return list.find(({ id }) => isHere(id))?.id ?? 'GB'
}

const rules: Step = async world => {
  const { admin, today } = world
  const { id: _, company_num: _n, ...company } = await admin.call('company/get', {})
  await admin.call('company/update', {
    ...{ version: company.version, name: company.name, country: await readCountry(world), address: '1 Demo Street' },
    ...{
      industry_id: 1,
      size_id: 2,
      storesTemplates: company.storesTemplates,
      retentionMonths: company.retentionMonths,
    },
  })
  const since = Number(today.slice(0, 4)) - 1
  const leave = await admin.call('leave/params', {})
  await admin.call('leave/params/update', {
    version: leave.version,
    rules: [
      { leaveType: leaveTypes.annual, since, days: 25, mostCarriedDays: 5, excess: 'warn' },
      { leaveType: leaveTypes.sick, since, days: 10, mostCarriedDays: 0, excess: 'warn' },
    ],
    showsColleaguesAway: true,
  })
  const { version } = await admin.call('approve/params', {})
  await admin.call('approve/params/update', { version, secondStep: [requestTypes.overtime] })
  const punch = await admin.call('company/punch', {})
  await admin.call('company/punch/update', {
    ...{ version: punch.version, isOn: true, isPlaceAsked: false, places: [], outside: 'flag' },
  })
}

/** The hours of the last weeks by kind, with the working-time checks of the ready-made set. */
const hours: Step = async ({ admin, today, signal }) => {
  const [{ version }, { list }] = await Promise.all([
    admin.call('attparams/index', {}),
    admin.call('attparams/hours/ready', {}),
  ])
  const ready = list.find(({ name }) => name === 'plain')
  if (!ready) return
  const change = { version, set: ready.set, isCompanySet: true, departments: [], from: addDays(today, -27) }
  const { task } = await admin.call('attparams/hours/update', change)
  // Days cannot be locked while they are calculated.
  if (task)
    await readUntil(
      () => admin.call('task/get', { id: task }),
      ({ state }) => state === 'done',
      { seconds: 120, signal },
    )
}

const holidays: Step = async world => {
  const { admin, today } = world
  const country = await readCountry(world)
  const thisYear = Number(today.slice(0, 4))
  // The schedule reaches two weeks ahead, in December also into the next year.
  for (const year of today.slice(5) < '12-01' ? [thisYear] : [thisYear, thisYear + 1]) {
    const { list } = await admin.call('holiday/public', { country, year })
    const days = [...new Set(list.map(({ from }) => from))]
    if (days.length > 0) await admin.call('holiday/import', { country, year, days })
  }
}

const gate: Step = async ({ admin, departments: [, , department = ''] }) => {
  await admin.call('device/add', {
    ...{ serialNumber: gateSerialNumber, name: 'Warehouse gate', department, authentication: 'claim' },
  })
}

const links: Step = async ({ admin, address, ids }) => {
  const url = `${address}/demo/webhook`
  const { id } = await admin.call('webhooks/endpoint/add', {
    ...{ url, events: ['employee', 'record', 'terminal', 'attendance'] },
  })
  await admin.call('webhooks/endpoint/test', { id })
  await admin.call('apikey/add', { name: 'Payroll export', permissions: [8, 9], canWrite: false })
  await admin.call('report/template/add', { name: 'Payroll', ...starters.generic })
  await admin.call('report/mail/add', {
    ...{ name: 'Weekly hours', type: 'xlsx', view: 'summary', every: 'weekly', weekday: 1, time: '07:00' },
    employees: [ids[places.administrator] ?? ''],
  })
}

/** A rotation of three weeks, from Monday to Friday. */
const rotation: Step = async ({ admin }) => {
  const { list: shifts } = await admin.call('shift/all', {})
  const days = ['Early', 'Late', 'Night'].flatMap(name => {
    const worked = { shifts: shifts.flatMap(shift => (shift.name === name ? [shift.id] : [])) }
    const off = { shifts: [] }
    return [worked, worked, worked, worked, worked, off, off]
  })
  await admin.call('schedule/template/add', { name: 'Three shifts', firstWeekday: 1, days })
}

/**
 * A draft to publish: five late shifts for four people after the planned days, with a day of rest after a night, and a
 * day off for one person.
 */
const draft: Step = async ({ admin, today, ids }) => {
  const { version } = await admin.call('company/schedule', {})
  await admin.call('company/schedule/update', { version, draftsSchedule: true })
  const { list: shifts } = await admin.call('shift/all', {})
  const late = shifts.find(({ name }) => name === 'Late')?.id
  if (late === undefined) return
  const from = addDays(today, 1)
  const person = 21
  const off = [1, 2, 3].find(ahead => isScheduled(addDays(from, ahead), person)) ?? 1
  const keep = (days: number) => Array<null>(days).fill(null)
  const rows = [
    {
      employees: [9, 12, 15, 18].map(place => ids[place] ?? ''),
      cells: [...keep(daysAhead + 1), ...Array(5).fill([0])],
    },
    { employees: [ids[person] ?? ''], cells: [...keep(off), []] },
  ]
  await admin.call('schedule/draft/update', { plan: { from, shifts: [late], rows } })
}

/** People on leave today and in the next weeks, entered by a manager. */
const leave: Step = async ({ admin, today, zone, ids }) => {
  const others = people.map((_, place) => place).filter(place => !Object.values(places).includes(place))
  const working = others.filter(place => isScheduled(today, place))
  const { list: shifts } = await admin.call('shift/grid', { size: 200 })
  const now = new Date().toLocaleTimeString('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
  const later = new Set(shifts.flatMap(({ id, onDuty = '' }) => (onDuty > now ? [id] : [])))
  const { list: planned } = await admin.call('schedule/grid', { size: 200, filters: { from: today, to: today } })
  const due = new Set(
    planned.flatMap(({ employee, days }) => (days[today]?.some(id => later.has(id)) ? [employee] : [])),
  )
  // People whose shift begins later, because a person on leave hardly punches.
  const [ill = 0, away = 0] = [true, false].flatMap(isDue =>
    working.filter(place => due.has(ids[place] ?? '') === isDue),
  )
  const enter = (place: number, leaveType: number, date: string, days: number, notes: string) =>
    admin.call('leave/add', {
      ...{ employees: [ids[place] ?? ''], leaveType, isAllDay: true, date, toDate: addDays(date, days - 1), notes },
    })
  // Five days always hold a shift beside the holidays.
  await enter(ill, leaveTypes.sick, today, 5, 'Called in this morning')
  await enter(away, leaveTypes.annual, addDays(today, -1), 5, 'Family visit')
  const planning = others.filter(place => place !== ill && place !== away).slice(5, 9)
  for (const [i, place] of planning.entries())
    await enter(place, leaveTypes.annual, addDays(today, 2 + 2 * i), 5, 'Planned since spring')
}

const requests: Step = async world => {
  const { admin, manager, today, ids } = world
  const past = (place: number, daysBack: number) => {
    const days = [0, 1, 2, 3, 4, 5, 6].map(more => addDays(today, -daysBack - more))
    return days.find(day => isScheduled(day, place)) ?? today
  }
  const add = async (place: number, form: (caller: DemoCaller) => Promise<{ id: string }>) => {
    const { id } = await form(await world.as(place))
    return { employee: ids[place] ?? '', id }
  }
  const ask = {
    leave: (place: number, from: number, days: number, notes: string) =>
      add(place, caller =>
        caller.call('personal/request/leave/add', {
          ...{ leaveType: leaveTypes.annual, isAllDay: true, notes },
          ...{ date: addDays(today, from), toDate: addDays(today, from + days - 1) },
        }),
      ),
    overtime: (place: number, day: string, notes: string) =>
      add(place, caller =>
        caller.call('personal/request/overtime/add', { date: day, from: '23:00', to: '23:45', notes }),
      ),
    punch: (place: number, day: string, notes: string) =>
      add(place, caller => caller.call('personal/request/shift/add', { date: day, time: '14:03', inout: 1, notes })),
  }
  // Pending, for the manager of Production: employees 10, 16 and 19.
  await ask.overtime(9, past(9, 1), 'Machine 4 had to be set up again')
  const forgotten = await ask.punch(15, past(15, 2), 'The terminal showed an error')
  await manager.call('approve/comment/add', { ...forgotten, text: 'Which terminal was it?' })
  await ask.leave(18, 6, 6, 'Wedding of my sister')
  // Pending, for the administrator: Logistics and Office, and a second approval.
  await ask.leave(4, 7, 5, 'A long weekend')
  await ask.punch(10, past(10, 2), 'I forgot to punch out')
  const approvedOnce = await ask.overtime(12, past(12, 2), 'Delivery came late')
  await manager.call('approve/update', { requests: [approvedOnce], status: requestStatus.approved })
  // Decided, and cancelled by the employee.
  const declined = await ask.leave(5, 5, 5, 'Short trip')
  await admin.call('approve/update', {
    ...{ requests: [declined], status: requestStatus.declined },
    reason: 'Two colleagues are away that week. Please choose another one.',
  })
  const cancelled = await ask.leave(7, 4, 5, 'Moving house')
  await (await world.as(7)).call('personal/request/cancel', { id: cancelled.id })
  // The employee who signs in on the sign-in page.
  const own = await ask.leave(places.employee, 8, 5, 'Holiday by the sea')
  await manager.call('approve/update', { requests: [own], status: requestStatus.approved })
  await ask.overtime(places.employee, past(places.employee, 1), 'Handover took longer')
}

const photos: Step = async ({ admin, ids, signal }) => {
  for (const [place, id] of ids.entries()) {
    if (withoutPhoto.has(place) || signal.aborted) continue
    const { upload, ...form } = await admin.call('employee/photo', { id, type: 'image/png' })
    await admin.upload(form, drawPortrait(place, longHaired.has(place)))
    await admin.call('employee/photo/save', { id, upload })
  }
}

/** A person who has left. */
const former: Step = async ({ admin, departments: [, , , department = ''], today }) => {
  const { id } = await admin.call('employee/add', {
    ...{ first_name: 'Zoe', last_name: 'Yildiz', workno: '90', department, position: 'Intern' },
    ...{ hireDay: addDays(today, -200), endDay: addDays(today, -20) },
  })
  await admin.call('employee/delete', { id })
}

type Exceptions = PathOutput<'exception/grid'>['list']

/** The last Sunday that is at least nine days ago. */
const closedTo = (today: string) => addDays(today, -9 - ((dayNumber(today) + 3) % 7))

/** Closes two weeks. A period closes only after the calculation of its days. */
const closing: Step = async ({ admin, today, signal }) => {
  const to = closedTo(today)
  const from = addDays(to, -13)
  await readUntil(
    () => admin.call('report/close/check', { from, to }),
    ({ unfinishedFrom }) => unfinishedFrom === undefined,
    { seconds: 120, signal },
  )
  const open: Exceptions = (await admin.call('exception/grid', { filters: { from: addDays(to, 1), to: today } })).list
  const [first] = open
  if (first) {
    const { employee, day, shift, type, minutes } = first
    await admin.call('exception/accept', { exceptions: [{ employee, day, shift, type, minutes }], note: 'Agreed' })
  }
  for (let tries = 1; ; tries++)
    try {
      const { exceptions } = await admin.call('report/close/check', { from, to })
      await admin.call('report/close/add', { from, to, openExceptions: exceptions.count, type: 'xlsx' })
      return
    } catch (error) {
      // A task still recalculates days, or another exception has appeared.
      if (tries === 60 || signal.aborted) throw error
      await wait(1000, undefined, { signal })
    }
}

/** The gate delivers a late punch of a closed day, which would add overtime, and punches of an unknown number. */
const late: Step = async ({ punch, today }) => {
  // The Office works from 09:00 to 18:00.
  const clerk = 11
  const to = closedTo(today)
  const day = [0, 1, 2, 3, 4].map(back => addDays(to, -back)).find(day => isScheduled(day, clerk)) ?? to
  punch([
    { enrollid: clerk + 1, time: `${day} 21:34:00` },
    { enrollid: unknownNumber, time: `${addDays(today, -1)} 08:58:00` },
    { enrollid: unknownNumber, time: `${addDays(today, -1)} 17:31:00` },
  ])
}

/** A manager adds a forgotten punch. */
const correction: Step = async ({ manager, ids, today }) => {
  const day = [2, 3, 4, 5, 6].map(back => addDays(today, -back)).find(day => isScheduled(day, 9)) ?? addDays(today, -2)
  await manager.call('record/add', {
    ...{ employee: ids[9] ?? '', date: day, time: '12:30', reason: 'Left early for the doctor, agreed with me' },
  })
}

/** Time accounts of some people, the employee's own among them, with a month-end cap and a payout. */
const accounts: Step = async ({ admin, today, ids }) => {
  const { version } = await admin.call('leave/account/params', {})
  await admin.call('leave/account/params/update', { version, most: 2400, least: -600, cut: 'paid' })
  const enter = (place: number, kind: 'opening' | 'payout', back: number, minutes: number, reason: string) =>
    admin.call('leave/account/entry/add', {
      ...{ employee: ids[place] ?? '', kind, day: addDays(today, -back), minutes, reason },
    })
  for (const place of [places.employee, 9, 12]) await enter(place, 'opening', 28, 240 + place * 15, 'Balance so far')
  await enter(9, 'payout', 20, 120, 'Paid with the wages')
}

export const steps = {
  rules,
  hours,
  gate,
  holidays,
  links,
  rotation,
  draft,
  leave,
  requests,
  correction,
  accounts,
  photos,
  former,
  closing,
  late,
}

export type StepName = keyof typeof steps

export const todayIn = (zone: string) => localDay(zone, Date.now())
