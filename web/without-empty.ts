/** The values of a form as API input, without the empty fields. */
export const withoutEmpty = <V extends Record<string, string>>(values: V): Partial<V> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<V>
