import { searchText } from '../../../../shared/search.ts'
import type { Branch, DepartmentChoice } from '../departments.ts'

export interface Figures {
  employeeCount: number
  /**
   * The employees with this main department. Each employee has exactly one main department, so totals can add these
   * counts.
   */
  mainEmployeeCount: number
  deviceCount: number
  isDefault?: true | undefined
  location?: string | undefined
}

export type Node = Branch<DepartmentChoice>
export interface Row {
  node: Node
  place: number
  of: number
}

/** The branches with the words in their names, and their ancestors. */
export const narrow = (branches: readonly Node[], words: string): Node[] =>
  branches.flatMap(branch => {
    const children = narrow(branch.children, words)
    return children.length > 0 || searchText(branch.department.name).includes(words) ? [{ ...branch, children }] : []
  })

export const rowsOf = (branches: readonly Node[], isOpen: (node: Node) => boolean): Row[] =>
  branches.flatMap((node, index) => [
    { node, place: index + 1, of: branches.length },
    ...(isOpen(node) ? rowsOf(node.children, isOpen) : []),
  ])

export interface Total {
  employees: number
  devices: number
}

/** The totals of each department, including all its descendants. */
export const totalsOf = (tree: readonly Node[], figures: ReadonlyMap<string, Figures>): Map<string, Total> => {
  const totals = new Map<string, Total>()
  const add = ({ department, children }: Node): Total => {
    const own = figures.get(department.id)
    const below = children.map(add)
    const total = {
      employees: below.reduce((sum, { employees }) => sum + employees, own?.mainEmployeeCount ?? 0),
      devices: below.reduce((sum, { devices }) => sum + devices, own?.deviceCount ?? 0),
    }
    totals.set(department.id, total)
    return total
  }
  tree.forEach(add)
  return totals
}
