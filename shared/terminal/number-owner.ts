// Finds the person behind a terminal's number. Two terminals can use one number for two people.

/** From a day on, a number of the terminal belongs to a person. */
export interface NumberOwner {
  person: string
  /** Absent: always. */
  from?: string
}

/** The entry of a day: the last one that has begun. */
export const entryOn = <E extends { from?: string | undefined }>(entries: readonly E[], day: string): E | undefined =>
  entries
    .filter(({ from }) => from === undefined || from <= day)
    .reduce<E | undefined>((last, entry) => (last && (last.from ?? '') > (entry.from ?? '') ? last : entry), undefined)

/**
 * The number of a stored punch. A number of the whole company has no serial number. `from` is the day from which the
 * terminal's list gives the number to a person.
 */
export interface NumberParts {
  number: string
  serialNumber?: string | undefined
  from?: string | undefined
}

/** `29`, `29@B2` or `29@B2@2026-11-18`. An employee ID has only digits, so the names never meet. */
export const storedNumber = ({ number, serialNumber, from }: NumberParts): string =>
  [number, ...(serialNumber === undefined ? [] : [serialNumber, ...(from === undefined ? [] : [from])])].join('@')

export const partsOfNumber = (stored: string): NumberParts => {
  const [number = '', serialNumber, from] = stored.split('@')
  return { number, serialNumber, from }
}

/** The number as the terminal shows it. */
export const shownNumber = (stored: string): string => partsOfNumber(stored).number

/** The number under which the server stores a punch of a terminal. The number decides the person. */
export const numberOn = (
  terminal: { serialNumber: string; isOwnNumbering?: boolean | undefined },
  number: string,
  day: string,
  entries: readonly { from?: string | undefined }[],
): string => {
  const { serialNumber, isOwnNumbering } = terminal
  const entry = entryOn(entries, day)
  if (entry) return storedNumber({ number, serialNumber, from: entry.from })
  return storedNumber({ number, ...(isOwnNumbering && { serialNumber }) })
}

/** Every name under which punches of a terminal's number may be stored. */
export const namesOf = (
  serialNumber: string,
  number: string,
  entries: readonly { from?: string | undefined }[],
): string[] => [
  ...new Set([
    number,
    storedNumber({ number, serialNumber }),
    ...entries.map(({ from }) => storedNumber({ number, serialNumber, from })),
  ]),
]
