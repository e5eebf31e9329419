import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { companyPrefix, type IndexName, tableSchema } from '../../shared/table.ts'
import { canonical } from './canonical.ts'
import { eventually } from './client.ts'
import { marker } from './marker.ts'
import type { StackWithTable } from './table.ts'

// Plants a copy of a company in the table. The copy has the same ids and data, but other words in its texts. No action
// of the first company may change the copy, and no response may contain its words.

export interface Neighbour {
  company: string
  /** A fingerprint of each item, index entry and file, by its key. */
  fingerprints(): Promise<Record<string, string>>
}

const fingerprint = (content: string | Uint8Array) => createHash('sha256').update(content).digest('base64url')

/** Replaces every string of a value at any depth. */
const replaceTexts = (value: unknown, replace: (text: string) => string): unknown => {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map(entry => replaceTexts(entry, replace))
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [replace(name), replaceTexts(entry, replace)]))
}

const filesOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name))
    : []

/** Plants a copy of a company whose texts all contain `word`, and waits until no job works on it. */
export const plantNeighbour = async (
  world: StackWithTable,
  { company: model, number, word }: { company: string; number: string; word: string },
): Promise<Neighbour> => {
  // The id of the copy contains no time, so it does not sort by creation like other ids.
  const company = `z${model.slice(1)}`
  const prefix = companyPrefix(company)
  const replace = (text: string) =>
    text
      .replaceAll(model, company)
      .replaceAll(number, number.split('').reverse().join(''))
      .replaceAll(word, marker)
      .replaceAll(word.toLowerCase(), marker.toLowerCase())
      .replaceAll('@example.com', `@${marker}.example.com`)
  for (const item of await world.everything())
    if (String(item.pk).startsWith(companyPrefix(model)))
      await world.plant(replaceTexts(item, replace) as Record<string, unknown>)
  const files = join(world.stack.data, 'files')
  if (existsSync(join(files, model))) cpSync(join(files, model), join(files, company), { recursive: true })

  const listEntries = async (index?: IndexName) => {
    const partition = index ? tableSchema.indexes[index].partitionKey : 'pk'
    const items = (await world.everything(index)).filter(item => String(item[partition]).startsWith(prefix))
    return items.map(item => [`${index ?? 'item'} ${item.pk} ${item.sk}`, fingerprint(canonical(item))] as const)
  }
  const fingerprints = async () => {
    const indexes = Object.keys(tableSchema.indexes) as IndexName[]
    const lists = await Promise.all([listEntries(), ...indexes.map(listEntries)])
    const stored = filesOf(join(files, company)).map(file => [file, fingerprint(readFileSync(file))] as const)
    return Object.fromEntries([...lists.flat(), ...stored].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  // The jobs receive the planted items like other writes. Waits until the jobs have found that no item needs a change.
  let [last, since] = ['', Date.now()]
  await eventually(
    async () => {
      const current = canonical(await fingerprints())
      if (current !== last) [last, since] = [current, Date.now()]
      return Date.now() - since
    },
    quietMilliseconds => {
      if (quietMilliseconds < 1500) throw new Error('Something is still done for the neighbour.')
    },
    60,
  )
  return { company, fingerprints }
}

/** The keys that differ between two fingerprints. */
export const differences = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys({ ...before, ...after }).filter(name => before[name] !== after[name])
