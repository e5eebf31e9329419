import { useTranslation } from 'react-i18next'
import { shrinkPicture } from '../../../picture.ts'
import { Avatar } from '../../shell/avatar.tsx'
import { PictureField, type PictureProps } from './picture.tsx'
import './photo.css'

export function PhotoField({
  person,
  ...props
}: PictureProps & { person: { first_name: string; last_name: string; photo?: string | undefined } }) {
  const { t } = useTranslation('employee')
  return (
    <PictureField
      className="photo-field"
      say={word => t(`photo.${word}`)}
      picture={person.photo}
      shrink={shrinkPicture}
      {...props}
    >
      {photo => <Avatar person={person} photo={photo} />}
    </PictureField>
  )
}
