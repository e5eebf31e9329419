const mostNamed = 6

/** Joins the first names of a list; ` …` marks that there are more. */
export const someOf = (all: readonly string[]): string =>
  all.slice(0, mostNamed).join(', ') + (all.length > mostNamed ? ' …' : '')
