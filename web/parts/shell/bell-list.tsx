import { Callout, DirectionalHint, FocusTrapZone } from '@fluentui/react'
import {
  CalendarCheck,
  Check,
  CircleX,
  FileWarning,
  Inbox,
  type LucideIcon,
  MailX,
  MessageSquareText,
  PencilLine,
  TimerOff,
  Undo2,
  UserRoundPen,
  UserX,
} from 'lucide-react'
import { type RefObject, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { daysText, sentenceOf } from '../../../shared/notice/sentence.ts'
import { call, write } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { type RowOf, refresh, useList } from '../../read.ts'
import { usePerson, useSession } from '../../session.tsx'
import { Button } from '../button.tsx'
import { Ago } from '../day/ago.tsx'
import { useComplaint } from '../field/form.tsx'
import { useShownName } from '../list/person-name.tsx'
import { usePageNavigate } from './router.ts'

type Notice = RowOf<'notice/grid'>

const icons: Record<ReturnType<typeof sentenceOf>, LucideIcon> = {
  asked: Inbox,
  entered: UserRoundPen,
  approved: Check,
  declined: CircleX,
  withdrawn: CircleX,
  cancelled: Undo2,
  commented: MessageSquareText,
  forgotten: TimerOff,
  corrected: PencilLine,
  decided: PencilLine,
  proposed: PencilLine,
  agreed: Check,
  objected: CircleX,
  explained: MessageSquareText,
  absent: UserX,
  held: FileWarning,
  mailingFailed: MailX,
  published: CalendarCheck,
}

/** The person's notices, newest first. A press on a notice opens its page, even on the other side of the site. */
export default function BellList(props: {
  target: RefObject<HTMLButtonElement | null>
  count: number
  onClose: () => void
}) {
  const { t } = useTranslation(['notice', 'shell'])
  const title = useId()
  const { target, count, onClose } = props
  const { rows, hasMore, more } = useList('notice/grid', {}, { size: 20 })
  const complain = useComplaint()
  const navigate = usePageNavigate()
  const { type } = usePerson()
  const { moveTo } = useSession()

  const read = (input: { ids?: string[] }) =>
    write('notice/read', input)
      .then(() => refresh(['notice/']))
      .catch(complain)
  const open = async ({ id, isUnread, side, address }: Notice) => {
    onClose()
    if (isUnread) await read({ ids: [id] })
    if (side === type) return navigate(address)
    try {
      const { token } = await call(side === 'user' ? 'personal/login/switch' : 'user/login/switch', {})
      moveTo(token, address)
    } catch (error) {
      complain(error)
    }
  }
  return (
    <Callout
      target={target}
      onDismiss={onClose}
      directionalHint={DirectionalHint.bottomRightEdge}
      gapSpace={8}
      isBeakVisible={false}
      setInitialFocus
      role="dialog"
      ariaLabelledBy={title}
      className="bell-list"
    >
      <FocusTrapZone forceFocusInsideTrap={false} isClickableOutsideFocusTrap>
        <div className="bell-head">
          <h2 id={title}>{t('title')}</h2>
          {count > 0 && (
            <Button look="quiet" onClick={() => read({})}>
              {t('readAll')}
            </Button>
          )}
        </div>
        {rows?.length === 0 && <p className="muted bell-none">{t('empty')}</p>}
        {rows === undefined && <p className="muted bell-none">{t('shell:loading')}</p>}
        <ol>
          {rows?.map(notice => (
            <li key={notice.id}>
              <Line notice={notice} onOpen={() => void open(notice)} />
            </li>
          ))}
        </ol>
        {hasMore && (
          <Button look="quiet" onClick={more}>
            {t('older')}
          </Button>
        )}
      </FocusTrapZone>
    </Callout>
  )
}

function Line({ notice, onOpen }: { notice: Notice; onOpen: () => void }) {
  const { t } = useTranslation(['notice', 'leave'])
  const formats = useFormats()
  const shown = useShownName()
  const { at, date, toDate, days: named, name, type, leaveType, isUnread } = notice
  const sentence = sentenceOf(notice)
  const Icon = icons[sentence]
  const days = daysText({ day: date, toDay: toDate, ...(named && { days: named }) }, formats.day)
  const kind = leaveType === undefined ? type && t(`type.${type}`) : t(`leave:type.${leaveType as 1}`)
  const what = kind === undefined ? days : `${kind}, ${days}`
  return (
    <button type="button" className={isUnread ? 'bell-line is-unread' : 'bell-line'} onClick={onOpen}>
      <Icon className="icon" aria-hidden="true" />
      <span>
        {t(`say.${sentence}`, { name: shown(name), days, what })}
        <small className="muted">
          <Ago at={at} />
          {isUnread && <span className="unseen"> ({t('unread')})</span>}
        </small>
      </span>
    </button>
  )
}
