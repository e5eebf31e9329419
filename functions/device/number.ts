import { deviceKey } from '../../shared/device/key.ts'
import type { Device, devicePaths } from '../../shared/device.ts'
import { type Employee, employeeKey, formerEmployeeKey } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { earlierDay, laterDay } from '../../shared/local-day.ts'
import { type Orphan, orphanKey } from '../../shared/record/orphan.ts'
import { partsOfNumber, storedNumber } from '../../shared/terminal/number-owner.ts'
import { readCompany } from '../company/store.ts'
import { findEmployees } from '../employee/store.ts'
import { type Caller, managesEmployee } from '../kit/caller.ts'
import type { Handlers } from '../kit/lambda.ts'
import { again, change } from '../kit/table/change.ts'
import { type Item, save, type Write } from '../kit/table.ts'
import { newTask } from '../kit/task.ts'
import { assignNumber, freeNumber, handNumber } from '../record/orphan.ts'
import { findMisplaced, type NumberChange, readEntries, readEntriesOf } from '../record/terminal-number.ts'
import { managed } from './managed.ts'

// The list of a terminal: which of its numbers belong to whom.

type Change = NumberChange & { employee?: string | undefined; version?: number | undefined }

/** The change with its terminal, its present entry and its person. Throws 60004 for what the caller does not manage. */
const readChange = async (caller: Caller, input: Change) => {
  const { table } = caller
  const device = await managed(caller, input.serialNumber)
  const employee = input.employee === undefined ? undefined : await table.get(employeeKey(input.employee))
  if (input.employee !== undefined && !(employee && managesEmployee(caller, employee)))
    throw new Problem(60004, { employee: 60004 })
  const entries = await readEntriesOf(table, input.serialNumber, input.number)
  const present = entries.find(({ from }) => from === input.from)
  if (!present && !employee) throw new Problem(60004, { number: 60004 })
  return { device, employee, entries, present }
}

/** The list after the change. */
const changedList = ({ from, employee }: Change, entries: readonly { from: string | undefined }[]) => [
  ...entries.filter(entry => entry.from !== from),
  ...(employee === undefined ? [] : [{ from }]),
]

/** The effect of the change on stored punches. Throws 60004 if the caller does not manage a person who has some of them. */
const judge = async (caller: Caller, input: Change, device: Device, entries: { from: string | undefined }[]) => {
  const placement = await findMisplaced(caller.table, device, input, changedList(input, entries))
  const people = new Map(
    (await findEmployees(caller.table, placement.holders.values())).map(person => [person.id, person]),
  )
  const holderOf = (name: string): Employee | undefined => people.get(placement.holders.get(name) ?? '')
  const losing = new Set(
    [...placement.misplaced.map(({ punch }) => punch.number), storedNumber(input)].flatMap(
      name => holderOf(name) ?? [],
    ),
  )
  for (const person of losing) if (!managesEmployee(caller, person)) throw new Problem(60004, { number: 60004 })
  return { ...placement, holderOf }
}

export const numberHandlers = {
  'device/number/list': async ({ serialNumber }, caller) => {
    const { table } = caller
    const device = await managed(caller, serialNumber)
    const [entries, orphans, { timezone }] = await Promise.all([
      readEntries(table, serialNumber),
      table.all<Orphan>({ pk: orphanKey('').pk }),
      readCompany(caller),
    ])
    const people = new Map(
      (
        await findEmployees(
          table,
          entries.map(({ employee }) => employee),
        )
      ).map(person => [person.id, person]),
    )
    const show = (person: Item<Employee> | undefined) =>
      person && managesEmployee(caller, person)
        ? {
            ...{ employee: person.id, first_name: person.first_name },
            ...{ last_name: person.last_name, workno: person.workno },
          }
        : {}
    return {
      isOwnNumbering: device.isOwnNumbering,
      list: entries
        .toSorted((a, b) => Number(a.number) - Number(b.number) || ((a.from ?? '') < (b.from ?? '') ? -1 : 1))
        .map(({ number, from, employee, at, version }) => ({
          ...{ number, from, at, version },
          ...show(people.get(employee)),
        })),
      held: orphans.flatMap(({ workno, lastAt }) => {
        const held = partsOfNumber(workno)
        return held.serialNumber === serialNumber ? [{ number: held.number, lastAt, timezone }] : []
      }),
    }
  },

  'device/number/preview': async (input, caller) => {
    const { device, employee, entries, present } = await readChange(caller, input)
    const { misplaced, punches, holderOf, names } = await judge(caller, input, device, entries)
    const own = storedNumber(input)
    // Punches under the entry's own name change their person without moving.
    const handed = present?.employee === employee?.id ? [] : punches.filter(({ number }) => number === own)
    const moving = misplaced.filter(({ stays }) => !stays).map(({ punch }) => punch)
    const changing = [...moving, ...handed.filter(punch => !moving.includes(punch))]
    const losses = Map.groupBy(changing, ({ number }) => holderOf(number)?.id)
    const days = (list: typeof changing) => list.map(({ localTime }) => localTime.slice(0, 10))
    return {
      taken: employee ? (losses.get(undefined)?.length ?? 0) : 0,
      held: employee || !device.isOwnNumbering ? 0 : changing.length,
      moved: [...losses].flatMap(([id, list]) => {
        const person = names.map(holderOf).find(holder => holder?.id === id)
        if (id === undefined || !person || id === employee?.id) return []
        const { first_name, last_name, workno } = person
        return {
          ...{ employee: id, first_name, last_name, workno, punches: list.length },
          ...{ from: days(list).reduce(earlierDay), to: days(list).reduce(laterDay) },
        }
      }),
      locked: misplaced.filter(({ stays }) => stays === 'locked').length,
      corrected: misplaced.filter(({ stays }) => stays === 'corrected').length,
    }
  },

  'device/number/update': async (input, caller) => {
    const { table, employee: me } = caller
    const { device, employee, entries, present } = await readChange(caller, input)
    if (input.version !== undefined && present?.version !== input.version) throw new Problem(60006)
    await judge(caller, input, device, entries)
    await change(table, deviceKey(device.serialNumber), current =>
      current.hasOwnNumbers ? undefined : { ...current, hasOwnNumbers: true as const },
    )
    const { serialNumber, number, from } = input
    const name = storedNumber(input)
    const [holder, deleted] = present
      ? await Promise.all([table.get(employeeKey(present.employee)), table.get(formerEmployeeKey(present.employee))])
      : []
    const former = { holder, deleted }
    const { task, writes } = newTask(caller, 'device/number/update', {
      ...{ serialNumber, number, from, formerEmployee: present?.employee },
    })
    const changes = (): Write[] => {
      if (!present) return employee ? assignNumber(table, employee, name, me.id) : []
      if (employee?.id === present.employee) return []
      if (!employee) return freeNumber(table, former, present)
      return handNumber(table, { former, employee, assigned: present, by: me.id })
    }
    await save(...changes(), ...writes)
    return { task }
  },

  'device/numbering/update': async ({ serialNumber, version, isOwnNumbering }, caller) => {
    await again(async () => {
      const device = await managed(caller, serialNumber)
      if (device.edition !== version) throw new Problem(60006)
      await save(
        caller.table.replace(deviceKey(serialNumber), {
          ...{ ...device, isOwnNumbering, edition: version + 1 },
          ...(isOwnNumbering && { hasOwnNumbers: true as const }),
        }),
      )
    })
    return {}
  },
} satisfies Pick<
  Handlers<typeof devicePaths>,
  'device/number/list' | 'device/number/preview' | 'device/number/update' | 'device/numbering/update'
>
