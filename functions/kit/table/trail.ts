import { type Actor, type AuditedChange, changeBetween } from '../../../shared/audit.ts'
import type { AuditedNoun } from '../../../shared/change.ts'
import { stripKeys } from '../../../shared/table.ts'
import { importedNouns, rowsOf } from '../../../shared/task.ts'
import { type Item, placeOf, readAll } from './engine.ts'
import type { Trail, Write } from './write.ts'

export const isTaskNoun = ({ task, path = '' }: Actor = {}, noun: AuditedNoun) =>
  task !== undefined && path in importedNouns && importedNouns[path as keyof typeof importedNouns] === noun

/** Whether each change of one save gets its own audit entry, which spreads the entries over the table. */
export const isOneByOne = (noun: AuditedNoun) => noun === 'department'

/** Whether a task made this change as part of its work. Other changes get the usual audit entries. */
export const isMadeByTask = (actor: Actor | undefined, { noun, id }: Pick<AuditedChange, 'noun' | 'id'>) =>
  isTaskNoun(actor, noun) && id.startsWith(rowsOf(actor?.task ?? ''))

/** Groups the changes of one save by their audit key: a task's changes belong to the task. */
const placeInAudit = (actor: Actor, change: AuditedChange): string =>
  !isMadeByTask(actor, change) ? '' : isOneByOne(change.noun) ? change.id : 'made'

/** The most text in one entry, because an item is limited to 400 KB. Further changes go into another entry. */
const mostEntryCharacters = 100_000

/** The audit entries of these writes. `saved` gives each table its new items after the save. */
export const collectAudit = async (writes: Write[]): Promise<{ entries: Write[]; saved: () => void }> => {
  const audited = writes.flatMap(write => {
    const { pk, sk } = (write.put ?? write.remove ?? {}) as { pk: string; sk: string }
    return write.audit ? [{ write, audit: write.audit, at: { pk, sk }, place: placeOf({ pk, sk }) }] : []
  })
  const seenOf = ({ audit: { trail, version }, place }: (typeof audited)[number]) => {
    if (version === undefined) return undefined
    const text = trail.seen.get(place)
    const item = text === undefined ? undefined : (JSON.parse(text) as Item<object>)
    return version === 'unknown' || item?.version === version ? item : undefined
  }
  // Reads the state before a change if this table has not read it. If its version differs from the replaced version,
  // the write fails and audits nothing.
  const before = new Map(audited.map(change => [change.place, seenOf(change)]))
  const unseen = audited.filter(({ audit, place }) => audit.version !== undefined && !before.get(place))
  if (unseen.length > 0)
    for (const [place, item] of await readAll(unseen.map(({ at }) => at)))
      before.set(place, stripKeys(item) as Item<object>)

  const changes = new Map<Trail, AuditedChange[]>()
  for (const { write, audit, place } of audited) {
    const change = changeBetween(audit.audited, before.get(place), write.put && stripKeys(write.put))
    if (change) changes.set(audit.trail, [...(changes.get(audit.trail) ?? []), change])
  }
  return {
    entries: [...changes].flatMap(([{ actor, entry }, list]) =>
      [...Map.groupBy(list, change => placeInAudit(actor, change)).values()].flatMap(portions).map(entry),
    ),
    saved: () => {
      for (const { write, audit, place } of audited)
        if (write.put) audit.trail.seen.set(place, JSON.stringify(stripKeys(write.put)))
        else audit.trail.seen.delete(place)
    },
  }
}

const portions = (changes: AuditedChange[]): AuditedChange[][] => {
  const parts: AuditedChange[][] = [[]]
  let characters = 0
  for (const change of changes) {
    const length = JSON.stringify(change).length
    if (characters > 0 && characters + length > mostEntryCharacters) {
      parts.push([])
      characters = 0
    }
    parts.at(-1)?.push(change)
    characters += length
  }
  return parts
}
