let compare: Intl.Collator['compare'] | undefined

/** The order of names, with numbers in them by their size. To make it takes 4 ms: the first who asks waits for it, no cold start. */
export const inOrder = (one: string, other: string): number => {
  compare ??= new Intl.Collator('en', { numeric: true }).compare
  return compare(one, other)
}
