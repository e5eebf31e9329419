import { Keyboard } from 'lucide-react'
import { createContext, memo, type RefObject, useContext, useEffect } from 'react'
import { Button } from '../button.tsx'
import './keys.css'

/** What the keyboard does on one page, beside what it does everywhere. */
export interface PageKeys {
  title: string
  keys: readonly (readonly [key: string, does: string])[]
}

/** The sheet of all keys belongs to the frame; the page one is on says what it adds. */
export const KeysContext = createContext<{ here: RefObject<PageKeys | undefined>; show: () => void } | undefined>(
  undefined,
)

/** A button that tells what the keyboard does on a page; so does the key `?`. */
export const Keys = memo(function Keys({ title, keys }: PageKeys) {
  const sheet = useContext(KeysContext)
  useEffect(() => {
    if (!sheet) return
    sheet.here.current = { title, keys }
    return () => {
      sheet.here.current = undefined
    }
  }, [sheet, title, keys])
  return (
    <Button
      look="quiet"
      className="keys-button"
      aria-haspopup="dialog"
      icon={<Keyboard className="icon" aria-hidden="true" />}
      onClick={sheet?.show}
    >
      {title}
    </Button>
  )
})
