import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Compiles states and cities from a package of 4,700 files into one file beside the function. The file has one line per
// country, `GR <its states with their cities>`. A call reads one line.

const countriesFile = fileURLToPath(import.meta.resolve('@countrystatecity/countries/data/countries.json'))
const data = dirname(countriesFile)
const manifest = join(data, '../../package.json')

/** The licence requires this notice with every copy of the data. */
const notice =
  '# Countries States Cities Database, https://github.com/dr5hn/countries-states-cities-database, made available under the Open Database License 1.0, https://opendatacommons.org/licenses/odbl/1-0/'

interface Entry {
  id: number
  name: string
  native?: string | null
  iso2: string
  iso3166_2?: string | null
}

const read = <T>(...place: string[]): T => JSON.parse(readFileSync(join(data, ...place), 'utf8'))
/** Folders by code: `Attica-I` is the folder of code `I`. */
const byCode = (folder: string) =>
  new Map(
    readdirSync(join(data, folder), { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => [name.slice(name.lastIndexOf('-') + 1), name] as const),
  )

/** `[id, name]` of each city, without duplicate names. */
const citiesOf = (folder: string, state: string | undefined) => {
  const cities = state === undefined ? [] : read<Entry[]>(folder, state, 'cities.json')
  const named = new Map<string, string>()
  for (const { id, name } of cities) if (!named.has(name.trim())) named.set(name.trim(), String(id))
  return [...named].map(([name, id]) => [id, name])
}

const lineOf = (country: string, folder: string | undefined) => {
  const folders = folder === undefined ? new Map<string, string>() : byCode(folder)
  const states = folder === undefined ? [] : read<Entry[]>(folder, 'states.json')
  const listed = states.map(({ iso2, iso3166_2, name, native }) => [
    // The package lists some parts of France also as countries. These parts have both codes.
    iso3166_2?.startsWith(`${country}-`) ? iso3166_2 : `${country}-${iso2}`,
    name.trim(),
    native && native !== name ? native.trim() : '',
    citiesOf(folder ?? '', folders.get(iso2)),
  ])
  return `${country} ${JSON.stringify(listed)}`
}

/** Compiles the package into the text that the function reads. */
const compile = () => {
  const folders = byCode('.')
  const lines = read<Entry[]>('countries.json').map(({ iso2 }) => lineOf(iso2, folders.get(iso2)))
  return [notice, ...lines.sort(), ''].join('\n')
}

/** The file name beside the function. */
export const placesName = 'places.txt'

/** The format version of the file. Increment it with every change of the format. */
const edition = 2

/** Writes the file once per version of the data and returns its path. */
export const preparePlaces = (target: string): string => {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const file = join(target, `places-${version}-${edition}.txt`)
  if (existsSync(file)) return file
  mkdirSync(target, { recursive: true })
  // Concurrent processes write the same content.
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, compile())
  renameSync(partial, file)
  return file
}
