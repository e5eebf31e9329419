import { fold } from '../../shared/fold.ts'

const normalized = (name: string) => name.normalize('NFC').trim().toLowerCase()

const groupBy = <T>(things: readonly T[], keyOf: (thing: T) => string) => {
  const groups = new Map<string, T[]>()
  for (const thing of things) groups.set(keyOf(thing), [...(groups.get(keyOf(thing)) ?? []), thing])
  return groups
}

/**
 * Finds things by a written name: exact matches, or else matches that differ only in accents or width. Several matches
 * mean that the name is ambiguous.
 */
export const nameFinder = <T extends { name: string }>(things: readonly T[]) => {
  const exact = groupBy(things, ({ name }) => normalized(name))
  const alike = groupBy(things, ({ name }) => fold(name))
  return (text: string): T[] => exact.get(normalized(text)) ?? alike.get(fold(text)) ?? []
}
