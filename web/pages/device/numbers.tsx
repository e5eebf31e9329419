import { Hash, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { Recalculations } from '../../parts/day/recalculation.tsx'
import { DayField } from '../../parts/field/day-field.tsx'
import { SwitchField, TextField } from '../../parts/field/field.tsx'
import { useComplaint, useForm } from '../../parts/field/form.tsx'
import { PersonField } from '../../parts/field/person-field.tsx'
import { FormPanel } from '../../parts/list/panel.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Trouble } from '../../parts/page.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { useTaskOwner } from '../../parts/say/task-notice.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Splash } from '../../parts/shell/splash.tsx'
import { fullName } from '../../person-name.ts'
import { refresh, useRead } from '../../read.ts'
import { followTask } from '../../tasks.ts'
import type { Device } from './words.tsx'

type Numbers = PathOutput<'device/number/list'>
type Entry = Numbers['list'][number]
/** The form starts from an entry, or from a number whose punches are held. */
type Edited = Partial<Entry>

const isNumber = (text: string) => /^\d{1,18}$/.test(text.trim())

/** Starts the task and follows its progress. */
const useChange = (serialNumber: string) => {
  const owner = useTaskOwner()
  return async ({ number, from, employee, version }: Edited & { number: string }) => {
    const { task } = await write('device/number/update', {
      ...{ serialNumber, number },
      ...(from && { from }),
      ...(employee && { employee }),
      ...(version !== undefined && { version }),
    })
    followTask(owner, { id: task })
    refresh(['device/', 'record/', 'task/'])
  }
}

/** The numbers that belong to other people at this terminal than elsewhere. */
export function DeviceNumbers({ device }: { device: Device }) {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const shownName = useShownName()
  const mayFind = useMayOpen()('/employee')
  const { serialNumber } = device
  const { data, error, readAgain } = useRead('device/number/list', { serialNumber })
  const [edited, setEdited] = useState<Edited>()
  const [removed, setRemoved] = useState<Entry>()
  if (!data) return error ? <Trouble error={error} onRetry={() => void readAgain()} /> : <Splash inside />
  const { list, held } = data
  const nameOf = (entry: Entry) =>
    entry.employee === undefined ? (
      <span className="muted">{t('numbers.hidden')}</span>
    ) : (
      <>
        <strong>{shownName(fullName({ first_name: entry.first_name ?? '', last_name: entry.last_name ?? '' }))}</strong>{' '}
        <span className="muted figure">{entry.workno}</span>
      </>
    )
  return (
    <>
      <Recalculations kinds={['device/number/update']} />
      <OwnNumbering device={device} />
      {held.length > 0 && (
        <section className="card device-numbers">
          <h2>{t('numbers.held')}</h2>
          <p className="muted">{t('numbers.heldText')}</p>
          <ul>
            {held.map(({ number, lastAt, timezone }) => (
              <li key={number}>
                <strong className="figure">{number}</strong>
                <span className="muted">{t('numbers.last', { at: formats.dayAndTime(lastAt, timezone) })}</span>
                {mayFind && <Button onClick={() => setEdited({ number })}>{t('numbers.give')}</Button>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="card device-numbers">
        <header>
          <h2>{t('numbers.title')}</h2>
          {mayFind && (
            <Button icon={<Plus className="icon" aria-hidden="true" />} onClick={() => setEdited({})}>
              {t('numbers.add')}
            </Button>
          )}
        </header>
        <p className="muted">
          {t(list.length > 0 ? 'numbers.text' : data.isOwnNumbering ? 'numbers.noneOwn' : 'numbers.none')}
        </p>
        <ul>
          {list.map(entry => {
            const name = t('numbers.entry', { number: entry.number })
            return (
              <li key={`${entry.number} ${entry.from ?? ''}`}>
                <strong className="figure">{entry.number}</strong>
                <span>{nameOf(entry)}</span>
                <span className="muted">
                  {entry.from ? t('numbers.since', { day: formats.day(entry.from) }) : t('numbers.always')}
                </span>
                {entry.employee !== undefined && mayFind && (
                  <span className="device-number-tools">
                    <Button
                      look="quiet"
                      square
                      icon={<Pencil className="icon" />}
                      aria-label={t('numbers.changeOf', { name })}
                      onClick={() => setEdited(entry)}
                    />
                    <Button
                      look="quiet"
                      square
                      icon={<Trash2 className="icon" />}
                      aria-label={t('numbers.removeOf', { name })}
                      onClick={() => setRemoved(entry)}
                    />
                  </span>
                )}
              </li>
            )
          })}
        </ul>
      </section>
      {edited && <EntryForm device={device} edited={edited} onClose={() => setEdited(undefined)} />}
      {removed && <RemoveQuestion device={device} entry={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

/** Whether numbers outside the list are employee IDs. */
function OwnNumbering({ device }: { device: Device }) {
  const { t } = useTranslation(['device', 'shell'])
  const complain = useComplaint()
  const [isAsking, setAsking] = useState(false)
  const { serialNumber, version, isOwnNumbering } = device
  const decide = async (isOwn: boolean) => {
    try {
      await write('device/numbering/update', { serialNumber, version, isOwnNumbering: isOwn })
      say(t('shell:saved'))
    } catch (error) {
      complain(error)
    } finally {
      refresh(['device/'])
      setAsking(false)
    }
  }
  return (
    <section className="card device-numbers">
      <SwitchField
        label={t('numbers.own')}
        hint={t('numbers.ownHint')}
        checked={isOwnNumbering === true}
        onCheck={isOwn => (isOwn ? setAsking(true) : void decide(false))}
      />
      {isOwnNumbering === undefined && device.warnings.includes('numbering') && (
        <p className="device-number-answer">
          <Button onClick={() => setAsking(true)}>{t('numbers.isOwn')}</Button>
          <Button onClick={() => void decide(false)}>{t('numbers.isCompany')}</Button>
        </p>
      )}
      {isAsking && (
        <Ask
          title={t('numbers.ask', { name: device.name })}
          yes={t('numbers.isOwn')}
          no={t('shell:cancel')}
          onYes={() => decide(true)}
          onNo={() => setAsking(false)}
        >
          {t('numbers.askText')}
        </Ask>
      )}
    </section>
  )
}

function EntryForm({ device, edited, onClose }: { device: Device; edited: Edited; onClose: () => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const { serialNumber } = device
  const isEntry = edited.version !== undefined
  const form = useForm({
    number: edited.number ?? '',
    from: edited.from ?? '',
    employee: edited.employee ?? '',
  })
  const { number, from, employee } = form.values
  const change = useChange(serialNumber)
  const known = edited.employee && {
    ...{ id: edited.employee, first_name: edited.first_name ?? '' },
    ...{ last_name: edited.last_name ?? '', workno: edited.workno ?? '' },
  }
  const save = () =>
    form.submit(
      async () => {
        await change({ ...edited, number: number.trim(), from, employee })
        onClose()
      },
      { required: ['employee'], wrong: { number: !isNumber(number) && 59013 } },
    )
  return (
    <FormPanel
      title={t(isEntry ? 'numbers.change' : 'numbers.add')}
      form={form}
      save={t('shell:save')}
      onSave={() => void save()}
      onClose={onClose}
    >
      {isEntry ? (
        <p>
          <Hash className="icon" aria-hidden="true" /> <strong className="figure">{number}</strong>
        </p>
      ) : (
        <TextField
          label={t('numbers.number')}
          hint={t('numbers.numberHint')}
          inputMode="numeric"
          maxLength={18}
          {...form.text('number')}
        />
      )}
      <PersonField
        label={t('numbers.person')}
        value={employee || undefined}
        known={known || undefined}
        nobody={t('numbers.nobody')}
        onPick={picked => form.set({ employee: picked ?? '' })}
        isMissing={Boolean(form.error('employee'))}
      />
      {!isEntry && (
        <DayField
          label={t('numbers.from')}
          optional
          value={from}
          onText={from => form.set({ from })}
          error={form.error('from')}
        />
      )}
      {isNumber(number) && employee && (
        <Effect input={{ serialNumber, number: number.trim(), employee, ...(from && { from }) }} />
      )}
    </FormPanel>
  )
}

function RemoveQuestion({ device, entry, onClose }: { device: Device; entry: Entry; onClose: () => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const change = useChange(device.serialNumber)
  const { number, from, version } = entry
  return (
    <Ask
      title={t('numbers.removeTitle', { number })}
      yes={t('numbers.remove')}
      no={t('shell:cancel')}
      danger
      onYes={async () => {
        await change({ number, from, version })
        onClose()
      }}
      onNo={onClose}
    >
      <Effect input={{ serialNumber: device.serialNumber, number, ...(from && { from }) }} />
    </Ask>
  )
}

/** Previews how many punches a change assigns, moves and leaves. */
function Effect({ input }: { input: { serialNumber: string; number: string; employee?: string; from?: string } }) {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const shownName = useShownName()
  const { data } = useRead('device/number/preview', input)
  if (!data) return <span className="skeleton" style={{ height: 40 }} />
  const { taken, held, moved, locked, corrected } = data
  const lines = [
    taken > 0 && t('numbers.effect.taken', { count: taken }),
    ...moved.map(({ punches, from, to, ...person }) =>
      t(from === to ? 'numbers.effect.movedDay' : 'numbers.effect.moved', {
        ...{ count: punches, name: shownName(fullName(person)) },
        ...{ from: formats.day(from), to: formats.day(to) },
      }),
    ),
    held > 0 && t('numbers.effect.held', { count: held }),
    locked > 0 && t('numbers.effect.locked', { count: locked }),
    corrected > 0 && t('numbers.effect.corrected', { count: corrected }),
  ].filter(line => line !== false)
  return (
    <div className={moved.length > 0 ? 'notice warn' : 'notice'} role="status">
      <ul>
        {(lines.length > 0 ? lines : [t('numbers.effect.none')]).map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
