import { Redo2, Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../parts/button.tsx'
import type { planningOf } from '../../plans.ts'
import type { useSave } from './save.tsx'

/** The buttons over the board: undo, redo, discard and save. */
export function PlanActions(props: {
  planning: ReturnType<typeof planningOf>
  save: ReturnType<typeof useSave>
  changedDays: number
  /** A conflict or another time zone prevents saving. */
  isBlocked: boolean
  onUndo: () => void
  onSave: () => void
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const { planning, save, changedDays, isBlocked, onUndo, onSave } = props
  const { sent } = save
  const { history, at } = planning.read()
  const canUndo = at > 0
  const isEmpty = changedDays === 0
  const mayTakeBack = save.canTakeBack && isEmpty
  return (
    <>
      <Button
        look="quiet"
        className="undo"
        icon={<Undo2 className="icon" />}
        onClick={onUndo}
        disabled={!canUndo && !mayTakeBack}
        aria-keyshortcuts="Control+Z"
      >
        <span>{!canUndo && mayTakeBack ? t('takeBack.button') : t('undo')}</span>
      </Button>
      <Button
        look="quiet"
        square
        aria-label={t('redo')}
        title={t('redo')}
        icon={<Redo2 className="icon" />}
        onClick={planning.redo}
        disabled={at >= history.length - 1}
        aria-keyshortcuts="Control+Y"
      />
      {!isEmpty && !sent && (
        <Button look="quiet" onClick={() => planning.plan(() => ({}))}>
          {t('discard')}
        </Button>
      )}
      <Button
        look="primary"
        busy={save.busy}
        disabled={isEmpty || isBlocked}
        onClick={onSave}
        aria-keyshortcuts="Control+S"
      >
        {sent
          ? t(sent.isTakingBack ? 'takeBack.busy' : 'savingDays', { count: sent.count })
          : isEmpty
            ? t('shell:save')
            : t(save.isDrafting ? 'draft.saveDays' : 'saveDays', { count: changedDays })}
      </Button>
    </>
  )
}
