import type { PathInput } from '../../shared/api.ts'
import { Problem } from '../../shared/errors.ts'
import {
  type ListChoices,
  listChoicesKey,
  mostListsWithHidden,
  mostViews,
  mostViewsOfList,
  type SavedView,
} from '../../shared/saved-view.ts'
import type { Caller } from '../kit/caller.ts'
import { again } from '../kit/table/change.ts'
import { save } from '../kit/table.ts'

// Stores the saved views and the hidden columns of the caller's lists.

const none: ListChoices = { views: [], columns: [] }

export const readListChoices = async ({ table, employee }: Caller): Promise<ListChoices> =>
  (await table.get(listChoicesKey(employee.id))) ?? none

/** Alters the choices, and repeats after a parallel change, for example from another device. */
const alterChoices = ({ table, employee }: Caller, alter: (choices: ListChoices) => ListChoices): Promise<void> =>
  again(async () => {
    const key = listChoicesKey(employee.id)
    const before = await table.get(key)
    const next = alter(before ?? none)
    await save(before ? table.replace(key, { ...next, version: before.version }) : table.insert(key, next))
  })

const isSame = (view: Pick<SavedView, 'list' | 'name'>, list: string, name: string) =>
  view.list === list && view.name.toLowerCase() === name.toLowerCase()

/** Throws 60120 at `name` for a taken name, 60004 at `former` for a missing view, and 60072 at `name` above a limit. */
export const saveView = (caller: Caller, { former, ...view }: PathInput<'user/view/save'>): Promise<void> =>
  alterChoices(caller, choices => {
    const { list, name } = view
    const at = former === undefined ? -1 : choices.views.findIndex(other => isSame(other, list, former))
    if (former !== undefined && at < 0) throw new Problem(60004, { former: 60004 })
    if (choices.views.some((other, i) => i !== at && isSame(other, list, name)))
      throw new Problem(60120, { name: 60120 })
    if (at >= 0) return { ...choices, views: choices.views.with(at, view) }
    const ofList = choices.views.filter(other => other.list === list)
    if (ofList.length >= mostViewsOfList || choices.views.length >= mostViews) throw new Problem(60072, { name: 60072 })
    return { ...choices, views: [...choices.views, view] }
  })

/** Throws 60004 at `name` for a missing view. */
export const deleteView = (caller: Caller, { list, name }: PathInput<'user/view/delete'>): Promise<void> =>
  alterChoices(caller, choices => {
    const views = choices.views.filter(view => !isSame(view, list, name))
    if (views.length === choices.views.length) throw new Problem(60004, { name: 60004 })
    return { ...choices, views }
  })

/** Throws 60072 at `list` above the limit of lists. */
export const hideColumns = (caller: Caller, { list, hidden }: PathInput<'user/column/update'>): Promise<void> =>
  alterChoices(caller, choices => {
    const others = choices.columns.filter(other => other.list !== list)
    if (hidden.length === 0) return { ...choices, columns: others }
    if (others.length >= mostListsWithHidden) throw new Problem(60072, { list: 60072 })
    return { ...choices, columns: [...others, { list, hidden: [...new Set(hidden)] }] }
  })
