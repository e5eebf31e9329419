import { expect, test } from 'vitest'
import type { Table } from '../../functions/kit/table.ts'
import { findMisplaced, placeNumbers, readNumbering } from '../../functions/record/terminal-number.ts'
import { companyKey } from '../../shared/company.ts'
import { punchKey } from '../../shared/punch.ts'
import { heldNumber } from '../../shared/record/punched-number.ts'

// The numbers of terminals, which outlive the terminal and its list.

type Stored = { pk: string; sk: string; [name: string]: unknown }

/** A table that reads these items. */
const storedTable = (items: readonly Stored[]): Table => {
  const get = async ({ pk, sk }: Stored) => items.find(item => item.pk === pk && item.sk === sk)
  const all = async ({ pk, from = '', to = '\uffff' }: { pk: string; from?: string; to?: string }) =>
    items.filter(item => item.pk === pk && item.sk >= from && item.sk < to)
  const getMany = (keys: Stored[]) => Promise.all(keys.map(get))
  return { get, all, getMany } as unknown as Table
}

const serialNumber = 'B2'

const device = { pk: 'DEVICE', sk: serialNumber, serialNumber, hasOwnNumbers: true as const }
const name = '29@B2@2026-11-18'
const removed = { pk: 'FORMER_NUMBER#B2', sk: name, workno: name }
const record = { kind: 'punch' as const, number: '29', localTime: '2026-11-19 08:00:00', sn: serialNumber }
const stayed = { ...punchKey({ ...record, number: name }), ...record, number: name }

test('a punch that stayed under a removed entry is known when the terminal sends it again', async () => {
  const place = await placeNumbers(storedTable([device, removed, stayed]), serialNumber, [record as never])
  expect(place?.(record as never)).toBeUndefined()
  const other = await placeNumbers(storedTable([device, removed]), serialNumber, [record as never])
  expect(other?.(record as never)).toBe('29')
})

test('a later change of a number takes up the punches that stayed under a removed entry', async () => {
  const company = { ...companyKey(), timezone: 'UTC' }
  const longer = { ...removed, sk: '291@B2@2026-11-17', workno: '291@B2@2026-11-17' }
  const table = storedTable([device, company, removed, longer, stayed])
  const { misplaced, names } = await findMisplaced(table, device, { serialNumber, number: '29' }, [{}])
  expect(misplaced).toMatchObject([{ punch: { number: name }, name: '29@B2' }])
  expect(names).toEqual(['29', '29@B2', name])
})

test('the name of a number may have the first day of its entry', () => {
  for (const good of ['29', '29@B2', name]) expect(heldNumber.parse(good)).toBe(good)
  for (const bad of ['29@', '29@B2@', '29@B2@2026', '29@2026-11-18@B2'])
    expect(heldNumber.safeParse(bad).success).toBe(false)
})

test('a terminal that returns has its former numbering, and its list alone is a sign of it', async () => {
  const entry = { pk: 'TERMINAL_NUMBER#B2', sk: '29@B2', workno: '29@B2' }
  const former = { pk: 'FORMER_NUMBERING', sk: serialNumber, serialNumber }
  expect(await readNumbering(storedTable([]), serialNumber)).toEqual({})
  expect(await readNumbering(storedTable([entry]), 'B3')).toEqual({})
  expect(await readNumbering(storedTable([entry]), serialNumber)).toEqual({ hasOwnNumbers: true })
  expect(await readNumbering(storedTable([former]), serialNumber)).toEqual({ hasOwnNumbers: true })
  expect(await readNumbering(storedTable([{ ...former, isOwnNumbering: true }]), serialNumber)).toEqual({
    ...{ hasOwnNumbers: true, isOwnNumbering: true },
  })
})
