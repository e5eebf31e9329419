/** A form's values as a path takes them: a field left empty is left out. */
export const withoutEmpty = <V extends Record<string, string>>(values: V): Partial<V> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<V>
