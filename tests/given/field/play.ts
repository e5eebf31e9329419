import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { PathCall, PathOutput } from '../../../shared/api.ts'
import { type Client, eventually, type Registered, register, type Signed } from '../../kit/client.ts'
import { addGate, planDays } from '../../kit/gate.ts'

// Plays a field case as a stranger would: registers a company, plans the shifts and sends the punches of a terminal.

type Row = PathOutput<'report/grid'>['list'][number]

export interface FieldCase {
  zone: string
  devices?: { main: { timezone?: string } }
  shifts: Record<string, Pick<PathCall<'shift/add'>, 'onDuty' | 'offDuty' | 'punchStart' | 'punchEnd' | 'breaks'>>
  people: Record<string, { workno: string }>
  holidays?: PathCall<'holiday/add'>[]
  plan: { who: string; from: string; cells: string[][] }[]
  /** `number day time`, by the clock of the terminal. */
  punches: string[]
  rows: { who: string; from: string; to: string }
  expect: (Partial<Row> & { day: string })[]
}

export const readCase = (name: string): FieldCase =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'))

export interface Played {
  company: Registered
  boss: Signed
  people: Record<string, string>
  shifts: Record<string, string>
  rows: () => Promise<Row[]>
}

/** Plays a case. `prepare` makes the settings that the case needs, before people, shifts and punches. */
export const playCase = async (
  http: Client,
  given: FieldCase,
  prepare?: (company: Registered, boss: Signed) => Promise<void>,
): Promise<Played> => {
  const company = await register(http, { timezone: given.zone })
  const boss = { token: company.token, headers: { 'x-timezone': given.zone } }
  await prepare?.(company, boss)
  const [people, shifts]: [Played['people'], Played['shifts']] = [{}, {}]
  for (const [name, shift] of Object.entries(given.shifts))
    shifts[name] = (await http.call('shift/add', { name, breaks: [], noClockOut: 0, ...shift }, boss)).id
  for (const holiday of given.holidays ?? []) await http.call('holiday/add', holiday, boss)
  for (const [name, { workno }] of Object.entries(given.people)) {
    const person = { first_name: name, last_name: 'Case', workno, department: company.department }
    people[name] = (await http.call('employee/add', person, boss)).id
  }
  for (const { who, from, cells } of given.plan) {
    const names = [...new Set(cells.flat())]
    const plan = {
      ...{ from, shifts: names.map(name => shifts[name] ?? '') },
      rows: [{ employees: [people[who] ?? ''], cells: cells.map(cell => cell.map(name => names.indexOf(name))) }],
    }
    await planDays(http, boss, plan)
  }
  const gate = await addGate(http, boss, company.department, given.devices?.main)
  await gate.punch(...given.punches)
  gate.close()
  const filters = { employee: people[given.rows.who] ?? '', from: given.rows.from, to: given.rows.to }
  const rows = async () => (await http.call('report/grid', { size: 50, filters }, boss)).list
  return { company, boss, people, shifts, rows }
}

/** The attendance rules as a change would send them. */
export const readParams = async (http: Client, boss: Signed) => {
  const { former: _former, since: _since, ...params } = await http.call('attparams/index', {}, boss)
  return params
}

/** Waits for the figures of some days. */
export const expectDays = ({ rows }: Played, expected: FieldCase['expect']): Promise<Row[]> =>
  eventually(rows, list => {
    for (const { day, ...figures } of expected) expect(list.find(row => row.day === day)).toMatchObject(figures)
  })
