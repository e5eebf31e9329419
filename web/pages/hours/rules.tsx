import { ChevronDown, GripVertical, Plus, TriangleAlert } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mostHourRules } from '../../../shared/attendance/hours/fault.ts'
import { useIsPhone } from '../../narrow.ts'
import { Button } from '../../parts/button.tsx'
import { useHourWords } from '../../parts/day/hour-words.ts'
import { KindDot } from '../../parts/day/kinds.tsx'
import { useSentence } from '../../parts/field/form.tsx'
import { useMovedFocus } from '../../parts/kept-focus.ts'
import { Panel } from '../../parts/list/panel.tsx'
import { type DraftRule, formConditions, moved, type RulesProps, ruleOfField, type Sort, withRule } from './draft.ts'
import { RuleFields } from './rule-fields.tsx'

// The rules of one sort in the order of their priority. One rule is open at a time; on a phone it is a page of its own.

/** Drags a row to another place in its list. Keyboard users press Alt with an arrow key. */
const useRowDrag = (onMove: (from: number, to: number) => void) => {
  const [dragged, setDragged] = useState<number>()
  const [target, setTarget] = useState<number>()
  const end = () => {
    setDragged(undefined)
    setTarget(undefined)
  }
  return {
    /** Where a row would land: the class of the row below or above the gap. */
    classOf: (at: number) =>
      at === dragged
        ? 'is-dragged'
        : dragged !== undefined && at === target
          ? at < dragged
            ? 'drops-before'
            : 'drops-after'
          : '',
    grip: (at: number) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.setData('text/plain', String(at))
        event.dataTransfer.effectAllowed = 'move'
        const row = event.currentTarget.closest('li')
        if (row) event.dataTransfer.setDragImage(row, 16, 16)
        setDragged(at)
      },
      onDragEnd: end,
    }),
    place: (at: number) => ({
      onDragOver: (event: DragEvent) => {
        if (dragged === undefined) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setTarget(at)
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        if (dragged !== undefined && dragged !== at) onMove(dragged, at)
        end()
      },
    }),
  }
}

export function RuleList(props: RulesProps & { sort: Sort }) {
  const { t } = useTranslation('hours')
  const sentence = useSentence()
  const { sort, values, onOpen, set, faults } = props
  const rules = values[sort]
  const [said, setSaid] = useState('')
  const keepFocus = useMovedFocus()
  const nameOf = ({ kind }: DraftRule) => values.kinds.find(({ key }) => key === kind)?.name.trim() || t('rule.unnamed')
  const move = (from: number, to: number) => {
    const rule = rules[from]
    if (!rule || to < 0 || to >= rules.length) return
    keepFocus()
    set({ [sort]: moved(rules, from, to) })
    setSaid(t('rule.moved', { name: nameOf(rule), number: to + 1 }))
  }
  const drag = useRowDrag(move)
  const add = () => {
    const { draft, key } = withRule(values, sort)
    set(draft)
    onOpen(key)
  }
  const tooMany = faults[sort]
  return (
    <section className="card hours-rules" aria-label={t(`${sort}.title`)}>
      <header>
        <div>
          <h2>{t(`${sort}.title`)}</h2>
          <p className="muted small">{t(`${sort}.text`)}</p>
        </div>
        <Button icon={<Plus className="icon" />} onClick={add} disabled={rules.length >= mostHourRules}>
          {t(`${sort}.add`)}
        </Button>
      </header>
      {rules.length > 0 && (
        <div className="rule-heads" aria-hidden="true">
          <span>{t('head.name')}</span>
          <span>{t('head.applies')}</span>
          <span>{t('head.payroll')}</span>
        </div>
      )}
      {rules.length > 0 ? (
        <ol>
          {rules.map((rule, at) => (
            <RuleRow
              key={rule.key}
              {...props}
              {...{ rule, at, name: nameOf(rule) }}
              dragClass={drag.classOf(at)}
              grip={drag.grip(at)}
              place={drag.place(at)}
              onMove={by => move(at, at + by)}
            />
          ))}
        </ol>
      ) : (
        <p className="hours-none muted">{t(`${sort}.none`)}</p>
      )}
      {tooMany !== undefined && (
        <p className="error-line" role="alert">
          <TriangleAlert className="icon" aria-hidden="true" /> {sentence(tooMany)}
        </p>
      )}
      <p className="unseen" role="status">
        {said}
      </p>
    </section>
  )
}

interface RowProps extends RulesProps {
  sort: Sort
  rule: DraftRule
  at: number
  name: string
  dragClass: string
  grip: object
  place: object
  onMove: (by: -1 | 1) => void
}

/** The faults of a rule that its row shows even while it is closed. */
const useRowFault = ({ sort, at, faults, dead, error }: RowProps) => {
  const sentence = useSentence()
  const field = `${sort}.${at}`
  const isLive = (code: number) => code >= 60110 && code <= 60113
  const live = Object.entries(faults).find(([name, code]) => ruleOfField(name) === field && isLive(code))
  const fault = (live && sentence(live[1])) ?? error(field)
  return { fault, warning: dead.has(field) ? sentence(60114) : undefined }
}

function RuleRow(props: RowProps) {
  const { t } = useTranslation('hours')
  const isPhone = useIsPhone()
  const words = useHourWords()
  const { sort, rule, name, values, opened, onOpen, grip, place, onMove } = props
  const isOpen = opened === rule.key
  const kind = values.kinds.find(({ key }) => key === rule.kind)
  const { fault, warning } = useRowFault(props)
  const unless = rule.unless.flatMap(key => values.kinds.find(kind => kind.key === key)?.name.trim() || [])
  const sentence = [
    words.conditions(formConditions(rule.conditions), sort === 'extra'),
    unless.length > 0 && words.unless(unless),
  ]
    .filter(Boolean)
    .join(words.join)
  const close = () => onOpen(undefined)
  // The keys work on the row and in its fields.
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined
    if (!event.altKey || by === undefined) return
    event.preventDefault()
    onMove(by)
  }
  const fields = isOpen && <RuleFields {...props} kind={kind} onRemove={close} onMove={onMove} fault={fault} />
  const number = `${sort}-${rule.key}`
  return (
    <li
      className={['hour-rule', isOpen && 'is-open', props.dragClass].filter(Boolean).join(' ')}
      onKeyDown={onKeyDown}
      {...place}
    >
      <div className="rule-head">
        <span className="rule-grip" title={t('rule.drag')} aria-hidden="true" {...grip}>
          <GripVertical className="icon" />
        </span>
        <button
          type="button"
          className="rule-open"
          aria-expanded={isOpen}
          aria-controls={number}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={() => onOpen(isOpen ? undefined : rule.key)}
        >
          <KindDot color={kind?.color} />
          <span className="rule-name">{name}</span>
          <span className="rule-sentence">{sentence.charAt(0).toLocaleUpperCase() + sentence.slice(1)}</span>
          <span className="rule-code figure">{kind?.payrollCode.trim() || kind?.code}</span>
          <ChevronDown className="icon" aria-hidden="true" />
        </button>
      </div>
      {fault && !isOpen && (
        <p className="rule-note error-line">
          <TriangleAlert className="icon" aria-hidden="true" /> {fault}
        </p>
      )}
      {warning && (
        <p className="rule-note is-warning">
          <TriangleAlert className="icon" aria-hidden="true" /> {warning}
        </p>
      )}
      {isPhone && fields ? (
        <Panel
          title={name}
          onClose={close}
          foot={
            <Button look="primary" onClick={close}>
              {t('rule.done')}
            </Button>
          }
        >
          <div className="panel-body">{fields}</div>
        </Panel>
      ) : (
        <div id={number}>{fields}</div>
      )}
    </li>
  )
}
