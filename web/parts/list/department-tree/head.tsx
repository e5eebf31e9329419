// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by transform, which table elements do not allow.
// biome-ignore-all lint/a11y/useFocusableInteractive: exactly one row takes the focus; headers and cells do not.
import { ChevronsDownUp, ChevronsUpDown, CornerLeftUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Drag } from './drag.ts'

function TurnAll({ onTurn }: { onTurn: (isAllOpen: boolean) => void }) {
  const { t } = useTranslation('department')
  return (
    <span>
      <button type="button" aria-label={t('openAll')} title={t('openAll')} onClick={() => onTurn(true)}>
        <ChevronsUpDown className="icon" aria-hidden="true" />
      </button>
      <button type="button" aria-label={t('closeAll')} title={t('closeAll')} onClick={() => onTurn(false)}>
        <ChevronsDownUp className="icon" aria-hidden="true" />
      </button>
    </span>
  )
}

export function TreeHead(props: {
  hasBranches: boolean
  onTurnAll: (isAllOpen: boolean) => void
  drag: Drag
  mayMoveToTop: boolean
}) {
  const { t } = useTranslation('department')
  const { dragged, target, place } = props.drag
  return (
    <div className="grid-head" role="rowgroup">
      <div className="grid-row" role="row" aria-rowindex={1}>
        <div role="columnheader" className="tree-head">
          {t('name')}
          {props.hasBranches && <TurnAll onTurn={props.onTurnAll} />}
        </div>
        <div role="columnheader" className="minor">
          {t('location')}
        </div>
        <div role="columnheader" className="number">
          {t('employees')}
        </div>
        <div role="columnheader" className="number">
          {t('devices')}
        </div>
        <div role="columnheader">
          <span className="unseen">{t('below')}</span>
        </div>
      </div>
      {dragged?.department.parent && props.mayMoveToTop && (
        <div className={target === 'top' ? 'tree-top is-target' : 'tree-top'} {...place()}>
          <CornerLeftUp className="icon" aria-hidden="true" /> {t('move.toTop')}
        </div>
      )}
    </div>
  )
}
