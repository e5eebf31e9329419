import { fold } from '../../shared/fold.ts'
import el from '../../shared/locales/el/sheet.json' with { type: 'json' }
import en from '../../shared/locales/en/sheet.json' with { type: 'json' }
import es from '../../shared/locales/es/sheet.json' with { type: 'json' }
import zh from '../../shared/locales/zh/sheet.json' with { type: 'json' }
import { roles } from '../../shared/permissions.ts'

// The words of sheets. The server writes the language of the caller but reads all languages, because people pass sheets
// on.

const catalogues: Record<string, typeof en> = { en, zh, es, el }
export type Column = keyof typeof en.columns
/** A column for one day. Its key is the date. */
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

/** The roles without a role id. */
export const plainRoles: Partial<Record<RoleWord, number>> = {
  none: roles.none,
  administrator: roles.administrator,
  employee: roles.employee,
}

export const wordsIn = (language: string) => catalogues[language] ?? en

/** A lookup by words of all languages. Builds its map at the first use, because most calls need none. */
const lookup = <T>(read: () => [word: string, meant: T][]) => {
  let byWord: Map<string, T> | undefined
  return (word: string): T | undefined => {
    byWord ??= new Map(read().map(([word, meant]) => [fold(word), meant]))
    return byWord.get(fold(word))
  }
}

/** The column of a heading, in any language or by its API name; undefined if unknown. */
export const columnOf = lookup<Column | 'problems'>(() =>
  Object.values(catalogues).flatMap(({ columns, problems }) => [
    ...(Object.keys(columns) as Column[]).flatMap((column): [string, Column][] => [
      [columns[column], column],
      [column, column],
    ]),
    [problems, 'problems'],
  ]),
)

export const roleOf = lookup<RoleWord>(() =>
  Object.values(catalogues).flatMap(({ roles }) =>
    (Object.keys(roles) as RoleWord[]).map((role): [string, RoleWord] => [roles[role], role]),
  ),
)

/** The filled cells of a row. */
export type Cells = Partial<Record<Column | DayColumn, string>>

/** Whether a row equals the example of the template in these columns, in any language. */
export const isExample = (cells: Cells, columns: (keyof typeof en.example)[]): boolean =>
  Object.values(catalogues).some(({ example }) => columns.every(column => cells[column] === example[column]))
