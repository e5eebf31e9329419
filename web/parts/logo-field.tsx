import { ImageIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { imageTypes, mostPhotoBytes } from '../../shared/image.ts'
import { shrinkLogo } from '../picture.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { type PhotoChange, usePreview } from './photo-field.tsx'
import './logo-field.css'

/** A company's logo, to be chosen, changed or taken away; `error` is the code of what is wrong with it. */
export function LogoField(props: {
  logo: string | undefined
  change: PhotoChange
  error: number | undefined
  onChange: (change: PhotoChange) => void
  /** A file that cannot be a logo. */
  onWrong: (code: number) => void
}) {
  const { t } = useTranslation('company')
  const { change, error, onChange, onWrong } = props
  const preview = usePreview(change)
  const logo = change === undefined ? props.logo : preview
  const choose = async (file: File | undefined) => {
    if (!file) return
    if (file.size > mostPhotoBytes) return onWrong(60002)
    const picture = await shrinkLogo(file)
    if (picture) onChange(picture)
    else onWrong(10002)
  }
  const sentence = error && t(error === 60002 ? 'logo.tooLarge' : error === 10002 ? 'logo.wrong' : 'logo.failed')
  return (
    <Field label={t('logo.label')} optional error={sentence || undefined} hint={t('logo.hint')} className="logo-field">
      {ids => (
        <div className="logo">
          <span className="logo-frame">
            {logo ? <img src={logo} alt={t('logo.label')} /> : <ImageIcon className="icon" aria-hidden="true" />}
          </span>
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
              {t(logo ? 'logo.change' : 'logo.choose')}
            </label>
            {logo && (
              <Button look="quiet" onClick={() => onChange(props.logo ? null : undefined)}>
                {t('logo.remove')}
              </Button>
            )}
          </div>
        </div>
      )}
    </Field>
  )
}
