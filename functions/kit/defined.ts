/** Whether a value exists; narrows the type in filters. */
export const isDefined = <T>(value: T | undefined): value is T => value !== undefined
