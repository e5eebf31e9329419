import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { companyPrefix, type IndexName, tableSchema } from '../../shared/table.ts'
import { canonical } from './canonical.ts'
import { eventually } from './client.ts'
import { marker } from './marker.ts'
import type { StackWithTable } from './table.ts'

// A company beside another, planted behind the back of the functions: the same ids, and all the other has, in other words.
// Whatever is done as the one, nothing of the other may change, and none of its words may be told.

export interface Neighbour {
  company: string
  /** A fingerprint of each of its items, index entries and files, by what it is. */
  fingerprints(): Promise<Record<string, string>>
}

const fingerprint = (content: string | Uint8Array) => createHash('sha256').update(content).digest('base64url')

/** Every string of a value, at any depth, as `say` has it. */
const inOtherWords = (value: unknown, say: (text: string) => string): unknown => {
  if (typeof value === 'string') return say(value)
  if (Array.isArray(value)) return value.map(entry => inOtherWords(entry, say))
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [say(name), inOtherWords(entry, say)]))
}

const filesOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name))
    : []

/** Plants the neighbour of a company, whose `word` stands in all its texts, and waits until nobody has anything to do for it. */
export const plantNeighbour = async (
  world: StackWithTable,
  { company: model, number, word }: { company: string; number: string; word: string },
): Promise<Neighbour> => {
  // Not in the order of creation, and of no time.
  const company = `z${model.slice(1)}`
  const prefix = companyPrefix(company)
  const say = (text: string) =>
    text
      .replaceAll(model, company)
      .replaceAll(number, number.split('').reverse().join(''))
      .replaceAll(word, marker)
      .replaceAll(word.toLowerCase(), marker.toLowerCase())
      .replaceAll('@example.com', `@${marker}.example.com`)
  for (const item of await world.everything())
    if (String(item.pk).startsWith(companyPrefix(model)))
      await world.plant(inOtherWords(item, say) as Record<string, unknown>)
  const files = join(world.stack.data, 'files')
  if (existsSync(join(files, model))) cpSync(join(files, model), join(files, company), { recursive: true })

  const entries = async (index?: IndexName) => {
    const partition = index ? tableSchema.indexes[index].partitionKey : 'pk'
    const items = (await world.everything(index)).filter(item => String(item[partition]).startsWith(prefix))
    return items.map(item => [`${index ?? 'item'} ${item.pk} ${item.sk}`, fingerprint(canonical(item))] as const)
  }
  const fingerprints = async () => {
    const indexes = Object.keys(tableSchema.indexes) as IndexName[]
    const lists = await Promise.all([entries(), ...indexes.map(entries)])
    const stored = filesOf(join(files, company)).map(file => [file, fingerprint(readFileSync(file))] as const)
    return Object.fromEntries([...lists.flat(), ...stored].sort(([one], [other]) => (one < other ? -1 : 1)))
  }
  // What was planted is told to the jobs as any write is; they look, and find that all is as it should be.
  let [last, since] = ['', Date.now()]
  await eventually(
    async () => {
      const now = canonical(await fingerprints())
      if (now !== last) [last, since] = [now, Date.now()]
      return Date.now() - since
    },
    quietMilliseconds => {
      if (quietMilliseconds < 1500) throw new Error('Something is still done for the neighbour.')
    },
    60,
  )
  return { company, fingerprints }
}

/** What differs between two looks at a neighbour. */
export const differences = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys({ ...before, ...after }).filter(name => before[name] !== after[name])
