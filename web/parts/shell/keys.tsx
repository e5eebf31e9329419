import { Keyboard } from 'lucide-react'
import { createContext, memo, type RefObject, useContext, useEffect } from 'react'
import { Button } from '../button.tsx'
import './keys.css'

/** The keyboard shortcuts of one page, in addition to the shortcuts of every page. */
export interface PageKeys {
  title: string
  keys: readonly (readonly [key: string, does: string])[]
}

/** The shared list of shortcuts. The frame shows it, and the current page adds its own. */
export const KeysContext = createContext<{ here: RefObject<PageKeys | undefined>; show: () => void } | undefined>(
  undefined,
)

/** A button that shows the keyboard shortcuts of a page. The key `?` shows them too. */
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
