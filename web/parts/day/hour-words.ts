import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { hourWordsOf } from './hour-sentence.ts'

/** The sentences of hour kinds in the user's language and the company's formats. */
export const useHourWords = () => {
  const { t, i18n } = useTranslation(['hour-rule', 'shell'])
  const formats = useFormats()
  return useMemo(() => hourWordsOf(t, i18n.language, formats), [t, i18n.language, formats])
}
