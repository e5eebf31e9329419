// What is too large for the table. A noun writes its files' keys beside its shape, without the company, which the opened files
// put in front. The cloud stack, the local store and the kit all read this.

/** Marks what somebody was asked to send and nobody has looked at yet; the store deletes it by itself after so many days. */
export const unfinished = { tag: 'state', value: 'unfinished', days: 1 } as const
/** Marks what was written to be loaded soon: the store deletes it by itself after so many days. */
export const passing = { tag: 'state', value: 'passing', days: 1 } as const
