import { ClipboardPaste, Copy, Eraser, MousePointer2, Paintbrush, Repeat } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { BoardShift } from '../../parts/board/row.ts'
import { Button } from '../../parts/button.tsx'
import { Keys } from '../../parts/shell/keys.tsx'

// The palette of tools, and the actions on the selection.

/** A shift's id, `select` or `free`. */
export type Tool = string

/** A key can choose a brush outside the visible part of the row. */
const show = (brush: HTMLElement | null) => brush?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

export const Palette = memo(function Palette(props: {
  shifts: readonly BoardShift[]
  tool: Tool
  onTool: (tool: Tool) => void
  isBeside: boolean
  onBeside: (isBeside: boolean) => void
}) {
  const { t } = useTranslation('schedule')
  const { tool, onTool } = props
  const brush = (key: Tool, className: string, children: ReactNode, letter: string | undefined, title?: string) => (
    <label key={key} ref={tool === key ? show : undefined} className={`brush ${className}`} title={title}>
      <input type="radio" name="brush" className="unseen" checked={tool === key} onChange={() => onTool(key)} />
      {children}
      {letter && <kbd>{letter}</kbd>}
    </label>
  )
  return (
    <div className={props.shifts.length > 6 ? 'palette many' : 'palette'}>
      <fieldset>
        <legend className="unseen">{t('brush')}</legend>
        {brush(
          'select',
          '',
          <>
            <MousePointer2 className="icon" aria-hidden="true" />
            <span>{t('select')}</span>
          </>,
          undefined,
        )}
        {props.shifts.map(({ id, color, name, hours }, index) =>
          brush(
            id,
            `shift-color ${color}`,
            <>
              <span className="shift-name">
                <span>{name}</span>
              </span>
              <span className="muted figure">{hours}</span>
            </>,
            index < 9 ? String(index + 1) : undefined,
            name,
          ),
        )}
        {brush(
          'free',
          '',
          <>
            <Eraser className="icon" aria-hidden="true" />
            <span>{t('eraser')}</span>
          </>,
          '0',
        )}
      </fieldset>
      <label className="check beside">
        <input type="checkbox" checked={props.isBeside} onChange={event => props.onBeside(event.target.checked)} />
        <span>{t('beside')}</span>
        <kbd>+</kbd>
      </label>
    </div>
  )
})

export const SelectionBar = memo(function SelectionBar(props: {
  days: number
  people: number
  /** The shift of the current tool. */
  shift: BoardShift | undefined
  canPaste: boolean
  isBusy: boolean
  onPaint: () => void
  onFree: () => void
  onCopy: () => void
  onPaste: () => void
  onRepeat: () => void
  end: ReactNode
}) {
  const { t } = useTranslation('schedule')
  const { shift } = props
  return (
    <section className="selection-bar" aria-label={t('selection.label')}>
      <p className="muted" aria-live="polite">
        {t('selection.text', {
          days: t('selection.days', { count: props.days }),
          people: t('selection.people', { count: props.people }),
        })}
      </p>
      <div className="selection-do">
        {shift && (
          <Button
            look="quiet"
            icon={<Paintbrush className="icon" />}
            onClick={props.onPaint}
            title={t('keys.key.paint')}
          >
            <span className="paint-words">{t('selection.paint', { shift: shift.name })}</span>
          </Button>
        )}
        <Button look="quiet" icon={<Eraser className="icon" />} onClick={props.onFree} title={t('keys.key.free')}>
          {t('selection.free')}
        </Button>
        <Button look="quiet" icon={<Copy className="icon" />} onClick={props.onCopy} title={t('keys.key.copy')}>
          {t('selection.copy')}
        </Button>
        <Button
          look="quiet"
          icon={<ClipboardPaste className="icon" />}
          onClick={props.onPaste}
          disabled={!props.canPaste}
          title={t('keys.key.copy')}
        >
          {t('selection.paste')}
        </Button>
        <Button look="quiet" icon={<Repeat className="icon" />} onClick={props.onRepeat} disabled={props.isBusy}>
          {t('selection.repeat')}
        </Button>
      </div>
      {props.end}
    </section>
  )
})

const keys = [
  'arrows',
  'shift',
  'week',
  'all',
  'paint',
  'free',
  'pick',
  'beside',
  'copy',
  'move',
  'undo',
  'redo',
  'save',
  'escape',
] as const

export const ScheduleKeys = () => {
  const { t } = useTranslation('schedule')
  return <Keys title={t('keys.title')} keys={keys.map(name => [t(`keys.key.${name}`), t(`keys.${name}`)] as const)} />
}
