import type { Assigned } from './assign.ts'
import type { Group } from './punch.ts'
import type { Use, UsedPunch } from './row.ts'

/** Step 13: what became of every punch of a day and around it, in time order. */
export const listPunches = (
  groups: readonly Group[],
  uses: readonly Use[],
  around?: Pick<Assigned, 'handedOver' | 'elsewhere' | 'outside'>,
): UsedPunch[] => {
  const list: UsedPunch[] = []
  groups.forEach(({ punches }, index) => {
    const use = index === 0 && around?.handedOver ? 'handOver' : (uses[index] ?? 'inner')
    // The out is the last punch of its group, anything else its first; the rest of the group repeats it.
    const counted = use === 'out' ? punches.length - 1 : 0
    punches.forEach(({ at, key }, place) => {
      list.push({ at, key, use: place === counted ? use : 'repeat' })
    })
  })
  if (!around || around.elsewhere.length + around.outside.length === 0) return list
  for (const { punches } of around.elsewhere)
    for (const { at, key } of punches) list.push({ at, key, use: 'otherShift' })
  for (const { punches } of around.outside) for (const { at, key } of punches) list.push({ at, key, use: 'outside' })
  return list.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))
}
