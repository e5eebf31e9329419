import { readFile } from 'node:fs/promises'
import { environment } from '../kit/environment.ts'

// States and cities from the file beside the function. The file stays text, and a request parses only its country.
// Parsing all countries takes longer than the answer.

export interface State {
  id: string
  name: string
  /** The local name, if different. */
  native?: string
  cities: { id: string; name: string }[]
}

type Line = [id: string, name: string, native: string, cities: [id: string, name: string][]][]

let lines: Promise<Map<string, string>> | undefined

const readLines = async () => {
  const text = await readFile(environment('PLACES'), 'utf8')
  return new Map(
    text
      .split('\n')
      .filter(line => line && !line.startsWith('#'))
      .map(line => [line.slice(0, 2), line.slice(3)] as const),
  )
}

const readOnce = () => {
  lines ??= readLines().catch(error => {
    lines = undefined
    throw error
  })
  return lines
}

/** All countries of ISO 3166-1. */
export const countries = async (): Promise<string[]> => [...(await readOnce()).keys()]

/** The states of a country; undefined for an unknown country. */
export const statesOf = async (country: string): Promise<State[] | undefined> => {
  const line = (await readOnce()).get(country)
  if (line === undefined) return undefined
  return (JSON.parse(line) as Line).map(([id, name, native, cities]) => ({
    id,
    name,
    ...(native && { native }),
    cities: cities.map(([id, name]) => ({ id, name })),
  }))
}
