import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from '../shell/router.ts'
import { TextField } from './field.tsx'

/** As long as somebody types on, nothing is asked. */
const pauseMilliseconds = 200

/** What is searched for: as it stands in the field, and as the words to ask with. */
export const useSearch = (first = '') => {
  const [value, onText] = useState(first)
  const [words, setWords] = useState(first)
  useEffect(() => {
    const timer = setTimeout(() => setWords(value.trim()), value.trim() ? pauseMilliseconds : 0)
    return () => clearTimeout(timer)
  }, [value])
  return { field: { value, onText }, words }
}

/** The search of a page, which a link to it may begin: `?search=`. */
export const usePageSearch = () => useSearch(useSearchParams()[0].get('search') ?? '')

/** The field above a list in which one types what one looks for. */
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
      // It is looked for as one types; a form around it is not sent.
      onKeyDown={event => event.key === 'Enter' && event.preventDefault()}
      icon={<Search className="icon" aria-hidden="true" />}
    />
  )
}
