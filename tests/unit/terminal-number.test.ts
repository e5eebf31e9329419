import { expect, test } from 'vitest'
import type { Table } from '../../functions/kit/table.ts'
import { readNumbering } from '../../functions/record/terminal-number.ts'

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
