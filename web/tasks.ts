import { useSyncExternalStore } from 'react'

// The background tasks that this browser follows: tasks begun here, and tasks that were running when the page was
// loaded. The browser stores them until the user has seen their end. So no reload or page change loses one.

export interface Followed {
  id: string
  /** The user is waiting for the file, so the browser downloads it as soon as the task is done. */
  isAwaited?: boolean
  /** The task makes an empty sheet to fill in, instead of an export of data. */
  isTemplate?: boolean
  /** The upload and the file name of the checked sheet, so that the import needs no second upload. */
  upload?: string
  fileName?: string
  /** The user has closed the notice about the task. */
  isSeen?: boolean
  /** The notice has timed out, but the task's own page still shows the task. */
  isTold?: boolean
}

/** The most tasks that the browser follows. The browser forgets the oldest tasks first. */
const mostFollowed = 30
const storageKey = (owner: string) => `tasks ${owner}`
const none: readonly Followed[] = []

const listeners = new Set<() => void>()
let cache: { owner: string; text: string | null; list: readonly Followed[] } = { owner: '', text: null, list: none }

const parse = (text: string | null): readonly Followed[] => {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list : none
  } catch {
    return none
  }
}

const listOf = (owner: string): readonly Followed[] => {
  const text = localStorage.getItem(storageKey(owner))
  if (cache.owner !== owner || cache.text !== text) cache = { owner, text, list: parse(text) }
  return cache.list
}

/** Follows a task, or adds details to a followed task. */
export const followTask = (owner: string, task: Followed) => {
  const list = listOf(owner)
  const previous = list.find(({ id }) => id === task.id)
  const others = list.filter(({ id }) => id !== task.id)
  localStorage.setItem(storageKey(owner), JSON.stringify([{ ...previous, ...task }, ...others].slice(0, mostFollowed)))
  for (const notify of listeners) notify()
}

const subscribe = (notify: () => void) => {
  const onStorage = ({ key }: StorageEvent) => key?.startsWith('tasks ') && notify()
  listeners.add(notify)
  addEventListener('storage', onStorage)
  return () => {
    listeners.delete(notify)
    removeEventListener('storage', onStorage)
  }
}

/** The tasks that this browser follows for an owner: a person in a company. */
export const useFollowed = (owner: string) => useSyncExternalStore(subscribe, () => listOf(owner))

/** The tasks that a page or panel shows in full; they need no notice. */
let shown: readonly string[] = []
const shownListeners = new Set<() => void>()
const setShown = (next: readonly string[]) => {
  shown = next
  for (const notify of shownListeners) notify()
}
export const showTask = (id: string) => {
  setShown([...shown, id])
  return () => setShown(shown.filter(other => other !== id))
}
export const useShown = () =>
  useSyncExternalStore(
    notify => {
      shownListeners.add(notify)
      return () => shownListeners.delete(notify)
    },
    () => shown,
  )
