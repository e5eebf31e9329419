import type { Department } from '../../shared/department.ts'
import { fold } from '../../shared/fold.ts'
import { nameFinder } from '../sheet/name-finder.ts'

// Finds departments by the names and paths that people write in sheets. A name is unique in a company.

const separator = /\s*\/\s*/

/** The names from the top department down to this one. Stops at a cycle of parents, which should not exist. */
const namesTo = (id: string, byId: ReadonlyMap<string, Pick<Department, 'id' | 'name' | 'parent'>>): string[] => {
  const names: string[] = []
  const seen = new Set<string>()
  for (let at = byId.get(id); at && !seen.has(at.id); at = at.parent === undefined ? undefined : byId.get(at.parent)) {
    names.unshift(at.name)
    seen.add(at.id)
  }
  return names
}

const isEnd = (path: string[], end: string[]) =>
  end.length <= path.length && end.every((name, i) => name === path[path.length - end.length + i])

/**
 * Finds the id of a department by its name, or by a path like `Bakery / Shop`. Returns undefined if none or several
 * match.
 */
export const departmentFinder = (departments: Pick<Department, 'id' | 'name' | 'parent'>[]) => {
  const byId = new Map(departments.map(department => [department.id, department]))
  // An interrupted import may have written a department already, so the list may contain it twice.
  const find = nameFinder([...byId.values()])
  const only = (matches: { id: string }[]) => (matches.length === 1 ? matches[0]?.id : undefined)
  return (text: string): string | undefined => {
    const matches = find(text)
    if (matches.length > 0) return only(matches)
    const parts = text.split(separator)
    const path = parts.map(fold)
    return parts.length > 1
      ? only(find(parts.at(-1) ?? '').filter(({ id }) => isEnd(namesTo(id, byId).map(fold), path)))
      : undefined
  }
}
