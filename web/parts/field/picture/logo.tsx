import { ImageIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { shrinkLogo } from '../../../picture.ts'
import { PictureField, type PictureProps } from './picture.tsx'
import './logo.css'

/** A field for a company's logo. */
export function LogoField({ logo, ...props }: PictureProps & { logo: string | undefined }) {
  const { t } = useTranslation('company')
  return (
    <PictureField className="logo-field" say={word => t(`logo.${word}`)} picture={logo} shrink={shrinkLogo} {...props}>
      {address => (
        <span className="logo-frame">
          {address ? <img src={address} alt={t('logo.label')} /> : <ImageIcon className="icon" aria-hidden="true" />}
        </span>
      )}
    </PictureField>
  )
}
