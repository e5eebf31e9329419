import { setImmediate as breathe } from 'node:timers/promises'
import { plainCsv } from '../../shared/csv-format.ts'
import { type Code, errors, type Fields, Problem } from '../../shared/errors.ts'
import el from '../../shared/locales/el/error.json' with { type: 'json' }
import en from '../../shared/locales/en/error.json' with { type: 'json' }
import es from '../../shared/locales/es/error.json' with { type: 'json' }
import zh from '../../shared/locales/zh/error.json' with { type: 'json' }
import { plainWord } from '../../shared/sheet/problem.ts'
import {
  type importedNouns,
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

// Imports a sheet as items of the company: all of its rows or none. All checks come before any write. The import writes
// rows in parts, each in one transaction with a note. If a part fails, the import takes all parts back.

type ImportKind = keyof typeof importedNouns
/** Every sheet that the server imports. A schedule creates no items, so it has its own write code. */
export type SheetKind = ImportKind | 'schedule/import'

/** One row of a sheet by its row number, with its filled cells. */
export interface SheetRow {
  row: number
  cells: Cells
}

/** The item that a row becomes. */
export interface Planned<T> {
  row: number
  item: T
}

export interface Plan<T> {
  planned: Planned<T>[]
  problems: SheetProblem[]
  /** The unique names of rows, including rows with problems in other cells. */
  names: RowName[]
}

export interface RowName {
  row: number
  name: string
}

export interface ImportNoun<K extends ImportKind, T extends { id: string }> {
  columns: readonly Column[]
  required: readonly Column[]
  /** Whether a heading may also be a day. The cells of a day have the key `YYYY-MM-DD`. */
  hasDays?: true
  /** Whether a row is the unchanged example of the template. */
  isExample?(cells: Cells): boolean
  /**
   * The items of the rows, checked by the rules of the form. The import calls `report` from time to time with the
   * number of checked rows.
   */
  plan(rows: SheetRow[], work: Work<K>, report: (done: number) => Promise<void>): Promise<Plan<T>>
  /** The collisions of names with existing items. */
  collisions(names: RowName[], work: Work<K>, report: (done: number) => Promise<void>): Promise<SheetProblem[]>
  /** Whether the import must write rows in order. */
  isOrdered?: true
  /** The writes of one item. */
  add(item: T, work: Work<K>): Write[]
  /** Additional writes of a part, once for all its items. */
  addWith?(items: T[], work: Work<K>): Promise<Write[]>
  /** Problems with referenced items that disappeared between check and write. */
  missing?(planned: Planned<T>[], work: Work<K>): Promise<SheetProblem[]>
  /**
   * Takes back the existing items of these ids. Must be idempotent, because a later run repeats an interrupted call.
   */
  takeBack(ids: string[], work: TakingBack<K>): Promise<void>
}

const lanesAtOnce = 8
const rowsBetweenBreaths = 500
const mostValueCharacters = 100

/** Calls `run` for portions of a list and yields to other work between them. */
export const inPortions = async <T>(list: T[], run: (portion: T[], done: number) => Promise<void>): Promise<void> => {
  for (let i = 0; i < list.length; i += rowsBetweenBreaths) {
    const portion = list.slice(i, i + rowsBetweenBreaths)
    await run(portion, i + portion.length)
    await breathe()
  }
}

/**
 * The problems of a row by column. A field within a list belongs to its column. 60004 becomes 60043, because a sheet
 * has names, not ids.
 */
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

/** The columns of a sheet by their headings, and the problems of the headings. */
const readHeadings = (
  headings: string[],
  { columns, required }: Pick<ImportNoun<never, never>, 'columns' | 'required'>,
  asDay: (heading: string) => DayColumn | undefined,
) => {
  const places = new Map<keyof Cells, number>()
  const problems: SheetProblem[] = []
  headings.forEach((heading, place) => {
    if (heading === '') return
    const namedColumn = columnOf(heading)
    if (namedColumn === 'problems') return
    const column = namedColumn && columns.includes(namedColumn) ? namedColumn : asDay(heading)
    const value = heading.slice(0, mostValueCharacters)
    if (!column) problems.push({ row: 1, field: value, code: 60042, value })
    else if (places.has(column)) problems.push({ row: 1, field: column, code: 60003, value })
    else places.set(column, place)
  })
  for (const column of required) if (!places.has(column)) problems.push({ row: 1, field: column, code: 60001 })
  return { places, problems }
}

/** Whether a cell shows a formula error. */
const isFormulaFault = (cell: string) => /^#(NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!)$/.test(cell)

/** The rows with filled cells, and the problems: formula errors and cells without a heading. */
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

/** The problem of an unclosed quote, in its column if the column is known. */
const unclosedProblem = ({ row, place, value }: Unclosed, headings: string[]): SheetProblem => ({
  ...{ row, field: columnOf(headings[place] ?? '') ?? letterOf(place), code: 60044 },
  value: value.slice(0, mostValueCharacters),
})

/** The rows of a sheet by its columns, and the problems of headings and of unreadable cells. */
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

/** The attributes of a task that decide the texts of its problems. */
type TextOptions = Pick<Work<SheetKind>, 'language' | 'kind'>

const sentences: Record<string, Partial<Record<string, string>>> = { en, zh, es, el }

/** The text that explains a problem in its cell. */
const problemText = ({ language, kind }: TextOptions, problem: SheetProblem, count: number): string => {
  const { field, code, about } = problem
  const { columns, wrong } = wordsIn(language)
  const name = field in columns ? columns[field as Column] : field
  const word = plainWord(kind === 'schedule/import', problem, count)
  if (word) return `${name}: ${fill(wrong[word], { ...about })}`
  return `${name}: ${sentences[language]?.[code] ?? en[String(code) as keyof typeof en] ?? errors[code]}`
}

/** Joins texts of one or more sentences. Ends each text with a full stop, because another one may follow. */
const asParagraph = (texts: string[], language: string): string => {
  const isChinese = language === 'zh'
  const ended = texts.map(text => (/[.!?;。！？]$/.test(text) ? text : `${text}${isChinese ? '。' : '.'}`))
  return texts.length > 1 ? ended.join(isChinese ? '' : ' ') : (texts[0] ?? '')
}

const fileName = (words: string[], type: string) =>
  `${words.join(' - ')} ${new Date().toISOString().slice(0, 10)}.${type}`

/**
 * The received sheet with an extra column of problems. The import ignores this column, so users can import the
 * corrected sheet as it is.
 */
const problemSheet = async (
  { type, rows, separator = plainCsv.separator }: ReadSheet,
  problems: SheetProblem[],
  options: TextOptions,
): Promise<NonNullable<TaskOutcome['file']>> => {
  const words = wordsIn(options.language)
  const [headings = [], ...lines] = rows
  const kept = headings.flatMap((heading, place) => (columnOf(heading) === 'problems' ? [] : [place]))
  const width = Math.max(...rows.map(({ length }) => length))
  for (let place = headings.length; place < width; place++) kept.push(place)
  const byRow = Map.groupBy(problems, ({ row }) => row)
  const textOf = (row: number) =>
    asParagraph(
      (byRow.get(row) ?? []).map(problem => problemText(options, problem, problems.length)),
      options.language,
    )
  // Put the problems of the headings into a separate row below them.
  const wrongHeadings = textOf(1)
  const bytes = await writeSheet(type, {
    headings: [words.problems, ...kept.map(place => headings[place] ?? '')],
    rows: [
      ...(wrongHeadings ? [[wrongHeadings]] : []),
      ...lines.map((line, i) => [textOf(i + 2), ...kept.map(place => line[place] ?? '')]),
    ],
    name: words.files.problems,
    dateFormat: 'YYYY-MM-DD',
    csv: { ...plainCsv, separator },
  })
  return { name: fileName([words.files.problems], type), type: sheetMedia[type], bytes }
}

export interface Upload {
  sheet: ReadSheet
  columns: (keyof Cells)[]
  rows: SheetRow[]
  problems: SheetProblem[]
  /** False with wrong headings, because every row would show useless problems. */
  isReadable: boolean
}

/** Reads an upload by its headings, without the example of the template. */
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
  const filled = rows.filter(({ cells }) => !noun.isExample?.(cells))
  const isReadable = ofHeadings.length === 0
  const isEmpty = isReadable && filled.length === 0
  const empty: SheetProblem[] = isEmpty ? [{ row: 2, field: noun.required[0] ?? '', code: 60001 }] : []
  return { sheet, columns, rows: filled, problems: [...ofHeadings, ...empty, ...ofCells], isReadable }
}

/** Keeps only the first problem of each cell. */
export const oneOfCell = (problems: SheetProblem[]): SheetProblem[] => {
  const byCell = new Map<string, SheetProblem>()
  for (const problem of problems) {
    const cell = `${problem.row} ${problem.field}`
    if (!byCell.has(cell)) byCell.set(cell, problem)
  }
  return [...byCell.values()]
}

/** The outcome of an import that failed or was a dry run. */
export const refuseSheet = async (
  work: TextOptions & Pick<Work<SheetKind>, 'input'>,
  { sheet, rows }: Pick<Upload, 'sheet' | 'rows'>,
  problems: SheetProblem[],
): Promise<TaskOutcome> => {
  const sorted = problems.toSorted((one, other) => one.row - other.row)
  // The server reads a sheet with an unclosed quote only partly, so it returns no sheet to correct.
  const hasFile = problems.length > 0 && !sheet.unclosed
  const file = hasFile ? { file: await problemSheet(sheet, sorted, work) } : {}
  const isFailure = !work.input.dryRun
  return { ...(isFailure && { code: 60041 as const }), rowCount: rows.length, problems: sorted, ...file }
}

export const importKind = <K extends ImportKind, T extends { id: string }>(noun: ImportNoun<K, T>): Kind<K> => {
  /** The readings by run, so that each run reads and checks the sheet once. */
  const readings = new WeakMap<Work<K>, Promise<Reading<T>>>()

  const read = async (work: Work<K>): Promise<Reading<T>> => {
    const { sheet, rows, problems, isReadable } = await readUpload(work, noun)
    const plan = isReadable
      ? await noun.plan(rows, work, done => report(work, 'check', done / 2, rows.length))
      : { planned: [], problems: [], names: [] }
    return { sheet, rows, plan: { ...plan, problems: oneOfCell([...problems, ...plan.problems]) } }
  }
  const readOnce = (work: Work<K>) => {
    const reading = readings.get(work) ?? read(work)
    readings.set(work, reading)
    return reading
  }
  const report = async (work: Work<K>, step: 'check' | 'write', done: number, total: number) => {
    // A repeated check after a crash does not set the progress back.
    if (step === 'write' || work.step !== 'write') await work.tell(step, Math.floor(done), total)
  }

  const readParts = async ({ table, task }: TakingBack<K>, wanted: TaskPart['state']) => {
    const parts = await table.all<TaskPart>({ pk: taskPartKey(task, 0).pk })
    return new Set(parts.flatMap(({ part, state }) => (state === wanted ? [part] : [])))
  }

  /** Lanes run in parallel, the rows of a lane in sequence. Every run forms equal lanes. */
  const lanesOf = (planned: Planned<T>[]): Planned<T>[][] => {
    if (noun.isOrdered) return [planned]
    const length = Math.ceil(planned.length / lanesAtOnce)
    return Array.from({ length: lanesAtOnce }, (_, i) => planned.slice(i * length, (i + 1) * length))
  }

  /** Groups rows into parts that fit in a save. Leaves room for the note and for `addWith`. */
  const partsOf = (planned: Planned<T>[], work: Work<K>): Planned<T>[][] =>
    inSaves(planned, ({ item }) => noun.add(item, work), 2)

  const writePart = async (part: number, planned: Planned<T>[], work: Work<K>) => {
    const { table, task } = work
    const items = planned.map(({ item }) => item)
    const note = { state: 'written' as const, part, ids: items.map(({ id }) => id), expiresAt: taskExpiry() }
    // Let each refusal name the row of the failed write.
    const writes = planned.flatMap(({ row, item }) =>
      noun.add(item, work).map(write => ({
        ...write,
        otherwise: { ...write.otherwise, fields: namedBy(row, write.otherwise.fields) },
      })),
    )
    await save(table.insert(taskPartKey(task, part), note), ...writes, ...((await noun.addWith?.(items, work)) ?? []))
  }

  /** Takes a part back. Marks a missing part too, so that a run that is still alive cannot write it. */
  const takeBackPart = async (part: number, work: TakingBack<K>) => {
    const { table, task } = work
    for (let tries = 1; ; tries++) {
      const key = taskPartKey(task, part)
      const stored = await table.get(key)
      if (stored?.state === 'takenBack') return
      const note = { state: 'takenBack' as const, part, ids: stored?.ids ?? [], expiresAt: taskExpiry() }
      try {
        if (stored) await noun.takeBack(stored.ids, work)
        return await save(stored ? table.replace(key, { ...note, version: stored.version }) : table.insert(key, note))
      } catch (error) {
        // Retry after a concurrent change of an item or of the part.
        if (!(error instanceof Problem) || tries === 8) throw error
      }
    }
  }

  return {
    async check(work) {
      const reading = await readOnce(work)
      const { rows, plan } = reading
      const taken = await noun.collisions(plan.names, work, done =>
        report(work, 'check', (rows.length + done) / 2, rows.length),
      )
      const problems = oneOfCell([...plan.problems, ...taken])
      await report(work, 'check', rows.length, rows.length)
      return problems.length > 0 || work.input.dryRun ? refuseSheet(work, reading, problems) : undefined
    },

    async run(work) {
      const reading = await readOnce(work)
      const { plan, rows } = reading
      // The data has changed since the check.
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
            // An earlier run that died may have written the part already.
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
      const takenBack = await readParts(work, 'takenBack')
      const left = Array.from({ length: count }, (_, part) => part).filter(part => !takenBack.has(part))
      let done = takenBack.size
      await work.tell('takeBack', done, count)
      const faults: unknown[] = []
      // Take ordered rows back in reverse.
      const [lanes, order] = noun.isOrdered ? [1, left.toReversed()] : [lanesAtOnce, left]
      await atOnce(lanes, order, async part => {
        try {
          await takeBackPart(part, work)
        } catch (error) {
          // Take the other parts back nevertheless.
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

/** The rows that a refusal names, or all rows of the part if it names none. */
const conflictOf = ({ code, fields = {} }: Problem, planned: Planned<unknown>[], rows: SheetRow[]): SheetProblem[] => {
  const named = Object.entries(fields).flatMap(([name, code]) => {
    const [row, ...field] = name.split('.')
    const sheetRow = rows.find(other => other.row === Number(row))
    return sheetRow ? problemsOf(sheetRow, { [field.join('.')]: code }) : []
  })
  return named.length > 0 ? named : planned.map(({ row }) => ({ row, field: 'row', code }))
}
