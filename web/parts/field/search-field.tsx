import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from '../shell/router.ts'
import { TextField } from './field.tsx'

/** The search waits for this pause in typing. */
const pauseMilliseconds = 200

/** The state of a search: the text in the field, and the search `words`, which follow after a pause. */
export const useSearch = (first = '') => {
  const [value, onText] = useState(first)
  const [words, setWords] = useState(first)
  useEffect(() => {
    const timer = setTimeout(() => setWords(value.trim()), value.trim() ? pauseMilliseconds : 0)
    return () => clearTimeout(timer)
  }, [value])
  return { field: { value, onText }, words }
}

/** The search of a page. A link may set its initial text: `?search=`. */
export const usePageSearch = () => useSearch(useSearchParams()[0].get('search') ?? '')

/** The search field above a list. */
export function SearchField(props: { hint: string; value: string; onText: (value: string) => void }) {
  const { t } = useTranslation()
  return (
    <TextField
      className="search"
      label={t('search')}
      type="search"
      value={props.value}
      onText={props.onText}
      placeholder={props.hint}
      // The search runs while the user types, so Enter must not submit the form around the field.
      onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
      icon={<Search className="icon" aria-hidden="true" />}
    />
  )
}
