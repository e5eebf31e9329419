// Counted in this process alone: a count in the table would cost what the limit is to spare. In the cloud one sender may be spread
// over several processes, but a flood is soon over the limit in one of them.

const second = 1000
let countedSecond = 0
const counts = new Map<string, number>()

/** How many messages this sender has sent in this second. */
export const countMessage = (sender: string, now: number): number => {
  const current = Math.floor(now / second)
  if (current !== countedSecond) counts.clear()
  countedSecond = current
  const count = (counts.get(sender) ?? 0) + 1
  counts.set(sender, count)
  return count
}
