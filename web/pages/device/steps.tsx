import { Check, CircleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useList, useRareRead } from '../../read.ts'
import { type OneDevice, useRefusal } from './words.tsx'

// The steps of a terminal from its claim to its first punch.

export interface Step {
  key: 'claimed' | 'connected' | 'approved' | 'people' | 'punch'
  state: 'done' | 'now' | 'later' | 'trouble'
  detail: string
}

type Fact = Omit<Step, 'state'> & { isDone: boolean; isTrouble?: boolean }

/** The progress of a terminal. `people` counts its present and pending users; undefined until loaded. */
export const useSteps = (device: OneDevice) => {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const { serialNumber, state, firstOnlineAt, claimEndsAt, registeredAt } = device
  const people = useRareRead('device/user/grid', { filters: { serialNumber }, size: 1 }).data
  const log = useList('device/log/grid', { serialNumber }, { size: 1 })
  const { count: total = 0, counts } = people ?? {}
  const [waiting, refused] = [counts?.waiting ?? 0, counts?.refused ?? 0]
  const last = log.rows?.[0]
  const isBound = state === 'bound'
  const refusal = useRefusal()(device)
  // The page already shows a notice about an attempt without a secret, with a button to approve it.
  const trouble = refusal && device.refused?.bare ? formats.dayAndTime(device.refused.at) : refusal
  const isClosed = claimEndsAt !== undefined && Date.parse(claimEndsAt) < Date.now()
  const facts: Fact[] = [
    { key: 'claimed', isDone: true, detail: formats.dayAndTime(registeredAt) },
    {
      key: 'connected',
      isDone: state !== 'claimed',
      isTrouble: isClosed || (state === 'claimed' && trouble !== undefined),
      detail: isClosed
        ? t('step.closed')
        : state === 'claimed' && trouble !== undefined
          ? trouble
          : claimEndsAt
            ? t('step.until', { at: formats.dayAndTime(claimEndsAt) })
            : firstOnlineAt
              ? formats.dayAndTime(firstOnlineAt)
              : '',
    },
    {
      key: 'approved',
      isDone: isBound,
      isTrouble: state === 'needs approval',
      detail: state === 'needs approval' ? t('state.needs approval') : isBound ? (device.model ?? '') : '',
    },
    {
      key: 'people',
      isDone: isBound && counts !== undefined && waiting === 0,
      // A terminal that refused every user will also refuse further users.
      isTrouble: isBound && waiting === 0 && refused > 0 && refused === total,
      detail: !isBound
        ? ''
        : waiting > 0
          ? t('step.sending', { left: formats.number(waiting), total: formats.number(total) })
          : t(refused > 0 ? 'step.refused' : 'step.everybody', { count: refused > 0 ? refused : total }),
    },
    { key: 'punch', isDone: last !== undefined, detail: last ? formats.dayAndTime(last.at, last.timezone) : '' },
  ]
  const first = facts.findIndex(({ isDone }) => !isDone)
  const list = facts.map(
    ({ isDone, isTrouble, ...fact }, i): Step => ({
      ...fact,
      state: isTrouble ? 'trouble' : isDone ? 'done' : i === first ? 'now' : 'later',
    }),
  )
  return {
    list,
    // Hides the steps until the page has loaded the log. Users that join later do not bring the steps back.
    isComplete: log.rows === undefined || (isBound && last !== undefined),
    people: people?.count,
  }
}

/** The mark in front of a step. `now` selects the mark of the current step. */
export function StepMark({ state, number, now }: { state: Step['state']; number: number; now: 'dot' | 'spinner' }) {
  return (
    <span className="step-mark" aria-hidden="true">
      {state === 'done' ? (
        <Check className="icon" />
      ) : state === 'trouble' ? (
        <CircleAlert className="icon" />
      ) : state === 'now' ? (
        <span className={now} />
      ) : (
        number
      )}
    </span>
  )
}

export function DeviceSteps({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation('device')
  return (
    <ol className="device-steps" aria-label={t('step.label')}>
      {steps.map(({ key, state, detail }, index) => (
        <li key={key} className={`is-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
          <StepMark state={state} number={index + 1} now="dot" />
          <span>
            <strong>{t(`step.${key}.${state === 'done' ? 'done' : 'open'}`)}</strong>
            <span className="unseen"> ({t(`step.state.${state}`)})</span>
            {detail && <span className="muted small figure">{detail}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
