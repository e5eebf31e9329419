import * as z from 'zod'
import { type Declarations, done, nothing, text } from './contract.ts'
import { mostNameLetters } from './saved-view-limit.ts'
import type { Key } from './table.ts'

// The saved filters and the hidden columns of lists. The server stores them for each employee of a company.

/** A name for the filters of a list. `query` is the part of the page's address that holds them. */
export interface SavedView {
  list: string
  name: string
  query: string
}

export interface ListChoices {
  views: SavedView[]
  /** The keys of the hidden columns of each list that hides some. */
  columns: { list: string; hidden: string[] }[]
}

export const listChoicesKey = (employee: string): Key<ListChoices> => ({ pk: 'LIST_CHOICES', sk: employee })

export const mostViewsOfList = 20
export const mostViews = 100
export const mostListsWithHidden = 60
export const mostQueryLetters = 1000

const list = z
  .string()
  .regex(/^[a-z][a-z/-]{0,59}$/)
  .describe('name of a list on the site')
const name = text(mostNameLetters).describe('unique among the views of the list, in any case of letters')

export const savedViewPaths = {
  'user/view/all': {
    does: "Returns the caller's saved views and hidden columns of all lists.",
    who: 'signedIn',
    input: nothing,
    output: z.object({
      views: z.array(z.object({ list, name: z.string(), query: z.string() })).describe('in order of their creation'),
      columns: z.array(z.object({ list, hidden: z.array(z.string()) })),
    }),
  },
  'user/view/save': {
    does: "Saves filters of a list as the caller's view; with `former`, replaces or renames that view.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({
      list,
      name,
      query: text(mostQueryLetters).describe('query of the address with the filters, such as `state=open`'),
      former: name.optional().describe('present name of the view that the caller changes'),
    }),
    output: done,
  },
  'user/view/delete': {
    does: "Deletes a saved view of the caller's.",
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ list, name }),
    output: done,
  },
  'user/column/update': {
    does: 'Hides columns of a list for the caller; without any, the list shows its usual columns.',
    who: 'signedIn',
    writes: true,
    input: z.strictObject({ list, hidden: z.array(z.string().min(1).max(40)).max(60) }),
    output: done,
  },
} as const satisfies Declarations
