import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { useRead } from '../../read.ts'

export type DepartmentChoice = PathOutput<'department/all'>['list'][number]

/** The departments one may manage, to choose from and to name; undefined until they are known. */
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
 * Of the departments that stand under none of the others the one made first, as ids grow with time: the company's default
 * one, for whoever manages it. Empty where there is none.
 */
export const firstDepartment = (departments: readonly { id: string; parent?: string | undefined }[]) => {
  const ids = new Set(departments.map(({ id }) => id))
  const tops = departments.filter(({ parent }) => !parent || !ids.has(parent)).map(({ id }) => id)
  return tops.sort()[0] ?? ''
}

export interface Branch<D> {
  department: D
  /** 0 at the top. */
  depth: number
  /** The names of the departments above it, from the top. */
  path: readonly string[]
  children: readonly Branch<D>[]
}

const byName = (language: string) => new Intl.Collator(language, { numeric: true }).compare

/** Departments as they stand under each other, by name; one whose parent one does not manage stands at the top. */
export const treeOf = <D extends { id: string; name: string; parent?: string | undefined }>(
  departments: readonly D[],
  language: string,
): readonly Branch<D>[] => {
  const compare = byName(language)
  const ids = new Set(departments.map(({ id }) => id))
  const under = new Map<string, D[]>()
  for (const department of departments) {
    const parent = department.parent && ids.has(department.parent) ? department.parent : ''
    const others = under.get(parent)
    if (others) others.push(department)
    else under.set(parent, [department])
  }
  const branches = (parent: string, depth: number, path: readonly string[]): Branch<D>[] =>
    (under.get(parent) ?? [])
      .sort((one, other) => compare(one.name, other.name))
      .map(department => ({
        department,
        depth,
        path,
        children: branches(department.id, depth + 1, [...path, department.name]),
      }))
  return branches('', 0, [])
}

/** Every branch, each before those under it. */
export const flatten = <D>(branches: readonly Branch<D>[]): Branch<D>[] =>
  branches.flatMap(branch => [branch, ...flatten(branch.children)])

/** A department and everything below it, by id: what it cannot be put under. */
export const idsWithBelow = (departments: readonly DepartmentChoice[], id: string): ReadonlySet<string> => {
  const branch = flatten(treeOf(departments, 'en')).find(({ department }) => department.id === id)
  return new Set(branch ? flatten([branch]).map(({ department }) => department.id) : [id])
}
