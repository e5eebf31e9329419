import { type ReactNode, useEffect, useState } from 'react'
import { imageTypes, mostPhotoBytes } from '../../../../shared/image.ts'
import { Button } from '../../button.tsx'
import { Field } from '../field.tsx'
import './picture.css'

/** The change of a picture: a new one, null to remove it, or undefined to keep it. */
export type PictureChange = Blob | null | undefined

/** The object URL of a picture in memory. The hook revokes the URL when the page no longer shows the picture. */
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
  /** The error code of the picture. */
  error: number | undefined
  onChange: (change: PictureChange) => void
  /** Called with a code for an unusable file: 60002 if it is too large, 10002 if it is unreadable. */
  onWrong: (code: number) => void
}

/** A field that chooses, changes or removes a person's photo or a company's logo. `children` renders the picture. */
export function PictureField(
  props: PictureProps & {
    say: (word: PictureWord) => string
    className: string
    /** The address of the stored picture. */
    picture: string | undefined
    /** Converts a chosen file to the stored format; undefined if the browser cannot read the file. */
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
    const shrunk = await shrink(file)
    if (shrunk) onChange(shrunk)
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
                // Without the reset, the browser would not report the same file again.
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
