import type { Assigned } from './assign.ts'
import type { Group } from './punch.ts'
import type { Use, UsedPunch } from './row.ts'

/** Step 13: lists the punches of a day and around it with their uses, in time order. */
export const listPunches = (
  groups: readonly Group[],
  uses: readonly Use[],
  assigned?: Pick<Assigned, 'handedOver' | 'elsewhere' | 'outside'>,
): UsedPunch[] => {
  const list: UsedPunch[] = []
  groups.forEach(({ punches }, index) => {
    const use = index === 0 && assigned?.handedOver ? 'handOver' : (uses[index] ?? 'inner')
    // An out uses the last punch of its group; every other use takes the first. The other punches of the group are
    // repeats.
    const counted = use === 'out' ? punches.length - 1 : 0
    punches.forEach(({ at, key }, place) => {
      list.push({ at, key, use: place === counted ? use : 'repeat' })
    })
  })
  if (!assigned || assigned.elsewhere.length + assigned.outside.length === 0) return list
  for (const { punches } of assigned.elsewhere)
    for (const { at, key } of punches) list.push({ at, key, use: 'otherShift' })
  for (const { punches } of assigned.outside) for (const { at, key } of punches) list.push({ at, key, use: 'outside' })
  return list.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
}
