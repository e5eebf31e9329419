import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { useRead } from '../../read.ts'

export type DepartmentChoice = PathOutput<'department/all'>['list'][number]

/** The departments that the user may manage, with their names; `all` is undefined until they are loaded. */
export const useDepartments = () => {
  const { t } = useTranslation()
  const { data, error, readAgain } = useRead('department/all', {})
  return useMemo(() => {
    const names = new Map(data?.list.map(({ id, name }) => [id, name]))
    return {
      all: data?.list,
      error,
      readAgain: () => void readAgain(),
      nameOf: (id: string | undefined) => names.get(id ?? '') ?? t('none'),
    }
  }, [data, error, readAgain, t])
}

/**
 * The id of the oldest department at the top level, because ids grow with time. For a user who manages it, this is the
 * company's default department. Empty if there is none.
 */
export const firstDepartment = (departments: readonly { id: string; parent?: string | undefined }[]) => {
  const ids = new Set(departments.map(({ id }) => id))
  const topIds = departments.filter(({ parent }) => !parent || !ids.has(parent)).map(({ id }) => id)
  return topIds.sort()[0] ?? ''
}

export interface Branch<D> {
  department: D
  /** The depth in the tree; 0 at the top. */
  depth: number
  /** The names of the ancestors, starting from the top. */
  path: readonly string[]
  children: readonly Branch<D>[]
}

const byName = (language: string) => new Intl.Collator(language, { numeric: true }).compare

/** Departments as a tree, sorted by name. A department without its parent in the list is at the top. */
export const treeOf = <D extends { id: string; name: string; parent?: string | undefined }>(
  departments: readonly D[],
  language: string,
): readonly Branch<D>[] => {
  const compare = byName(language)
  const ids = new Set(departments.map(({ id }) => id))
  const childrenOf = new Map<string, D[]>()
  for (const department of departments) {
    const parent = department.parent && ids.has(department.parent) ? department.parent : ''
    const siblings = childrenOf.get(parent)
    if (siblings) siblings.push(department)
    else childrenOf.set(parent, [department])
  }
  const branches = (parent: string, depth: number, path: readonly string[]): Branch<D>[] =>
    (childrenOf.get(parent) ?? [])
      .sort((a, b) => compare(a.name, b.name))
      .map(department => ({
        department,
        depth,
        path,
        children: branches(department.id, depth + 1, [...path, department.name]),
      }))
  return branches('', 0, [])
}

/** All branches of a tree, each before its children. */
export const flatten = <D>(branches: readonly Branch<D>[]): Branch<D>[] =>
  branches.flatMap(branch => [branch, ...flatten(branch.children)])

/** The ids of a department and its descendants. The department cannot move below any of them. */
export const idsWithBelow = (departments: readonly DepartmentChoice[], id: string): ReadonlySet<string> => {
  const branch = flatten(treeOf(departments, 'en')).find(({ department }) => department.id === id)
  return new Set(branch ? flatten([branch]).map(({ department }) => department.id) : [id])
}
