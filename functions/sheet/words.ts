import { fold } from '../../shared/fold.ts'
import el from '../../shared/locales/el/sheet.json' with { type: 'json' }
import en from '../../shared/locales/en/sheet.json' with { type: 'json' }
import es from '../../shared/locales/es/sheet.json' with { type: 'json' }
import zh from '../../shared/locales/zh/sheet.json' with { type: 'json' }
import { roles } from '../../shared/permissions.ts'

// The words of sheets, in the language of who asked for one. Read are all languages: a sheet goes from hand to hand.

const catalogues: Record<string, typeof en> = { en, zh, es, el }
export type Column = keyof typeof en.columns
/** A column of its own for a day, under that day. */
export type DayColumn = `${number}-${number}-${number}`
export type RoleWord = keyof typeof en.roles

/** The columns of people and of departments, in the order of their sheets. */
export const employeeColumns = [
  ...(['first_name', 'last_name', 'workno', 'department', 'departments', 'position', 'email', 'tel'] as const),
  ...(['hireDay', 'endDay', 'role'] as const),
] satisfies Column[]
export const departmentColumns = [
  ...(['name', 'parent', 'location', 'tel', 'address', 'country', 'state', 'city'] as const),
] satisfies Column[]

/** The roles that are no more than a number. */
export const plainRoles: Partial<Record<RoleWord, number>> = {
  none: roles.none,
  administrator: roles.administrator,
  employee: roles.employee,
}

export const wordsIn = (language: string) => catalogues[language] ?? en

/** Found by their words in every language when the first of them is looked for: most calls look for none. */
const found = <T>(read: () => [word: string, meant: T][]) => {
  let byWord: Map<string, T> | undefined
  return (word: string): T | undefined => {
    byWord ??= new Map(read().map(([word, meant]) => [fold(word), meant]))
    return byWord.get(fold(word))
  }
}

/** The column a heading names, in any of the languages or as the API calls the field; undefined where it is none. */
export const columnOf = found<Column | 'problems'>(() =>
  Object.values(catalogues).flatMap(({ columns, problems }) => [
    ...(Object.keys(columns) as Column[]).flatMap((column): [string, Column][] => [
      [columns[column], column],
      [column, column],
    ]),
    [problems, 'problems'],
  ]),
)

export const roleOf = found<RoleWord>(() =>
  Object.values(catalogues).flatMap(({ roles }) =>
    (Object.keys(roles) as RoleWord[]).map((role): [string, RoleWord] => [roles[role], role]),
  ),
)

/** What the filled cells of a row say. */
export type Cells = Partial<Record<Column | DayColumn, string>>

/** Whether a row says in these columns what the example of a template says, in any language. */
export const isExample = (cells: Cells, columns: (keyof typeof en.example)[]): boolean =>
  Object.values(catalogues).some(({ example }) => columns.every(column => cells[column] === example[column]))
