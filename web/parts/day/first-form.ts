import { createContext } from 'react'

/** The form with which the day panel opens, for the shift with this name. Without it the panel opens without a form. */
export const FirstForm = createContext<{ action: 'add' | 'ignore'; shift: string | undefined } | undefined>(undefined)
