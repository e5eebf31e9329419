import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'

function Broken() {
  const { t } = useTranslation()
  return (
    <div className="splash inside" role="alert">
      <h1>{t('broken.title')}</h1>
      <p className="muted">{t('broken.text')}</p>
      {/* Reloads the page, because the browser does not request a failed module again. */}
      <Button look="primary" onClick={() => location.reload()}>
        {t('again')}
      </Button>
    </div>
  )
}

/**
 * Shows an error in place of children that fail to render, until the address `at` changes. A class, because React
 * reports such errors only to class components.
 */
export class Boundary extends Component<{ at: string; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }
  static getDerivedStateFromError = () => ({ isBroken: true })
  override componentDidUpdate({ at }: { at: string }) {
    if (this.state.isBroken && at !== this.props.at) this.setState({ isBroken: false })
  }
  override render() {
    return this.state.isBroken ? <Broken /> : this.props.children
  }
}
