import { type ReactNode, useEffect, useState } from 'react'
import { imageTypes, mostPhotoBytes } from '../../../shared/image.ts'
import { Button } from '../button.tsx'
import { Field } from './field.tsx'
import './picture-field.css'

/** What is to become of a picture: a new one, none, or the one there is. */
export type PictureChange = Blob | null | undefined

/** An address of a picture in memory, for as long as it is shown. */
const usePreview = (picture: PictureChange) => {
  const [preview, setPreview] = useState<string>()
  useEffect(() => {
    if (!picture) return setPreview(undefined)
    const address = URL.createObjectURL(picture)
    setPreview(address)
    return () => URL.revokeObjectURL(address)
  }, [picture])
  return preview
}

type PictureWord = 'label' | 'hint' | 'choose' | 'change' | 'remove' | 'tooLarge' | 'wrong' | 'failed'

export interface PictureProps {
  change: PictureChange
  /** The code of what is wrong with it. */
  error: number | undefined
  onChange: (change: PictureChange) => void
  /** A file that cannot be one. */
  onWrong: (code: number) => void
}

/** A person's photo or a company's logo, to be chosen, changed or taken away; `children` shows it. */
export function PictureField(
  props: PictureProps & {
    say: (word: PictureWord) => string
    className: string
    /** The address of the one there is. */
    picture: string | undefined
    /** As it is kept; undefined where it is none that can be read. */
    shrink: (file: File) => Promise<Blob | undefined>
    children: (address: string | undefined) => ReactNode
  },
) {
  const { say, className, change, error, onChange, onWrong, shrink, children } = props
  const preview = usePreview(change)
  const picture = change === undefined ? props.picture : preview
  const choose = async (file: File | undefined) => {
    if (!file) return
    if (file.size > mostPhotoBytes) return onWrong(60002)
    const kept = await shrink(file)
    if (kept) onChange(kept)
    else onWrong(10002)
  }
  const sentence = error && say(error === 60002 ? 'tooLarge' : error === 10002 ? 'wrong' : 'failed')
  return (
    <Field label={say('label')} optional error={sentence || undefined} hint={say('hint')} className={className}>
      {ids => (
        <div className="picture">
          {children(picture)}
          <div>
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
              {say(picture ? 'change' : 'choose')}
            </label>
            {picture && (
              <Button look="quiet" onClick={() => onChange(props.picture ? null : undefined)}>
                {say('remove')}
              </Button>
            )}
          </div>
        </div>
      )}
    </Field>
  )
}
