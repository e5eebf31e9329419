import { readFile } from 'node:fs/promises'
import { environment } from '../kit/environment.ts'

// States and cities, from the file beside the function. It is kept as text, and only the country that is asked for is read out
// of it: the whole of it would take longer than the answer.

export interface State {
  id: string
  name: string
  /** What its people call it, where that is another word. */
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

/** All countries, ISO 3166-1. */
export const countries = async (): Promise<string[]> => [...(await readOnce()).keys()]

/** The states of a country; undefined where there is no such country, none where it has none. */
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
