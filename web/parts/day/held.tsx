import { useState } from 'react'
import { DiscardQuestion, discardAll } from '../say/leaving.tsx'

// An open correction with changes: before another day replaces it, the user is asked.

/** The class of a form with changes. */
export const changedForm = 'is-changed'

/** `hold` runs an action that drops the open correction. If the correction has changes, it asks first. */
export const useHeld = () => {
  const [onwards, setOnwards] = useState<() => void>()
  const hold = (go: () => void) =>
    document.querySelector(`.correction-form.${changedForm}`) ? setOnwards(() => go) : go()
  const question = onwards && (
    <DiscardQuestion
      onYes={() => {
        discardAll()
        setOnwards(undefined)
        onwards()
      }}
      onNo={() => setOnwards(undefined)}
    />
  )
  return { hold, question }
}
