import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { templateLimits } from '../../../shared/schedule/limit.ts'
import { write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import type { BoardShift } from '../../parts/board/row.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field/field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask, overPage } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import { daysOf, type Weeks, weeksOf } from './weeks.ts'

type Asking = 'add' | 'rename' | 'delete'

/** Loads, saves, renames and deletes the rotation templates of the company. */
export function Templates(props: {
  weeks: Weeks
  shifts: readonly BoardShift[]
  /** The weeks of the selection on the board. */
  ofSelection: () => string[][]
  onWeeks: (weeks: string[][]) => void
}) {
  const { t } = useTranslation(['schedule', 'shell'])
  const { firstWeekday } = useFormats()
  const complain = useComplaint()
  const { weeks, shifts, onWeeks } = props
  const { data } = useRead('schedule/template/grid', { size: templateLimits.templates })
  const [chosenId, setChosen] = useState('')
  const [asking, setAsking] = useState<Asking>()
  const [isBusy, setBusy] = useState(false)
  const templates = data?.list ?? []
  const chosen = templates.find(({ id }) => id === chosenId)
  const isShift = (id: string) => shifts.some(shift => shift.id === id)
  const stored = chosen && weeksOf(chosen, firstWeekday, isShift)
  const isChanged = stored !== undefined && JSON.stringify(stored.weeks) !== JSON.stringify(weeks)
  const form = { firstWeekday, days: daysOf(weeks) }

  const choose = (id: string) => {
    setChosen(id)
    const template = templates.find(template => template.id === id)
    if (template) onWeeks(weeksOf(template, firstWeekday, isShift).weeks)
  }
  const finish = (words: 'saved' | 'deleted') => {
    refresh(['schedule/template/'])
    setAsking(undefined)
    say(t(`template.${words}`))
  }
  const add = async (name: string) => {
    const { id } = await write('schedule/template/add', { name, ...form })
    setChosen(id)
    finish('saved')
  }
  const update = async (changed: { name: string } | typeof form) => {
    if (!chosen) return
    await write('schedule/template/update', { ...chosen, ...changed })
    finish('saved')
  }
  const save = async () => {
    setBusy(true)
    await update(form).catch(complain)
    setBusy(false)
  }
  const remove = async () => {
    await write('schedule/template/delete', { id: chosenId })
    setChosen('')
    finish('deleted')
  }
  return (
    <>
      <SelectField
        label={t('template.label')}
        value={chosen ? chosenId : ''}
        onText={choose}
        options={[['', t('template.none')], ...templates.map(({ id, name }) => [id, name] as const)]}
      />
      {stored?.isPart && <p className="notice warn">{t('template.part')}</p>}
      <div className="rotation-do">
        <Button look="quiet" onClick={() => onWeeks(props.ofSelection())}>
          {t('template.selection')}
        </Button>
        {isChanged && (
          <Button look="quiet" busy={isBusy} onClick={save}>
            {t('template.update')}
          </Button>
        )}
        <Button look="quiet" onClick={() => setAsking('add')}>
          {t('template.add')}
        </Button>
        {chosen && (
          <>
            <Button look="quiet" onClick={() => setAsking('rename')}>
              {t('template.rename')}
            </Button>
            <Button look="danger-quiet" onClick={() => setAsking('delete')}>
              {t('shell:delete')}
            </Button>
          </>
        )}
      </div>
      {asking === 'add' && (
        <NameAsk title={t('template.addTitle')} name="" onName={add} onNo={() => setAsking(undefined)} />
      )}
      {asking === 'rename' && chosen && (
        <NameAsk
          title={t('template.renameTitle')}
          name={chosen.name}
          onName={name => update({ name })}
          onNo={() => setAsking(undefined)}
        />
      )}
      {asking === 'delete' &&
        chosen &&
        overPage(
          <Ask
            title={t('template.deleteTitle', { name: chosen.name })}
            yes={t('shell:delete')}
            no={t('shell:cancel')}
            danger
            onYes={remove}
            onNo={() => setAsking(undefined)}
          >
            {t('template.deleteText')}
          </Ask>,
        )}
    </>
  )
}

function NameAsk(props: { title: string; name: string; onName: (name: string) => Promise<void>; onNo: () => void }) {
  const { t } = useTranslation(['schedule', 'shell'])
  const [name, setName] = useState(props.name)
  return overPage(
    <Ask
      title={props.title}
      yes={t('shell:save')}
      no={t('shell:cancel')}
      waits={name.trim() === ''}
      onYes={() => props.onName(name.trim())}
      onNo={props.onNo}
    >
      <TextField label={t('template.name')} maxLength={60} value={name} onText={setName} />
    </Ask>,
  )
}
