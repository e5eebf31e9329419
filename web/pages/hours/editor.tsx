import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { KnownKinds } from '../../parts/day/kinds.tsx'
import { PreviewAsk } from '../../parts/day/preview.tsx'
import { SettingsForm } from '../../parts/field/settings.tsx'
import { Checks } from './checks.tsx'
import { deadRules, formOf, nextKey } from './draft.ts'
import { Example } from './example.tsx'
import { FormerSets } from './former.tsx'
import { type EditedSet, type HourForm, useHourForm } from './hour-form.ts'
import { RuleList } from './rules.tsx'
import { Scope } from './scope.tsx'

// Edits an hour set: its kinds and their rules, the people it applies to, and the day from which it applies.

export default function HourEditor(props: EditedSet) {
  const { t } = useTranslation(['hours', 'hour-rule', 'shell'])
  const { stored } = props
  const hours = useHourForm(props)
  const { form, faults, opened, setOpened, effective } = hours
  const { values, set, error } = form
  const dead = deadRules(values)
  const rules = { values, opened, onOpen: setOpened, set, error, faults, dead }
  return (
    <>
      <SettingsForm
        // A new set can be saved as it is.
        form={stored ? form : { ...form, isChanged: true }}
        onSave={() => void hours.ask()}
        onDiscard={hours.discard}
      >
        <div className="hours-editor">
          <div className="hours-main">
            <RuleList sort="base" {...rules} />
            <RuleList sort="extra" {...rules} />
            <Scope form={form} effective={effective} id={stored?.id} since={stored?.since} />
            <Checks checks={values.checks} onChange={checks => set({ checks })} error={error} nextKey={nextKey} />
            {stored && (
              <>
                <FormerSets stored={stored} />
                <div className="hours-remove">
                  <Button look="danger-quiet" onClick={() => void hours.ask(true)}>
                    {t('remove.button')}
                  </Button>
                </div>
              </>
            )}
          </div>
          <Example draft={values} />
        </div>
      </SettingsForm>
      <Question hours={hours} deadCount={dead.size} />
    </>
  )
}

/** Shows the effect of the change, and asks whether to save it. */
function Question({ hours, deadCount }: { hours: HourForm; deadCount: number }) {
  const { t } = useTranslation('hours')
  const formats = useFormats()
  const { form, asking, effective } = hours
  if (!asking) return null
  const part = asking.isRemoval ? 'remove' : 'preview'
  return (
    <KnownKinds value={formOf(form.values).kinds}>
      <PreviewAsk
        title={t(`${part}.title`, { name: form.values.name })}
        task={asking.task}
        yes={t(`${part}.yes`)}
        onYes={hours.store}
        onNo={hours.cancel}
      >
        <p>{t(`${part}.text`, { day: formats.day(effective) })}</p>
        {!asking.isRemoval && deadCount > 0 && <p className="notice warn">{t('preview.dead', { count: deadCount })}</p>}
      </PreviewAsk>
    </KnownKinds>
  )
}
