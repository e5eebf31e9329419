import { type Company, defaultPrevention } from '../../shared/company.ts'
import { fromCelsius, type Unit, unitNames } from '../../shared/degrees.ts'
import { deviceKey } from '../../shared/device/key.ts'
import type { Device } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import el from '../../shared/locales/el/record.json' with { type: 'json' }
import en from '../../shared/locales/en/record.json' with { type: 'json' }
import es from '../../shared/locales/es/record.json' with { type: 'json' }
import zh from '../../shared/locales/zh/record.json' with { type: 'json' }
import { fullName } from '../../shared/person-name.ts'
import { browserSn, recognisedBy } from '../../shared/punch.ts'
import { sheetMedia } from '../../shared/task.ts'
import { readCompany } from '../company/store.ts'
import { readNames } from '../day/rows.ts'
import { readDepartments } from '../department/store.ts'
import type { Kind, Work } from '../kit/task.ts'
import { fileName, formatsOf } from '../sheet/export.ts'
import { wordsIn } from '../sheet/words.ts'
import { type Cell, writeSheet } from '../sheet/write.ts'
import { openRecords, type Place, type PunchRecord, type RecordsWanted, sourceOf } from './read.ts'

// Exports punches to a sheet, as the list shows them.

/** The words without plural texts, whose number depends on the language. */
type Words = Omit<typeof en, 'orphan' | `orphans_${string}`>
const catalogues: Record<string, Words> = { en, zh, es, el }

/** The size of a part. Between parts the task reports progress and may pause. */
const partSize = 1000
/** Spreadsheet programs fail to open larger sheets. Users choose a shorter range. */
const mostRows = 200_000

/** The place of a browser punch, in the reader's language. */
const placeOf = (punch: PunchRecord['punch'], words: Words) =>
  punch &&
  [
    punch.isOutside && words.place.outside,
    punch.place ?? (punch.located && `${punch.located.latitude}, ${punch.located.longitude}`),
  ]
    .filter(Boolean)
    .join(': ')

/** The time on the clocks of the company's zone. */
const clock = (zone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', second: '2-digit' })

const unitOf = ({ prevention = defaultPrevention }: Pick<Company, 'prevention'>): Unit => prevention.temp_unit

type Exported = 'record/export' | 'temperature/export'

async function* readRows(
  { table, asker, language, input, tell }: Work<Exported>,
  wanted: Pick<RecordsWanted, 'isMeasured'>,
): AsyncGenerator<Cell[]> {
  const words = catalogues[language] ?? en
  const viewer = { table, departments: asker.departments }
  const [company, departments, devices] = await Promise.all([
    readCompany({ table }),
    readDepartments(table),
    table.all<Device>({ pk: deviceKey('').pk, only: ['serialNumber', 'name'] }),
  ])
  const departmentNames = new Map(departments.map(({ id, name }) => [id, name]))
  const deviceOf = new Map(devices.map(device => [device.serialNumber, device]))
  const unit = unitOf(company)
  const clocks = new Map<string, Intl.DateTimeFormat>()
  const timeOf = ({ at, row: { zone } }: PunchRecord) => {
    const shown = clocks.get(zone) ?? clock(zone)
    clocks.set(zone, shown)
    return shown.format(at)
  }
  const read = await openRecords(viewer, company, { ...input.filters, ...wanted })
  let count = 0
  let place: Place | undefined
  do {
    const part = await read(partSize, place)
    const names = await readNames(
      table,
      part.list.map(({ row }) => row),
    )
    for (const record of part.list) {
      const { row, day, device, use, punch } = record
      const source = sourceOf(record)
      const means = punch && recognisedBy(punch)
      const person = names.employee(row.employee)
      yield [
        Number(person.workno) || person.workno,
        fullName(person),
        { day },
        { time: timeOf(record) },
        row.zone,
        words.use[use],
        departmentNames.get(row.department),
        device === browserSn ? words.browser : deviceOf.get(device)?.name,
        record.request === undefined ? device : undefined,
        punch?.temperature === undefined ? undefined : fromCelsius(punch.temperature / 10, unit),
        punch?.mask === undefined ? undefined : punch.mask ? words.mask.yes : words.mask.no,
        source && words.source[source],
        means ? words.verified[means] : punch?.mode,
        placeOf(punch, words),
      ]
    }
    place = part.place
    count += part.list.length
    // Fail, because a reader could take a truncated sheet for all records.
    if (count > mostRows) throw new Problem(60002)
    await tell('write', count, count)
  } while (place)
}

const headings = (
  { workno, employee, day, time, zone, use, department, device, serialNumber, ...words }: Words,
  unit: Unit,
) => [
  ...[workno, employee, day, time, zone, use.label, department, device, serialNumber],
  ...[
    `${words.temperature.label} (${unitNames[unit]})`,
    words.mask.label,
    words.source.label,
    words.verified.label,
    words.place.label,
  ],
]

const exporting = <K extends Exported>(wanted: Pick<RecordsWanted, 'isMeasured'>): Kind<K> => ({
  async run(work) {
    const { table, language, input } = work
    let rowCount = 0
    const rows = async function* () {
      for await (const row of readRows(work, wanted)) {
        rowCount++
        yield row
      }
    }
    const words = catalogues[language] ?? en
    const company = await readCompany({ table })
    const title = wordsIn(language).files[wanted.isMeasured ? 'temperature' : 'records']
    const bytes = await writeSheet(input.type, {
      ...{ name: title, headings: headings(words, unitOf(company)), rows: rows() },
      ...formatsOf(company, language),
    })
    const { from, to } = input.filters
    const name = `${fileName([title, `${from} ${to}`, company.name])}.${input.type}`
    return { rowCount, file: { name, type: sheetMedia[input.type], bytes } }
  },
})

export const recordExport = exporting<'record/export'>({})
export const temperatureExport = exporting<'temperature/export'>({ isMeasured: true })
