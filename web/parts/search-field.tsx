import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from './field.tsx'

/** As long as somebody types on, nothing is asked. */
const pauseMilliseconds = 200

/** What is searched for: as it stands in the field, and as the words to ask with. */
export const useSearch = () => {
  const [value, onText] = useState('')
  const [words, setWords] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setWords(value.trim()), value.trim() ? pauseMilliseconds : 0)
    return () => clearTimeout(timer)
  }, [value])
  return { field: { value, onText }, words }
}

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
      icon={<Search className="icon" aria-hidden="true" />}
    />
  )
}
