import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'

function Broken() {
  const { t } = useTranslation()
  return (
    <div className="splash inside" role="alert">
      <h1>{t('broken.title')}</h1>
      <p className="muted">{t('broken.text')}</p>
      {/* Loaded anew: what has failed to load once is not asked for again by this page. */}
      <Button look="primary" onClick={() => location.reload()}>
        {t('again')}
      </Button>
    </div>
  )
}

/**
 * What cannot be drawn leaves a sentence in its place, until something else is to stand there: `at` is its address. It is a class,
 * because React tells of such a fault to nothing else.
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
