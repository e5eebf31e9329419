import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { dayIn, useFormats } from '../../format.ts'
import type { RowOf } from '../../read.ts'

// Texts for the state and the result of a delivery.

export type Delivery = RowOf<'webhooks/log/grid'>
export type Attempt = Delivery['attempts'][number]

export const states = ['due', 'done', 'failed'] as const satisfies readonly Delivery['state'][]
export const isState = (word: string): word is Delivery['state'] => states.some(state => state === word)

const tones = { due: 'tag warn', done: 'tag ok', failed: 'tag danger' } as const

export function DeliveryState({ delivery: { state } }: { delivery: Pick<Delivery, 'state'> }) {
  const { t } = useTranslation('webhooks')
  return <span className={tones[state]}>{t(`delivery.${state}`)}</span>
}

const isTaken = (status: number) => status >= 200 && status < 300

/** The text key of the hint beside an HTTP status. */
const hintOf = (status: number) =>
  status === 410
    ? 'gone'
    : status === 401 || status === 403
      ? 'refused'
      : status === 429 || status === 503
        ? 'slower'
        : status >= 500
          ? 'fault'
          : status >= 300 && status < 400
            ? 'redirect'
            : undefined

/** Describes the result of an attempt in a sentence. */
export const useAnswer = () => {
  const { t } = useTranslation('webhooks')
  return useCallback(
    ({ status, error }: Attempt) => {
      if (error) return t(`error.${error}`)
      if (status === undefined) return ''
      const hint = isTaken(status) ? undefined : hintOf(status)
      return [t('answered', { status }), ...(hint ? [t(`answer.${hint}`)] : [])].join(': ')
    },
    [t],
  )
}

export const isGood = ({ status, error }: Attempt) => !error && status !== undefined && isTaken(status)

/** Formats a time with seconds, because the order of deliveries within a minute matters. */
export const useMoment = () => {
  const formats = useFormats()
  return useCallback(
    (at: string) => `${formats.day(dayIn(formats.timezone, new Date(at)))} ${formats.timeWithSeconds(at)}`,
    [formats],
  )
}

export type Endpoint = RowOf<'webhooks/endpoint/grid'>
