import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'
import { Ask } from './ask.tsx'

/**
 * The button that deletes, and the question before it: what is deleted stands in its title, what becomes of it in its
 * text.
 */
export function DeleteQuestion(props: {
  title: string
  text: string
  /** What the button says; “Delete” where nothing else is said. */
  yes?: string
  onDelete: () => Promise<void>
}) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const yes = props.yes ?? t('delete')
  const remove = async () => {
    await props.onDelete()
    setAsking(false)
  }
  return (
    <>
      <Button look="danger-quiet" onClick={() => setAsking(true)}>
        {yes}
      </Button>
      {asking && (
        <Ask title={props.title} yes={yes} no={t('cancel')} danger onYes={remove} onNo={() => setAsking(false)}>
          {props.text}
        </Ask>
      )}
    </>
  )
}
