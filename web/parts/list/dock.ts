import { createContext, useContext, useSyncExternalStore } from 'react'

// A panel beside the list instead of over it, so that the list stays usable. Narrow windows have no room for both.

const leastPixels = 1280
/** From this width on, a list beside a panel has room for its less important columns. */
const amplePixels = 1440

const subscribe = (notify: () => void) => {
  addEventListener('resize', notify)
  return () => removeEventListener('resize', notify)
}
const useIsWide = (pixels: number) => useSyncExternalStore(subscribe, () => innerWidth >= pixels)

/** Whether the window has room for a list and a panel beside it, and whether the room is ample. */
export const useRoom = () => ({ hasRoom: useIsWide(leastPixels), isAmple: useIsWide(amplePixels) })

/** Whether a page docks its panels. */
export const Docking = createContext(false)

export const useIsDocked = () => {
  const { hasRoom } = useRoom()
  return useContext(Docking) && hasRoom
}
