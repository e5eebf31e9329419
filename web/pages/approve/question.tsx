import { type MouseEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault, isUnanswered, type PathOutput, write } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { useRequestWords } from '../../parts/request/words.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { say } from '../../parts/say/toast.tsx'
import { fullName } from '../../person-name.ts'

// Confirms a decision about one or many requests.

type ApprovalRequest = PathOutput<'approve/grid'>['list'][number]

export const decisions = ['approve', 'decline', 'cancel'] as const
export type Decision = (typeof decisions)[number]
const statusOf = { approve: 1, decline: 2, cancel: 3 } as const

export const mayBe = ({ moves }: Pick<ApprovalRequest, 'moves'>, decision: Decision) =>
  moves.includes(statusOf[decision])

/** A button for each decision about a request. `name` tells the requests of a list apart. */
export function Moves<Row extends Pick<ApprovalRequest, 'moves'>>(props: {
  row: Row
  name: string
  onPress: (event: MouseEvent, decision: Decision, row: Row) => void
}) {
  const { t } = useTranslation('approve')
  const { row, name, onPress } = props
  return (
    <span className="work-moves">
      {decisions
        .filter(decision => mayBe(row, decision))
        .map(decision => (
          <Button
            key={decision}
            look="quiet"
            aria-label={t(`${decision}Of`, { name })}
            onClick={event => onPress(event, decision, row)}
          >
            {t(decision)}
          </Button>
        ))}
    </span>
  )
}

/** The server accepts at most this many requests per call. */
const mostAtOnce = 30
/** The dialog names at most this many requests. */
const mostNamed = 5

export function DecisionQuestion(props: {
  decision: Decision
  requests: readonly ApprovalRequest[]
  /** `isDone`: the list may have changed. */
  onEnd: (isDone: boolean) => void
}) {
  const { t } = useTranslation(['approve', 'shell'])
  const words = useRequestWords()
  const shownName = useShownName()
  const complain = useComplaint()
  const [reason, setReason] = useState('')
  const { decision, onEnd } = props
  // The dialog keeps its requests even if the list behind it changes.
  const [requests] = useState(props.requests)
  /** The number of decided requests. If a batch gets no answer, the next try continues here. */
  const decided = useRef(0)
  const decide = async () => {
    const text = reason.trim()
    try {
      while (decided.current < requests.length) {
        const part = requests.slice(decided.current, decided.current + mostAtOnce)
        await write('approve/update', {
          requests: part.map(({ employee, id }) => ({ employee, id })),
          status: statusOf[decision],
          ...(text && { reason: text }),
        })
        decided.current += part.length
      }
    } catch (error) {
      // The dialog stays open with the entered reason, so that the manager can retry.
      const isConflict = isFault(error) && error.code === 60006 && decision !== 'approve'
      const isRetryable = isConflict || (isFault(error) && error.fields.reason !== undefined)
      if (isUnanswered(error) || isRetryable) throw error
      complain(error)
    }
    if (decided.current > 0) say(t(`done.${decision}`, { count: decided.current }))
    // The list then also shows what other managers decided meanwhile.
    onEnd(true)
  }
  const more = requests.length - mostNamed
  const needsSecond = decision === 'approve' && requests.some(request => request.needsSecond)
  return (
    <Ask
      title={t(`ask.${decision}`, { count: requests.length })}
      yes={t(decision)}
      no={t('ask.no')}
      danger={decision !== 'approve'}
      onYes={decide}
      onNo={() => onEnd(decided.current > 0)}
    >
      <ul className="asked-names">
        {requests.slice(0, mostNamed).map(request => (
          <li key={`${request.employee} ${request.id}`}>
            <strong>{shownName(fullName(request))}</strong> {words.what(request)}, {words.when(request)}
          </li>
        ))}
        {more > 0 && <li className="muted">{t('ask.more', { count: more })}</li>}
      </ul>
      <p>{t(needsSecond ? 'ask.secondText' : `ask.${decision}Text`)}</p>
      {decision !== 'approve' && (
        <TextField
          label={t('ask.reason')}
          hint={t('ask.reasonHint')}
          optional
          value={reason}
          onText={setReason}
          maxLength={500}
          lines={3}
        />
      )}
    </Ask>
  )
}
