import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'
import { Ask } from './ask.tsx'

/** The delete button and its question. The title names the record; the text explains the consequences. */
export function DeleteQuestion(props: {
  title: string
  text: string
  /** The label of the button, “Delete” by default. */
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
