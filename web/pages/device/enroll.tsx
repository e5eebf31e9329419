import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathCall, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField } from '../../parts/field/field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { PersonField } from '../../parts/field/person-field.tsx'
import { PickField } from '../../parts/field/pick-field.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { fullName } from '../../person-name.ts'
import { useList, useRead } from '../../read.ts'
import { StepMark } from './steps.tsx'
import { type Command, isOver, type OneDevice, useResult } from './words.tsx'

export interface Enrolled {
  id: string
  first_name: string
  last_name: string
  workno: string
}

type Kind = PathCall<'device/enroll'>['kind']
const kinds = ['finger', 'face', 'card', 'palm'] as const satisfies readonly Kind[]

/** The poll interval of an enrolment, so that a person at the terminal does not depend on the live connection. */
const pollMilliseconds = 1500

/** Starts an enrolment at the terminal and shows its progress until the server stores the credential. */
export function EnrolPanel(props: { device: OneDevice; person: Enrolled | undefined; onClose: () => void }) {
  const { t } = useTranslation(['device', 'shell'])
  const complain = useComplaint()
  const mayFind = useMayOpen()('/employee')
  const { device, person, onClose } = props
  const { serialNumber } = device
  const [employee, setEmployee] = useState(person?.id)
  const [choice, setChoice] = useState<string>('finger 0')
  const [commandId, setCommandId] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const pick = (picked: string | undefined) => {
    setEmployee(picked)
    setMissing(false)
  }
  const { data } = useRead(
    'device/command/grid',
    commandId ? { filters: { serialNumber } } : null,
    () => pollMilliseconds,
  )
  const progress = commandId ? progressOf(data?.list ?? [], commandId) : undefined
  const isUnderWay = progress !== undefined && !progress.isOver
  const [kindName, sign] = choice.split(' ')
  const kind = kinds.find(name => name === kindName) ?? 'finger'
  // The picture of a face or palm is too large for a terminal to send, so the server stores none.
  const isKept = kind === 'card' || (kind === 'finger' && device.storesTemplates)
  const begin = async () => {
    if (!employee) return setMissing(true)
    setBusy(true)
    try {
      const { command } = await write('device/enroll', {
        serialNumber,
        employee,
        kind,
        sign: sign === '1' ? 1 : 0,
      })
      setCommandId(command)
    } catch (error) {
      complain(error)
    }
    setBusy(false)
  }
  return (
    <Panel
      title={t('enroll.title', { name: device.name })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('shell:close')}</Button>
          <Button look="primary" busy={busy} disabled={isUnderWay} onClick={begin}>
            {t(progress?.isOver ? 'enroll.again' : 'enroll.begin')}
          </Button>
        </>
      }
    >
      <div className="panel-body enroll">
        {!device.online && !isUnderWay && <p className="notice warn">{t('enroll.offline')}</p>}
        <p className="muted">{t('enroll.text')}</p>
        {mayFind ? (
          <PersonField
            label={t('enroll.person')}
            value={employee}
            known={person}
            nobody={t('enroll.find')}
            onPick={pick}
            isMissing={isMissing}
          />
        ) : (
          <RosterField serialNumber={serialNumber} value={employee ?? ''} onPick={pick} isMissing={isMissing} />
        )}
        <SelectField
          label={t('enroll.kind')}
          value={choice}
          disabled={isUnderWay}
          onText={setChoice}
          options={[
            ['finger 0', t('part.finger', { number: 1 })],
            ['finger 1', t('part.finger', { number: 2 })],
            // An ADMS terminal accepts only finger enrolments.
            ...(device.protocol === 'adms'
              ? []
              : (['face', 'card', 'palm'] as const).map(name => [name, t(`part.${name}`)] as const)),
          ]}
        />
        {progress && <Progress progress={progress} device={device} isKept={isKept} />}
      </div>
    </Panel>
  )
}

/** For a manager without permission to search employees: picks one of the terminal's users. */
function RosterField(props: {
  serialNumber: string
  value: string
  onPick: (employee: string | undefined) => void
  isMissing: boolean
}) {
  const { t } = useTranslation(['device', 'shell'])
  const { rows } = useList('device/user/grid', { serialNumber: props.serialNumber }, { size: 200 })
  return (
    <PickField
      label={t('enroll.person')}
      placeholder={t('enroll.find')}
      value={props.value}
      error={props.isMissing ? t('shell:choice.employee') : undefined}
      onText={value => props.onPick(value || undefined)}
      options={(rows ?? []).map(
        ({ employee, first_name, last_name, workno }) =>
          [employee, `${fullName({ first_name, last_name })} · ${workno}`] as const,
      )}
    />
  )
}

const stages = ['asked', 'shown', 'kept'] as const
interface Progress {
  /** The current stage of the enrolment and its command. */
  stage: (typeof stages)[number] | 'done'
  command: Command | undefined
  isOver: boolean
}

/** The commands of an enrolment in order: start it, poll its status, then fetch the credential or check for it. */
const chain = [['adduser'], ['checkregstatus'], ['getuserinfo', 'getuserlist']] as const

const progressOf = (commands: readonly Command[], commandId: string): Progress => {
  const first = commands.find(({ id }) => id === commandId)
  if (!first) return { stage: 'asked', command: undefined, isOver: false }
  // The earliest of the later commands for the same person and credential.
  const later = [...commands].reverse()
  for (const [index, names] of chain.entries()) {
    const command =
      index === 0
        ? first
        : later.find(
            candidate =>
              names.some(cmd => cmd === candidate.cmd) &&
              candidate.id > commandId &&
              candidate.subject === first.subject &&
              candidate.backupnum === first.backupnum,
          )
    const stage = stages[index] ?? 'kept'
    if (!command) return { stage, command: undefined, isOver: false }
    if (command.state !== 'done') return { stage, command, isOver: isOver(command) }
  }
  return { stage: 'done', command: undefined, isOver: true }
}

/** The time in which a terminal should answer, in seconds. */
const answerSeconds = 60

/** Counts down the answer time, then reports that the terminal is silent. Reports an offline terminal at once. */
function Countdown({ isAway }: { isAway: boolean }) {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const [left, setLeft] = useState(answerSeconds)
  const isOver = left === 0 || isAway
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setLeft(left => left - 1), 1000)
    return () => clearInterval(timer)
  }, [isOver])
  if (isOver) return <span className="small">{t('enroll.silent')}</span>
  // Screen readers would announce every second, so the countdown is hidden from them.
  return (
    <span className="muted small figure" aria-hidden="true">
      {formats.seconds(left)}
    </span>
  )
}

function Progress(props: { progress: Progress; device: OneDevice; isKept: boolean }) {
  const { stage, command, isOver } = props.progress
  const { t } = useTranslation('device')
  const resultOf = useResult(props.device)
  const at = stage === 'done' ? stages.length : stages.indexOf(stage)
  return (
    <div role="status">
      <ol className="device-steps is-tall" aria-label={t('enroll.progress')}>
        {stages.map((name, index) => {
          const state = index < at ? 'done' : index > at ? 'later' : isOver ? 'trouble' : 'now'
          return (
            <li key={name} className={`is-${state}`}>
              <StepMark state={state} number={index + 1} now="spinner" />
              <span>
                <strong>{t(`enroll.stage.${name}.${state === 'done' ? 'done' : 'open'}`)}</strong>
                {state === 'now' && <Countdown key={name} isAway={!props.device.online} />}
                {state === 'trouble' && command && <span className="error-line small">{resultOf(command)}</span>}
              </span>
            </li>
          )
        })}
      </ol>
      {stage === 'done' && <p className="notice ok">{t(props.isKept ? 'enroll.done' : 'enroll.onlyHere')}</p>}
    </div>
  )
}
