import { useSyncExternalStore } from 'react'

const phone = '(max-width: 720px)'
/** Below this width, lists hide their extra columns (see `grid.css`). */
const narrow = '(max-width: 1100px)'

const watch = (query: string) => {
  const subscribe = (notify: () => void) => {
    const list = matchMedia(query)
    list.addEventListener('change', notify)
    return () => list.removeEventListener('change', notify)
  }
  return () => useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** Whether the window is as narrow as a phone. */
export const useIsPhone: () => boolean = watch(phone)

/** Whether lists have no room for their extra columns. */
export const useIsNarrow: () => boolean = watch(narrow)
