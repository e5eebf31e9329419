import { createContext } from 'react'
import type { Made } from './way-back.ts'

/**
 * The next row of a worklist: the form of a correction offers to save and open it. The saved correction comes with the
 * new version of its punch, so that the list can offer to undo it.
 */
export const NextDay = createContext<((made: Made & { version?: number | undefined }) => void) | undefined>(undefined)

/** The last reason, offered again until the browser closes. */
const storageKey = 'exception.reason'
export const readReason = () => sessionStorage.getItem(storageKey) ?? ''
export const keepReason = (reason: string) => sessionStorage.setItem(storageKey, reason)
