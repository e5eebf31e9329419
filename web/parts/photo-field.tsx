import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { imageTypes, mostPhotoBytes } from '../../shared/image.ts'
import { shrinkPicture } from '../picture.ts'
import { Avatar } from './avatar.tsx'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import './photo-field.css'

/** What is to become of a photo: a new one, none, or the one there is. */
export type PhotoChange = Blob | null | undefined

/** An address of a picture in memory, for as long as it is shown. */
export const usePreview = (picture: PhotoChange) => {
  const [preview, setPreview] = useState<string>()
  useEffect(() => {
    if (!picture) return setPreview(undefined)
    const address = URL.createObjectURL(picture)
    setPreview(address)
    return () => URL.revokeObjectURL(address)
  }, [picture])
  return preview
}

/** A person's photo, to be chosen, changed or taken away; `error` is the code of what is wrong with it. */
export function PhotoField(props: {
  person: { first_name: string; last_name: string; photo?: string | undefined }
  change: PhotoChange
  error: number | undefined
  onChange: (change: PhotoChange) => void
  /** A file that cannot be a photo. */
  onWrong: (code: number) => void
}) {
  const { t } = useTranslation(['employee', 'shell'])
  const { person, change, error, onChange, onWrong } = props
  const preview = usePreview(change)
  const photo = change === undefined ? person.photo : preview
  const choose = async (file: File | undefined) => {
    if (!file) return
    if (file.size > mostPhotoBytes) return onWrong(60002)
    const picture = await shrinkPicture(file)
    if (picture) onChange(picture)
    else onWrong(10002)
  }
  const sentence = error && t(error === 60002 ? 'photo.tooLarge' : error === 10002 ? 'photo.wrong' : 'photo.failed')
  return (
    <Field label={t('photo.label')} optional error={sentence || undefined} hint={t('photo.hint')}>
      {ids => (
        <div className="photo">
          <Avatar person={{ ...person, photo }} />
          <input
            {...ids}
            className="unseen"
            type="file"
            accept={imageTypes.join()}
            onChange={event => {
              void choose(event.target.files?.[0])
              // The same file may be chosen again.
              event.target.value = ''
            }}
          />
          <label className="button" htmlFor={ids.id}>
            {t(photo ? 'photo.change' : 'photo.choose')}
          </label>
          {photo && (
            <Button look="quiet" onClick={() => onChange(person.photo ? null : undefined)}>
              {t('photo.remove')}
            </Button>
          )}
        </div>
      )}
    </Field>
  )
}
