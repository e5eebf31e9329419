import type { Department } from '../../shared/department.ts'
import { fold } from '../../shared/fold.ts'
import { nameFinder } from '../sheet/name-finder.ts'

// Departments as people write them in sheets. A name is given once in a company; a path says where it stands as well.

const separator = /\s*\/\s*/

/** The names above a department and its own, from the top; a circle, which nobody should have made, ends it. */
const namesTo = (id: string, byId: ReadonlyMap<string, Pick<Department, 'id' | 'name' | 'parent'>>): string[] => {
  const names: string[] = []
  const seen = new Set<string>()
  for (let at = byId.get(id); at && !seen.has(at.id); at = at.parent === undefined ? undefined : byId.get(at.parent)) {
    names.unshift(at.name)
    seen.add(at.id)
  }
  return names
}

const isEnd = (whole: string[], end: string[]) =>
  end.length <= whole.length && end.every((name, i) => name === whole[whole.length - end.length + i])

/** Finds the id of a department by its name, or by a path like `Bakery / Shop`; undefined where it is not certain which is meant. */
export const departmentFinder = (departments: Pick<Department, 'id' | 'name' | 'parent'>[]) => {
  const byId = new Map(departments.map(department => [department.id, department]))
  // One that an interrupted import has written already is given twice, and is one.
  const find = nameFinder([...byId.values()])
  const only = (found: { id: string }[]) => (found.length === 1 ? found[0]?.id : undefined)
  return (text: string): string | undefined => {
    const whole = find(text)
    if (whole.length > 0) return only(whole)
    const parts = text.split(separator)
    const path = parts.map(fold)
    return parts.length > 1
      ? only(find(parts.at(-1) ?? '').filter(({ id }) => isEnd(namesTo(id, byId).map(fold), path)))
      : undefined
  }
}
