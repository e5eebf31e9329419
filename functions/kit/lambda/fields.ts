import type * as z from 'zod'
import { type Code, errors, type Fields } from '../../../shared/errors.ts'

const isCode = (number: number): number is Code => number in errors

const codesOf = (issue: z.core.$ZodIssue): [string, Code][] => {
  const field = issue.path.join('.') || 'body'
  const own = Number(issue.message)
  if (isCode(own)) return [[field, own]]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => [[...issue.path, key].join('.').slice(0, 200), 60003])
  if (issue.code === 'too_big') return [[field, 60002]]
  if (issue.code === 'too_small' && issue.origin !== 'number' && issue.origin !== 'int') return [[field, 60001]]
  const isAbsent = issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union'
  if (isAbsent && issue.input === undefined) return [[field, 60001]]
  return [[field, 10002]]
}

/** The first error code of each invalid field. */
export const fieldsOf = ({ issues }: z.core.$ZodError): Fields => {
  const fields: Fields = {}
  for (const issue of issues) for (const [field, code] of codesOf(issue)) fields[field] ??= code
  return fields
}
