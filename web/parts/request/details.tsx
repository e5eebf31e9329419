import { FileText, Paperclip } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { fullName } from '../../person-name.ts'
import { Button } from '../button.tsx'
import { useAmount } from '../day/amount.ts'
import { TextField } from '../field/field.tsx'
import { Form, useForm } from '../field/form.tsx'
import { useUnsaved } from '../say/leaving.tsx'
import { RequestIcon, RequestStatus, useRequestWords } from './words.tsx'

// The details of a request, for the employee and for the approver.

type Details = Omit<PathOutput<'personal/request/get'>, 'mayCancel'>

export function RequestDetails({ request }: { request: Details }) {
  const { t } = useTranslation('request')
  const words = useRequestWords()
  const { total, notes, attachments } = request
  return (
    <>
      <div className="request-head">
        <RequestIcon type={request.type} />
        <div>
          <strong>{words.when(request)}</strong>
          {total && <Total total={total} />}
        </div>
        <RequestStatus status={request.status} />
      </div>
      {notes !== undefined && (
        <section className="request-part">
          <h3>{t('details.notes')}</h3>
          <p className="request-text">{notes}</p>
        </section>
      )}
      {attachments.length > 0 && (
        <section className="request-part">
          <h3>{t('attachment.label')}</h3>
          <ul className="request-files">
            {attachments.map(({ id, name, type, url }) => (
              <li key={id}>
                <a href={url} target="_blank" rel="noreferrer">
                  {type.startsWith('image/') ? (
                    <img src={url} alt="" loading="lazy" />
                  ) : (
                    <FileText className="icon" aria-hidden="true" />
                  )}
                  <span>{name}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Steps request={request} />
    </>
  )
}

function Total({ total }: { total: NonNullable<Details['total']> }) {
  const { t } = useTranslation('request')
  const words = useRequestWords()
  const amount = useAmount()
  return (
    <span className="muted">
      {words.days(total.days)} · {amount(total.minutes, 'leaveMinutes')}
      {total.isEstimated && <span className="small"> · {t('estimated')}</span>}
    </span>
  )
}

/** The history of a request: the person, time and reason of each step. */
function Steps({ request }: { request: Details }) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const { steps, status, createdAt, enteredBy, first_name, last_name } = request
  return (
    <section className="request-part">
      <h3>{t('details.steps')}</h3>
      <ol className="request-steps">
        <li>
          <span>
            {enteredBy === undefined
              ? t('details.asked', { name: fullName({ first_name, last_name }) })
              : t('details.entered', { name: enteredBy })}
          </span>
          <small className="muted figure">{formats.dayAndTime(createdAt)}</small>
        </li>
        {steps.map(({ status, by, onBehalfOf, at, reason }) => (
          <li key={at} className={`status-${status}`}>
            <span>
              {t(`details.step.${status}`, { name: by })}
              {onBehalfOf !== undefined && ` ${t('details.onBehalfOf', { name: onBehalfOf })}`}
            </span>
            <small className="muted figure">{formats.dayAndTime(at)}</small>
            {reason !== undefined && <p className="request-text">{reason}</p>}
          </li>
        ))}
        {status === 0 && (
          <li className="waits">
            <span className="muted">{t('details.waits')}</span>
          </li>
        )}
      </ol>
    </section>
  )
}

/** The comments on a request, and a field to add one. */
export function RequestComments(props: { comments: Details['comments']; onAdd: (text: string) => Promise<void> }) {
  const { t } = useTranslation('request')
  const formats = useFormats()
  const form = useForm({ text: '' })
  useUnsaved(form.isChanged)
  const add = () =>
    form.submit(
      async () => {
        await props.onAdd(form.values.text.trim())
        form.restart({ text: '' })
      },
      { required: ['text'] },
    )
  return (
    <section className="request-part">
      <h3>{t('details.comments')}</h3>
      {props.comments.length === 0 && <p className="muted">{t('details.noComments')}</p>}
      <ol className="request-comments">
        {props.comments.map(({ id, by, isOwn, at, text }) => (
          <li key={id} className={isOwn ? 'own' : undefined}>
            <small className="muted">
              <b>{by}</b> <span className="figure">{formats.dayAndTime(at)}</span>
            </small>
            <p className="request-text">{text}</p>
          </li>
        ))}
      </ol>
      <Form form={form} className="request-comment" onSubmit={() => void add()}>
        <TextField label={t('details.comment')} lines={2} maxLength={500} {...form.text('text')} />
        <Button type="submit" busy={form.busy}>
          {t('details.addComment')}
        </Button>
      </Form>
    </section>
  )
}

/** The number of attachments, for lists that do not show the files. */
export function HasAttachments({ count }: { count: number }) {
  const { t } = useTranslation('request')
  if (count === 0) return null
  return (
    <span className="muted request-count">
      <Paperclip className="icon" aria-hidden="true" />
      <span className="unseen">{t('attachment.label')}: </span>
      {count}
    </span>
  )
}
