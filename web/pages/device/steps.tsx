import { Check, CircleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useList, useRareRead } from '../../read.ts'
import { type OneDevice, useRefusal } from './words.tsx'

// The way of a terminal from the day it is claimed to its first punch, as it happens.

export interface Step {
  key: 'claimed' | 'connected' | 'approved' | 'people' | 'punch'
  state: 'done' | 'now' | 'later' | 'trouble'
  detail: string
}

type Fact = Omit<Step, 'state'> & { isDone: boolean; isTrouble?: boolean }

/** How far a terminal is. `people` are those who are to be or are on it, as far as that is known. */
export const useSteps = (device: OneDevice) => {
  const { t } = useTranslation('device')
  const formats = useFormats()
  const { serialNumber, state, firstOnlineAt, claimEndsAt, registeredAt } = device
  const people = useRareRead('device/user/grid', { filters: { serialNumber }, size: 1 }).data
  const log = useList('device/log/grid', { serialNumber }, { size: 1 })
  const { count: total = 0, counts } = people ?? {}
  const [open, held] = [counts?.waiting ?? 0, counts?.refused ?? 0]
  const last = log.rows?.[0]
  const isBound = state === 'bound'
  const refusal = useRefusal()(device)
  // What came without a secret is told above, where it can be let in.
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
      isDone: isBound && counts !== undefined && open === 0,
      // One that took nobody at all will not take who comes, either.
      isTrouble: isBound && open === 0 && held > 0 && held === total,
      detail: !isBound
        ? ''
        : open > 0
          ? t('step.sending', { left: formats.number(open), total: formats.number(total) })
          : t(held > 0 ? 'step.refused' : 'step.everybody', { count: held > 0 ? held : total }),
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
    // Nothing is said of steps before it is known how far it is. Whoever is hired later is no step any more.
    isComplete: log.rows === undefined || (isBound && last !== undefined),
    people: people?.count,
  }
}

/** Where a step stands, in front of it; `now` is what is shown while it is being done. */
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
