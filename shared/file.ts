// Files hold data that is too large for the table. A noun declares its files' keys beside its shape, without the
// company. The opened file store prefixes the company. The cloud stack, the local store and the kit all read these
// keys.

/** Marks an upload that the server has not checked yet. The store deletes the upload after this many days. */
export const unfinished = { tag: 'state', value: 'unfinished', days: 1 } as const
/** Marks a file for a prompt download. The store deletes the file after this many days. */
export const passing = { tag: 'state', value: 'passing', days: 1 } as const
