import * as z from 'zod'
import { allColumns } from './column.ts'

// The columns of files as paths take them. Pages that only show columns need no schema.

/** An hour kind by its code. */
export const kindName = z
  .templateLiteral(['kind.', z.string().min(1).max(20)])
  .describe('`kind.` and the code of a kind')
export const fileColumn = z.union([z.enum(allColumns), kindName])
