import { setImmediate as breathe } from 'node:timers/promises'
import { type Code, errors, type Fields, Problem } from '../../shared/errors.ts'
import el from '../../shared/locales/el/error.json' with { type: 'json' }
import en from '../../shared/locales/en/error.json' with { type: 'json' }
import es from '../../shared/locales/es/error.json' with { type: 'json' }
import zh from '../../shared/locales/zh/error.json' with { type: 'json' }
import { plainWord } from '../../shared/sheet/problem.ts'
import {
  type importedNouns,
  rowsOf,
  type SheetProblem,
  sheetMedia,
  sheetUploadKey,
  type TaskPart,
  taskPartKey,
} from '../../shared/task.ts'
import { atOnce } from '../kit/each.ts'
import { inSaves, save, type Write } from '../kit/table.ts'
import { type Kind, type TakingBack, type TaskOutcome, taskExpiry, type Work } from '../kit/task.ts'
import { fill } from '../kit/words.ts'
import { readDateFormat } from './export.ts'
import { type ReadSheet, type Rows, readSheet, type Unclosed } from './read.ts'
import { type Cells, type Column, columnOf, type DayColumn, wordsIn } from './words.ts'
import { letterOf } from './workbook-write.ts'
import { dayOf, writeSheet } from './write.ts'

// A sheet becomes items of the company: all of its rows, or none. Everything is looked at before anything is written. What is
// written is written in parts, each in one transaction with the note that it is there; where one cannot be, all are taken back.

type ImportKind = keyof typeof importedNouns
/** Every sheet that is read: a schedule makes nothing new, and is written in its own way. */
export type SheetKind = ImportKind | 'schedule/import'

/** One row of a sheet, as the sheet counts them, and what its filled cells say. */
export interface SheetRow {
  row: number
  cells: Cells
}

/** What a row is to become. */
export interface Planned<T> {
  row: number
  item: T
}

export interface Plan<T> {
  planned: Planned<T>[]
  problems: SheetProblem[]
  /** What rows are called as nothing else may be, also of those that are wrong in another cell. */
  names: RowName[]
}

export interface RowName {
  row: number
  name: string
}

export interface ImportNoun<K extends ImportKind, T extends { id: string }> {
  columns: readonly Column[]
  required: readonly Column[]
  /** Whether any day may be a heading as well; a cell below it is found under `YYYY-MM-DD`. */
  hasDays?: true
  /** The row of the template nobody has taken out. */
  isExample?(cells: Cells): boolean
  /** What the rows say, each judged by the same rules as a form; `said` is called now and then with how many are judged. */
  plan(rows: SheetRow[], work: Work<K>, said: (done: number) => Promise<void>): Promise<Plan<T>>
  /** What stands in the way in the company already. */
  collisions(names: RowName[], work: Work<K>, said: (done: number) => Promise<void>): Promise<SheetProblem[]>
  /** Whether a row can be written only behind those before it. */
  isOrdered?: true
  /** How one item is written. */
  add(item: T, work: Work<K>): Write[]
  /** What is written once with each part. */
  addWith?(items: T[], work: Work<K>): Promise<Write[]>
  /** What is missing, when everything is written, of what was there when it was judged. */
  missing?(planned: Planned<T>[], work: Work<K>): Promise<SheetProblem[]>
  /** Takes back the items of these ids, those that are there. Where it was left in the middle, it is called again. */
  takeBack(ids: string[], work: TakingBack<K>): Promise<void>
}

const lanesAtOnce = 8
const rowsBetweenBreaths = 500
const mostValueCharacters = 100

/** The id of what a row becomes follows from the task, so that a row is never written twice. Ordered as the rows are. */
export const rowId = (task: string, row: number): string => rowsOf(task) + row.toString(36).padStart(4, '0')

/** Calls `run` for portions of a list, and lets others have a turn between them. */
export const inPortions = async <T>(list: T[], run: (portion: T[], done: number) => Promise<void>): Promise<void> => {
  for (let i = 0; i < list.length; i += rowsBetweenBreaths) {
    const portion = list.slice(i, i + rowsBetweenBreaths)
    await run(portion, i + portion.length)
    await breathe()
  }
}

/** What is wrong with a row, by its columns; a field within a list is the column's. What is not there was named wrongly: a sheet knows no ids. */
export const problemsOf = ({ row, cells }: SheetRow, fields: Fields): SheetProblem[] => {
  const byColumn = new Map<string, Code>()
  for (const [name, code] of Object.entries(fields)) {
    const [first = name] = name.split('.')
    const field = first === 'roleId' ? 'role' : first
    if (!byColumn.has(field)) byColumn.set(field, code === 60004 ? 60043 : code)
  }
  return [...byColumn].map(([field, code]) => {
    const value = cells[field as keyof Cells]?.slice(0, mostValueCharacters)
    return { row, field, code, ...(value !== undefined && { value }) }
  })
}

interface Reading<T> {
  sheet: ReadSheet
  rows: SheetRow[]
  plan: Plan<T>
}

/** The columns of a sheet by their headings, and what is wrong with those. */
const readHeadings = (
  headings: string[],
  { columns, required }: Pick<ImportNoun<never, never>, 'columns' | 'required'>,
  asDay: (heading: string) => DayColumn | undefined,
) => {
  const places = new Map<keyof Cells, number>()
  const problems: SheetProblem[] = []
  headings.forEach((heading, place) => {
    if (heading === '') return
    const named = columnOf(heading)
    if (named === 'problems') return
    const column = named && columns.includes(named) ? named : asDay(heading)
    const value = heading.slice(0, mostValueCharacters)
    if (!column) problems.push({ row: 1, field: value, code: 60042, value })
    else if (places.has(column)) problems.push({ row: 1, field: column, code: 60003, value })
    else places.set(column, place)
  })
  for (const column of required) if (!places.has(column)) problems.push({ row: 1, field: column, code: 60001 })
  return { places, problems }
}

/** What a program shows where a formula came to nothing. */
const isFormulaFault = (cell: string) => /^#(NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!)$/.test(cell)

/** The rows that say something, and cells that say nothing one could read or stand under no heading. */
const readRows = (lines: Rows, headings: string[], places: Map<keyof Cells, number>) => {
  const rows: SheetRow[] = []
  const problems: SheetProblem[] = []
  lines.forEach((line, i) => {
    const cells: Cells = {}
    for (const [column, place] of places) {
      const cell = line[place]
      if (cell) cells[column] = cell
      if (cell && isFormulaFault(cell)) problems.push({ row: i + 2, field: column, code: 10002, value: cell })
    }
    const stray = line.findIndex((cell, place) => cell !== '' && !headings[place])
    if (stray >= 0)
      problems.push({
        ...{ row: i + 2, field: letterOf(stray), code: 60042 },
        value: line[stray]?.slice(0, mostValueCharacters) ?? '',
      })
    if (Object.keys(cells).length > 0) rows.push({ row: i + 2, cells })
  })
  return { rows, problems }
}

/** Where the quotes of a text do not fit together, by the column where it has one. */
const unclosedProblem = ({ row, place, value }: Unclosed, headings: string[]): SheetProblem => ({
  ...{ row, field: columnOf(headings[place] ?? '') ?? letterOf(place), code: 60044 },
  value: value.slice(0, mostValueCharacters),
})

/** What the rows of a sheet say by what its headings mean, and what is wrong with those and with cells nobody can read. */
export const readTable = (
  [headings = [], ...lines]: Rows,
  noun: Pick<ImportNoun<never, never>, 'columns' | 'required' | 'hasDays'>,
  dateFormat: string,
) => {
  const asDay = (heading: string) => (noun.hasDays ? (dayOf(heading, dateFormat) as DayColumn | undefined) : undefined)
  const { places, problems: ofHeadings } = readHeadings(headings, noun, asDay)
  const { rows, problems: ofCells } = readRows(lines, headings, places)
  return { columns: [...places.keys()], rows, ofHeadings, ofCells }
}

/** What of a task tells how what is wrong with its sheet is said. */
type Asked = Pick<Work<SheetKind>, 'language' | 'kind'>

const sentences: Record<string, Partial<Record<string, string>>> = { en, zh, es, el }

/** What is wrong with a field, as a sentence in a cell. */
const problemText = ({ language, kind }: Asked, problem: SheetProblem, count: number): string => {
  const { field, code, about } = problem
  const { columns, wrong } = wordsIn(language)
  const name = field in columns ? columns[field as Column] : field
  const word = plainWord(kind === 'schedule/import', problem, count)
  if (word) return `${name}: ${fill(wrong[word], { ...about })}`
  return `${name}: ${sentences[language]?.[code] ?? en[String(code) as keyof typeof en] ?? errors[code]}`
}

const fileName = (words: string[], type: string) =>
  `${words.join(' - ')} ${new Date().toISOString().slice(0, 10)}.${type}`

/** The sheet as it was sent, with a column that says what is wrong; corrected, it can be sent again as it is. */
const problemSheet = async (
  { type, rows }: ReadSheet,
  problems: SheetProblem[],
  asked: Asked,
): Promise<NonNullable<TaskOutcome['file']>> => {
  const words = wordsIn(asked.language)
  const [headings = [], ...lines] = rows
  const kept = headings.flatMap((heading, place) => (columnOf(heading) === 'problems' ? [] : [place]))
  const width = Math.max(...rows.map(({ length }) => length))
  for (let place = headings.length; place < width; place++) kept.push(place)
  const byRow = Map.groupBy(problems, ({ row }) => row)
  const saidOf = (row: number) =>
    byRow
      .get(row)
      ?.map(problem => problemText(asked, problem, problems.length))
      .join('; ') ?? ''
  // What is wrong with the headings stands in a row of its own below them.
  const wrongHeadings = saidOf(1)
  const bytes = await writeSheet(type, {
    headings: [words.problems, ...kept.map(place => headings[place] ?? '')],
    rows: [
      ...(wrongHeadings ? [[wrongHeadings]] : []),
      ...lines.map((line, i) => [saidOf(i + 2), ...kept.map(place => line[place] ?? '')]),
    ],
    dateFormat: 'YYYY-MM-DD',
  })
  return { name: fileName([words.files.problems], type), type: sheetMedia[type], bytes }
}

/** What somebody has sent. */
export interface Upload {
  sheet: ReadSheet
  /** The columns it has. */
  columns: (keyof Cells)[]
  rows: SheetRow[]
  problems: SheetProblem[]
  /** Rows under wrong headings are wrong in every cell; nobody wants to read that. */
  isReadable: boolean
}

/** Reads what somebody has sent by what its headings mean, without the example of a template. */
export const readUpload = async (
  { files, table, asker, input }: Pick<Work<SheetKind>, 'files' | 'table' | 'asker' | 'input'>,
  noun: Pick<ImportNoun<never, never>, 'columns' | 'required' | 'hasDays' | 'isExample'>,
): Promise<Upload> => {
  const bytes = await files.read(sheetUploadKey(asker.employee.id, input.upload))
  if (!bytes) throw new Problem(60004, { upload: 60004 })
  const sheet = await readSheet(bytes)
  if (sheet.unclosed) {
    const problem = unclosedProblem(sheet.unclosed, sheet.rows[0] ?? [])
    return { sheet, columns: [], rows: [], problems: [problem], isReadable: false }
  }
  const dateFormat = noun.hasDays ? await readDateFormat(table) : ''
  const { columns, rows, ofHeadings, ofCells } = readTable(sheet.rows, noun, dateFormat)
  const meant = rows.filter(({ cells }) => !noun.isExample?.(cells))
  const isReadable = ofHeadings.length === 0
  const isEmpty = isReadable && meant.length === 0
  const empty: SheetProblem[] = isEmpty ? [{ row: 2, field: noun.required[0] ?? '', code: 60001 }] : []
  return { sheet, columns, rows: meant, problems: [...ofHeadings, ...empty, ...ofCells], isReadable }
}

/** One cell has one problem, the first that was found. */
export const oneOfCell = (problems: SheetProblem[]): SheetProblem[] => {
  const all = new Map<string, SheetProblem>()
  for (const problem of problems) {
    const cell = `${problem.row} ${problem.field}`
    if (!all.has(cell)) all.set(cell, problem)
  }
  return [...all.values()]
}

/** The end of an import that cannot be done, or was only looked at. */
export const refuseSheet = async (
  work: Asked & Pick<Work<SheetKind>, 'input'>,
  { sheet, rows }: Pick<Upload, 'sheet' | 'rows'>,
  problems: SheetProblem[],
): Promise<TaskOutcome> => {
  const sorted = problems.toSorted((one, other) => one.row - other.row)
  // Of a sheet that cannot be read to its end there is no other one to be corrected.
  const hasFile = problems.length > 0 && !sheet.unclosed
  const file = hasFile ? { file: await problemSheet(sheet, sorted, work) } : {}
  const isFailure = !work.input.dryRun
  return { ...(isFailure && { code: 60041 as const }), rowCount: rows.length, problems: sorted, ...file }
}

export const importKind = <K extends ImportKind, T extends { id: string }>(noun: ImportNoun<K, T>): Kind<K> => {
  /** The sheet is read and judged once in each run. */
  const readings = new WeakMap<Work<K>, Promise<Reading<T>>>()

  const read = async (work: Work<K>): Promise<Reading<T>> => {
    const { sheet, rows, problems, isReadable } = await readUpload(work, noun)
    const plan = isReadable
      ? await noun.plan(rows, work, done => said(work, 'check', done / 2, rows.length))
      : { planned: [], problems: [], names: [] }
    return { sheet, rows, plan: { ...plan, problems: oneOfCell([...problems, ...plan.problems]) } }
  }
  const readOnce = (work: Work<K>) => {
    const reading = readings.get(work) ?? read(work)
    readings.set(work, reading)
    return reading
  }
  const said = async (work: Work<K>, step: 'check' | 'write', done: number, total: number) => {
    // What is looked at again after a crash is no new step.
    if (step === 'write' || work.step !== 'write') await work.tell(step, Math.floor(done), total)
  }

  const readParts = async ({ table, task }: TakingBack<K>, wanted: TaskPart['state']) => {
    const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
    return new Set(parts.flatMap(({ part, state }) => (state === wanted ? [part] : [])))
  }

  /** Those of one list are written one after the other, different lists at once; the same in every run. */
  const lanesOf = (planned: Planned<T>[]): Planned<T>[][] => {
    if (noun.isOrdered) return [planned]
    const length = Math.ceil(planned.length / lanesAtOnce)
    return Array.from({ length: lanesAtOnce }, (_, i) => planned.slice(i * length, (i + 1) * length))
  }

  /** Several rows with what each needs; beside them the part itself, and what is written once with each part. */
  const partsOf = (planned: Planned<T>[], work: Work<K>): Planned<T>[][] =>
    inSaves(planned, ({ item }) => noun.add(item, work), 2)

  const writePart = async (part: number, planned: Planned<T>[], work: Work<K>) => {
    const { table, task } = work
    const items = planned.map(({ item }) => item)
    const note = { state: 'written' as const, part, ids: items.map(({ id }) => id), expiresAt: taskExpiry() }
    // A refusal names the row by which it came.
    const writes = planned.flatMap(({ row, item }) =>
      noun.add(item, work).map(write => ({
        ...write,
        otherwise: { ...write.otherwise, fields: namedBy(row, write.otherwise.fields) },
      })),
    )
    await save(table.insert(taskPartKey(task, part), note), ...writes, ...((await noun.addWith?.(items, work)) ?? []))
  }

  /** Also what is not there yet is taken back, so that no run that is still about can write it. */
  const takeBackPart = async (part: number, work: TakingBack<K>) => {
    const { table, task } = work
    for (let tries = 1; ; tries++) {
      const key = taskPartKey(task, part)
      const found = await table.get(key)
      if (found?.state === 'takenBack') return
      const note = { state: 'takenBack' as const, part, ids: found?.ids ?? [], expiresAt: taskExpiry() }
      try {
        if (found) await noun.takeBack(found.ids, work)
        return await save(found ? table.replace(key, { ...note, version: found.version }) : table.insert(key, note))
      } catch (error) {
        // Somebody has changed an item since it was read, or written the part.
        if (!(error instanceof Problem) || tries === 8) throw error
      }
    }
  }

  return {
    async check(work) {
      const reading = await readOnce(work)
      const { rows, plan } = reading
      const taken = await noun.collisions(plan.names, work, done =>
        said(work, 'check', (rows.length + done) / 2, rows.length),
      )
      const problems = oneOfCell([...plan.problems, ...taken])
      await said(work, 'check', rows.length, rows.length)
      return problems.length > 0 || work.input.dryRun ? refuseSheet(work, reading, problems) : undefined
    },

    async run(work) {
      const reading = await readOnce(work)
      const { plan, rows } = reading
      // Something has changed since it was looked at.
      if (plan.problems.length > 0) return refuseSheet(work, reading, plan.problems)
      const lanes = lanesOf(plan.planned).map(lane => partsOf(lane, work))
      let count = 0
      const numbered = lanes.map(parts => parts.map(planned => ({ part: count++, planned })))
      if (work.memory.parts === undefined) await work.remember({ parts: count })
      const done = await readParts(work, 'written')
      let written = 0
      let conflict: SheetProblem[] | undefined
      await work.tell('write', 0, rows.length)
      await atOnce(lanesAtOnce, numbered, async lane => {
        for (const { part, planned } of lane) {
          if (conflict) return
          try {
            if (!done.has(part)) await writePart(part, planned, work)
          } catch (error) {
            if (!(error instanceof Problem)) throw error
            // It may be there, written by a run that did not live to say so.
            if (!(await readParts(work, 'written')).has(part)) {
              conflict = conflictOf(error, planned, rows)
              return
            }
          }
          written += planned.length
          await work.tell('write', written, rows.length)
          if (!done.has(part)) work.pause()
        }
      })
      const problems = conflict ?? (await noun.missing?.(plan.planned, work)) ?? []
      return problems.length > 0 ? refuseSheet(work, reading, problems) : { rowCount: rows.length }
    },

    async takeBack(work) {
      const count = Number(work.memory.parts ?? 0)
      const back = await readParts(work, 'takenBack')
      const left = Array.from({ length: count }, (_, part) => part).filter(part => !back.has(part))
      let done = back.size
      await work.tell('takeBack', done, count)
      const faults: unknown[] = []
      // What can be written only behind others is taken back before them.
      const [lanes, order] = noun.isOrdered ? [1, left.toReversed()] : [lanesAtOnce, left]
      await atOnce(lanes, order, async part => {
        try {
          await takeBackPart(part, work)
        } catch (error) {
          // The others are taken back all the same.
          faults.push(error)
          return
        }
        await work.tell('takeBack', ++done, count)
        work.pause()
      })
      if (faults.length > 0) throw faults[0]
    },
  }
}

const namedBy = (row: number, fields: Fields | undefined): Fields =>
  Object.fromEntries(
    Object.entries(fields ?? { row: 60006 as const }).map(([field, code]) => [`${row}.${field}`, code]),
  )

/** The rows a refusal names; all of the part where it names none. */
const conflictOf = ({ code, fields = {} }: Problem, planned: Planned<unknown>[], rows: SheetRow[]): SheetProblem[] => {
  const named = Object.entries(fields).flatMap(([name, code]) => {
    const [row, ...field] = name.split('.')
    const found = rows.find(one => one.row === Number(row))
    return found ? problemsOf(found, { [field.join('.')]: code }) : []
  })
  return named.length > 0 ? named : planned.map(({ row }) => ({ row, field: 'row', code }))
}
