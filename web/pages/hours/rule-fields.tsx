import { ArrowDown, ArrowUp, Plus, Trash2, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../parts/button.tsx'
import { CheckField, SelectField, TextField } from '../../parts/field/field.tsx'
import { SegmentField } from '../../parts/field/segment-field.tsx'
import { Menu } from '../../parts/shell/menu.tsx'
import { ConditionField } from './condition-field.tsx'
import {
  type Conditions,
  colors,
  conditionNames,
  type DraftKind,
  type DraftRule,
  kindNumber,
  newKind,
  type RulesProps,
  type Sort,
  usualConditions,
} from './draft.ts'

// The fields of an open rule: the kind that it gives, and the conditions under which it gives it.

interface FieldsProps extends RulesProps {
  sort: Sort
  rule: DraftRule
  at: number
  kind: DraftKind | undefined
  fault: string | undefined
  onRemove: () => void
  onMove: (by: -1 | 1) => void
}

const newKindOption = 'new'

export function RuleFields(props: FieldsProps) {
  const { t } = useTranslation(['hours', 'shell'])
  const { sort, rule, at, values, set, fault, kind } = props
  const rules = values[sort]
  const change = (changes: Partial<DraftRule>) => set({ [sort]: rules.with(at, { ...rule, ...changes }) })
  const changeKind = (changes: Partial<DraftKind>) =>
    set({ kinds: values.kinds.map(other => (other.key === rule.kind ? { ...other, ...changes } : other)) })
  const uses = [...values.base, ...values.extra].filter(other => other.kind === rule.kind).length
  const pickKind = (key: string) => {
    if (key !== newKindOption) return change({ kind: key })
    const fresh = newKind(values, { isForAccount: sort === 'base' })
    return set({ kinds: [...values.kinds, fresh], [sort]: rules.with(at, { ...rule, kind: fresh.key }) })
  }
  const named = values.kinds.filter(({ key, name }) => key === rule.kind || name.trim() !== '')
  const toOther = () => {
    const other = sort === 'base' ? 'extra' : 'base'
    const { weekOver: _, ...conditions } = rule.conditions
    const fresh: DraftRule = {
      ...rule,
      ...(other === 'extra' ? { conditions, fillsWeek: 'usual' } : { unless: [] }),
    }
    const place = other === 'base' ? Math.max(0, values.base.length - 1) : values.extra.length
    set({ [sort]: rules.filter(({ key }) => key !== rule.key), [other]: values[other].toSpliced(place, 0, fresh) })
  }
  return (
    <div className="hour-fields">
      {fault && (
        <p className="error-line" role="alert">
          <TriangleAlert className="icon" aria-hidden="true" /> {fault}
        </p>
      )}
      <div className="kind-fields">
        <SelectField
          label={t('kind.label')}
          value={rule.kind}
          onText={pickKind}
          options={[
            ...named.map(({ key, name }) => [key, name.trim() || t('rule.unnamed')] as const),
            [newKindOption, t('kind.new')],
          ]}
        />
        {kind && <KindFields {...props} kind={kind} onChange={changeKind} />}
      </div>
      {uses > 1 && <p className="muted small">{t('kind.shared', { count: uses })}</p>}
      <SegmentField
        label={t('kind.sort')}
        value={sort}
        onText={value => value !== sort && toOther()}
        options={[
          ['base', t('kind.base')],
          ['extra', t('kind.extra')],
        ]}
      />
      <ConditionFields {...props} onChange={change} />
      {sort === 'extra' && <UnlessField {...props} onChange={change} />}
      {sort === 'base' && Object.keys(rule.conditions).length > 0 && (
        <SelectField
          label={t('week.label')}
          hint={t('week.hint')}
          value={rule.fillsWeek}
          onText={value => change({ fillsWeek: value === 'yes' ? 'yes' : value === 'no' ? 'no' : 'usual' })}
          options={(['usual', 'yes', 'no'] as const).map(name => [name, t(`week.${name}`)] as const)}
        />
      )}
      <RuleButtons {...props} />
    </div>
  )
}

function KindFields(props: FieldsProps & { kind: DraftKind; onChange: (changes: Partial<DraftKind>) => void }) {
  const { t } = useTranslation('hours')
  const id = useId()
  const { sort, values, kind, error, onChange, faults } = props
  const field = `kinds.${kindNumber(values, kind.key)}`
  const isTwice = faults[`${field}.code`] === 60111
  return (
    <>
      <TextField
        label={t('kind.name')}
        // The first field of a new kind.
        autoFocus={kind.name === ''}
        maxLength={60}
        value={kind.name}
        onText={name => onChange({ name })}
        error={error(`${field}.name`)}
      />
      <TextField
        label={t('kind.code')}
        maxLength={20}
        value={kind.code}
        onText={code => onChange({ code })}
        error={error(`${field}.code`) ?? (isTwice ? t('kind.twice') : undefined)}
      />
      <TextField
        label={t('kind.payroll')}
        optional
        placeholder={kind.code}
        maxLength={40}
        value={kind.payrollCode}
        onText={payrollCode => onChange({ payrollCode })}
        error={error(`${field}.payrollCode`)}
      />
      <fieldset className="kind-colors">
        <legend className="label">{t('kind.color')}</legend>
        {[...new Set([...colors, kind.color])].map((color, number) => (
          <label key={color} title={t('kind.colorNumber', { number: number + 1 })}>
            <input
              type="radio"
              name={`${id}-color`}
              style={{ backgroundColor: color, color }}
              checked={kind.color === color}
              onChange={() => onChange({ color })}
              aria-label={t('kind.colorNumber', { number: number + 1 })}
            />
          </label>
        ))}
      </fieldset>
      {sort === 'base' && (
        <div className="kind-account">
          <CheckField checked={kind.isForAccount} onCheck={isForAccount => onChange({ isForAccount })}>
            {t('kind.account')}
          </CheckField>
        </div>
      )}
    </>
  )
}

type Change = { onChange: (changes: Partial<DraftRule>) => void }

function ConditionFields(props: FieldsProps & Change) {
  const { t } = useTranslation('hours')
  const { sort, rule, at, onChange, error, faults } = props
  const { conditions } = rule
  const given = conditionNames[sort].filter(name => conditions[name] !== undefined)
  const free = conditionNames[sort].filter(name => conditions[name] === undefined)
  const change = (changes: Conditions) => onChange({ conditions: { ...conditions, ...changes } })
  const remove = (name: keyof Conditions) => {
    const { [name]: _, ...others } = conditions
    onChange({ conditions: others })
  }
  return (
    <fieldset className="conditions">
      <legend className="label">{t('condition.title')}</legend>
      {given.length === 0 && <p className="muted">{t(sort === 'base' ? 'condition.rest' : 'condition.always')}</p>}
      <ul>
        {given.map(name => (
          <li key={name}>
            <ConditionField
              name={name}
              conditions={conditions}
              onChange={change}
              error={part =>
                error([sort, at, name, part].filter(word => word !== undefined).join('.')) ??
                (part === 'to' && faults[`${sort}.${at}.window.to`] === 60112 ? t('condition.emptyWindow') : undefined)
              }
            />
            <Button
              look="quiet"
              square
              aria-label={t('condition.remove', { name: t(`condition.name.${name}`) })}
              onClick={() => remove(name)}
              icon={<Trash2 className="icon" />}
            />
          </li>
        ))}
      </ul>
      <Menu
        className="button"
        label={t('condition.add')}
        entries={free.map(name => ({
          ...{ key: name, text: t(`condition.name.${name}`) },
          onPick: () => change({ [name]: usualConditions[name] }),
        }))}
      >
        <Plus className="icon" aria-hidden="true" />
        {t('condition.add')}
      </Menu>
    </fieldset>
  )
}

/** The kinds that extra rules above may give. */
function UnlessField({ rule, at, values, onChange }: FieldsProps & Change) {
  const { t } = useTranslation('hours')
  const above = new Set(values.extra.slice(0, at).map(({ kind }) => kind))
  const kinds = values.kinds.filter(({ key }) => key !== rule.kind && (above.has(key) || rule.unless.includes(key)))
  if (kinds.length === 0) return null
  return (
    <fieldset className="unless">
      <legend className="label">{t('unless.label')}</legend>
      {kinds.map(({ key, name }) => (
        <CheckField
          key={key}
          checked={rule.unless.includes(key)}
          onCheck={isChecked =>
            onChange({ unless: isChecked ? [...rule.unless, key] : rule.unless.filter(other => other !== key) })
          }
        >
          {name.trim() || t('rule.unnamed')}
        </CheckField>
      ))}
    </fieldset>
  )
}

function RuleButtons({ sort, at, values, set, onMove, onRemove }: FieldsProps) {
  const { t } = useTranslation('hours')
  const rules = values[sort]
  return (
    <div className="rule-buttons">
      <Button look="quiet" disabled={at === 0} onClick={() => onMove(-1)} icon={<ArrowUp className="icon" />}>
        {t('rule.up')}
      </Button>
      <Button
        look="quiet"
        disabled={at === rules.length - 1}
        onClick={() => onMove(1)}
        icon={<ArrowDown className="icon" />}
      >
        {t('rule.down')}
      </Button>
      <Button
        look="danger-quiet"
        icon={<Trash2 className="icon" />}
        disabled={sort === 'base' && rules.length === 1}
        onClick={() => {
          set({ [sort]: rules.filter((_, other) => other !== at) })
          onRemove()
        }}
      >
        {t('rule.remove')}
      </Button>
    </div>
  )
}
