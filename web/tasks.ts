import { useSyncExternalStore } from 'react'

// Which long work this browser follows: what was begun here, and what was found running when the page was loaded. It is
// remembered until somebody has seen how it ended, so that a reload or another page loses nothing.

export interface Followed {
  id: string
  /** Loaded as soon as it is there, because somebody is waiting for it. */
  isAwaited?: boolean
  /** A sheet to be filled in, and not one of what there is. */
  isTemplate?: boolean
  /** The sheet that was checked, and what its file is called: it can be imported without being sent again. */
  upload?: string
  fileName?: string
  /** Somebody has closed the notice about it. */
  isSeen?: boolean
  /** The notice about it was there long enough; the page it belongs to still shows it. */
  isTold?: boolean
}

/** More than that nobody remembers. */
const mostFollowed = 30
const name = (owner: string) => `tasks ${owner}`
const none: readonly Followed[] = []

const listeners = new Set<() => void>()
let read: { owner: string; text: string | null; list: readonly Followed[] } = { owner: '', text: null, list: none }

const parse = (text: string | null): readonly Followed[] => {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list : none
  } catch {
    return none
  }
}

const listOf = (owner: string): readonly Followed[] => {
  const text = localStorage.getItem(name(owner))
  if (read.owner !== owner || read.text !== text) read = { owner, text, list: parse(text) }
  return read.list
}

/** Follows a task, or remembers more about one. */
export const followTask = (owner: string, task: Followed) => {
  const list = listOf(owner)
  const known = list.find(({ id }) => id === task.id)
  const others = list.filter(({ id }) => id !== task.id)
  localStorage.setItem(name(owner), JSON.stringify([{ ...known, ...task }, ...others].slice(0, mostFollowed)))
  for (const tell of listeners) tell()
}

const subscribe = (tell: () => void) => {
  const hear = ({ key }: StorageEvent) => key?.startsWith('tasks ') && tell()
  listeners.add(tell)
  addEventListener('storage', hear)
  return () => {
    listeners.delete(tell)
    removeEventListener('storage', hear)
  }
}

/** What a person's browser follows; the owner names the person and the company. */
export const useFollowed = (owner: string) => useSyncExternalStore(subscribe, () => listOf(owner))

/** A task that is looked at large needs no notice beside it. */
let shown: readonly string[] = []
const shownListeners = new Set<() => void>()
const setShown = (next: readonly string[]) => {
  shown = next
  for (const tell of shownListeners) tell()
}
export const showTask = (id: string) => {
  setShown([...shown, id])
  return () => setShown(shown.filter(other => other !== id))
}
export const useShown = () =>
  useSyncExternalStore(
    tell => {
      shownListeners.add(tell)
      return () => shownListeners.delete(tell)
    },
    () => shown,
  )
