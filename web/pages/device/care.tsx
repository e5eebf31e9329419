import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { write } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useAddress } from '../../parts/field/address.ts'
import { DayField } from '../../parts/field/day-field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { Deed } from '../../parts/say/deed.tsx'
import { DeleteQuestion } from '../../parts/say/delete-question.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh } from '../../read.ts'
import { ResetQuestion } from './reset.tsx'
import { NewSecretButton } from './setup.tsx'
import { type AskDevice, addressParts, type Command, type Device } from './words.tsx'

interface Props {
  device: Device
  ask: AskDevice
}

/** The actions on a whole terminal, such as deleting it. */
export function DeviceCare(props: Props & { commands: readonly Command[]; onPath: (serverPath: string) => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const { set } = useAddress()
  const complain = useComplaint()
  const { device, ask, commands, onPath } = props
  const { serialNumber, name, authentication } = device
  const [question, setQuestion] = useState<'door' | 'reboot' | 'reconcile' | 'reset'>()
  const close = () => setQuestion(undefined)
  const remove = async () => {
    await write('device/delete', { serialNumber })
    say(t('deleted'))
    refresh(['device/'])
    set(Object.fromEntries(addressParts.map(part => [part, undefined])), true)
  }
  return (
    <div className="device-body">
      <section className="card device-care">
        <h2 className="unseen">{t('tab.care')}</h2>
        <Deed title={t('poll.title')} text={t('poll.text')}>
          <Button onClick={() => ask(() => write('device/poll', { serialNumber })).catch(complain)}>
            {t('poll.button')}
          </Button>
        </Deed>
        <Deed title={t('reconcile.title')} text={t('reconcile.text')}>
          <Button onClick={() => setQuestion('reconcile')}>{t('reconcile.button')}</Button>
        </Deed>
        <Deed title={t('door.title')} text={t('door.text')}>
          <Button onClick={() => setQuestion('door')}>{t('door.button')}</Button>
        </Deed>
        <Deed title={t('reboot.title')} text={t('reboot.text')}>
          <Button onClick={() => setQuestion('reboot')}>{t('reboot.button')}</Button>
        </Deed>
        {authentication === 'claim+path' && (
          <Deed title={t('secret.button')} text={t('secret.text')}>
            <NewSecretButton
              device={device}
              onPath={path => {
                onPath(path)
                set({ tab: 'setup' })
              }}
            />
          </Deed>
        )}
        <Deed title={t('reset.title')} text={t('reset.text')}>
          <Button look="danger-quiet" onClick={() => setQuestion('reset')}>
            {t('reset.button')}
          </Button>
        </Deed>
        <Deed title={t('delete.heading')} text={t('delete.text')}>
          {device.state === 'bound' && <Button onClick={() => setQuestion('reset')}>{t('delete.reset')}</Button>}
          <DeleteQuestion
            title={t('delete.title', { name })}
            text={t('delete.text')}
            yes={t('delete.button')}
            onDelete={remove}
          />
        </Deed>
      </section>
      {question === 'door' && <OpenDoorQuestion device={device} ask={ask} onClose={close} />}
      {question === 'reboot' && (
        <Ask
          title={t('reboot.ask', { name })}
          yes={t('reboot.button')}
          no={t('shell:cancel')}
          onYes={async () => {
            await ask(() => write('device/reboot', { serialNumber }))
            close()
          }}
          onNo={close}
        >
          {t('reboot.text')}
        </Ask>
      )}
      {question === 'reconcile' && <ReconcileQuestion device={device} ask={ask} onClose={close} />}
      {question === 'reset' && <ResetQuestion device={device} commands={commands} ask={ask} onClose={close} />}
    </div>
  )
}

export function OpenDoorQuestion({ device, ask, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const { serialNumber, name } = device
  return (
    <Ask
      title={t('door.ask', { name })}
      yes={t('door.button')}
      no={t('shell:cancel')}
      onYes={async () => {
        await ask(() => write('device/open', { serialNumber }))
        onClose()
      }}
      onNo={onClose}
    >
      {t('door.text')}
    </Ask>
  )
}

function ReconcileQuestion({ device, ask, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const { serialNumber, name, registeredAt } = device
  const today = formats.today()
  const [from, setFrom] = useState(dayIn(formats.timezone, new Date(registeredAt)))
  return (
    <Ask
      title={t('reconcile.ask', { name })}
      yes={t('reconcile.button')}
      no={t('shell:cancel')}
      waits={from === ''}
      onYes={async () => {
        await ask(() => write('device/reconcile', { serialNumber, from }))
        onClose()
      }}
      onNo={onClose}
    >
      <p>{t('reconcile.text')}</p>
      <DayField label={t('reconcile.from')} value={from} most={today} onText={setFrom} />
    </Ask>
  )
}
