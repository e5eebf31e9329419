const mostNamed = 6

/** The first of many by name, and that there are more. */
export const someOf = (all: readonly string[]): string =>
  all.slice(0, mostNamed).join(', ') + (all.length > mostNamed ? ' …' : '')
