/** One change of one stored item, without the table's own attributes. */
export interface Change<T = Record<string, unknown>> {
  company: string
  old?: T
  new?: T
}
