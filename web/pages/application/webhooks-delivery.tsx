import { CircleAlert, CircleCheck, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type PathOutput, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { Ago } from '../../parts/day/ago.tsx'
import { Code } from '../../parts/day/code.tsx'
import { useComplaint } from '../../parts/field/form.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { Trouble } from '../../parts/page.tsx'
import { say } from '../../parts/say/toast.tsx'
import { refresh, useRead } from '../../read.ts'
import type { Endpoint } from './webhooks-words.tsx'
import { DeliveryState, isGood, useAnswer, useMoment } from './webhooks-words.tsx'

type Delivery = PathOutput<'webhooks/log/get'>

/** The poll interval of a pending delivery, so that a waiting user does not depend on the live connection. */
const pollMilliseconds = 2000
/** The panel polls only if the next attempt is this near. */
const soonMilliseconds = 15_000

const isUnderWay = ({ state, nextAt }: Delivery) =>
  state === 'due' && nextAt !== undefined && Date.parse(nextAt) - Date.now() < soonMilliseconds

/** A delivery with its body, attempts and responses. The panel polls while an attempt is near. */
export function DeliveryPanel(props: { endpoint: Endpoint; id: string; onClose: () => void }) {
  const { t } = useTranslation('webhooks')
  const complain = useComplaint()
  const { endpoint, id } = props
  const input = { webhook: endpoint.id, delivery: id }
  const { data, error, readAgain } = useRead('webhooks/log/get', input, answer =>
    answer && isUnderWay(answer) ? pollMilliseconds : 0,
  )
  const [busy, setBusy] = useState(false)
  const replay = async () => {
    setBusy(true)
    try {
      await write('webhooks/replay', input)
      say(t('panel.replayed'))
    } catch (error) {
      complain(error)
    }
    refresh(['webhooks/log'])
    setBusy(false)
  }
  return (
    <Panel
      title={data?.type ?? t('log.title')}
      wide
      onClose={props.onClose}
      foot={
        data && (
          <>
            {!endpoint.isOn && <p className="panel-extra muted small">{t('panel.off')}</p>}
            <Button
              icon={<RotateCcw className="icon" aria-hidden="true" />}
              busy={busy}
              disabled={data.state === 'due' || !endpoint.isOn}
              onClick={replay}
            >
              {t('panel.again')}
            </Button>
          </>
        )
      }
    >
      <div className="panel-body delivery" aria-busy={!data && !error}>
        {error && !data ? (
          <Trouble error={error} onRetry={() => void readAgain()} />
        ) : data ? (
          <Details delivery={data} />
        ) : (
          [70, 100, 90, 60].map(width => (
            <span key={width} className="skeleton" style={{ width: `${width}%`, height: 16 }} />
          ))
        )}
      </div>
    </Panel>
  )
}

function Details({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation('webhooks')
  const moment = useMoment()
  const { event, about, toldAt, nextAt, attempts, state, body } = delivery
  return (
    <>
      <dl className="facts">
        <div>
          <dt>{t('panel.state')}</dt>
          <dd>
            <span role="status">
              <DeliveryState delivery={delivery} />
            </span>
          </dd>
        </div>
        {about && (
          <div>
            <dt>{t('log.about')}</dt>
            <dd>{about}</dd>
          </div>
        )}
        <div>
          <dt>{t('panel.told')}</dt>
          <dd className="figure">{moment(toldAt)}</dd>
        </div>
        <div>
          <dt>{t('panel.id')}</dt>
          <dd>
            <code>{event}</code>
          </dd>
        </div>
        {nextAt && attempts.length > 0 && (
          <div>
            <dt>{t('panel.next')}</dt>
            <dd className="figure">
              {moment(nextAt)}{' '}
              <span className="muted">
                <Ago at={nextAt} />
              </span>
            </dd>
          </div>
        )}
      </dl>
      <section className="tries">
        <h3>{t('panel.tries')}</h3>
        {attempts.length === 0 && (
          <p className={state === 'due' ? 'notice under-way' : 'notice'}>
            {state === 'due' && <span className="spinner" aria-hidden="true" />}
            {t(state === 'due' ? 'panel.sending' : 'panel.notSent')}
          </p>
        )}
        {attempts.length > 0 && (
          <ol>
            {attempts
              .map((attempt, index) => <AttemptItem key={attempt.at} attempt={attempt} number={index + 1} />)
              .toReversed()}
          </ol>
        )}
      </section>
      <section>
        <h3>{t('panel.body')}</h3>
        {body === undefined ? (
          <p className="muted">{t('panel.bodyGone')}</p>
        ) : (
          <Code label={t('panel.body')} text={body} />
        )}
      </section>
    </>
  )
}

function AttemptItem({ attempt, number }: { attempt: Delivery['attempts'][number]; number: number }) {
  const { t } = useTranslation('webhooks')
  const formats = useFormats()
  const moment = useMoment()
  const answerOf = useAnswer()
  const { at, milliseconds, answer, status } = attempt
  const isTaken = isGood(attempt)
  const Icon = isTaken ? CircleCheck : CircleAlert
  return (
    <li className={isTaken ? 'is-taken' : undefined}>
      <Icon className="icon" aria-hidden="true" />
      <div>
        <p>
          <strong>{answerOf(attempt)}</strong>
        </p>
        <p className="muted small figure">
          {t('panel.try', { number })} · {moment(at)} · {t('milliseconds', { number: formats.number(milliseconds) })}
        </p>
        {answer && <Code label={t('panel.answerLabel', { number })} text={answer} />}
        {!answer && status !== undefined && <p className="muted small">{t('panel.noAnswer')}</p>}
      </div>
    </li>
  )
}
