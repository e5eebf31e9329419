import { fold } from '../../shared/fold.ts'

const written = (name: string) => name.normalize('NFC').trim().toLowerCase()

const groupBy = <T>(things: readonly T[], keyOf: (thing: T) => string) => {
  const groups = new Map<string, T[]>()
  for (const thing of things) groups.set(keyOf(thing), [...(groups.get(keyOf(thing)) ?? []), thing])
  return groups
}

/**
 * Finds things by the name somebody wrote: those of that very name, else those whose name differs in accents or width only. More
 * than one means that nobody can know which was meant.
 */
export const nameFinder = <T extends { name: string }>(things: readonly T[]) => {
  const exact = groupBy(things, ({ name }) => written(name))
  const alike = groupBy(things, ({ name }) => fold(name))
  return (text: string): T[] => exact.get(written(text)) ?? alike.get(fold(text)) ?? []
}
