import { CalendarOff, CheckCheck, Clock, Ellipsis, EyeOff, UserX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Menu, type MenuEntry } from '../../parts/shell/menu.tsx'
import type { Raised } from './words.ts'

/** What a user can do about a row. */
export type RowDeed = 'fix' | 'time' | 'ignore' | 'leave' | 'absent' | 'review' | 'reopen'

/** Which of the actions the row offers to this user. */
export type Offers = Readonly<Record<Exclude<RowDeed, 'reopen'>, boolean>>

export const offersOf = (
  row: Raised,
  { mayCorrect, mayMark, mayEnter }: { mayCorrect: boolean; mayMark: boolean; mayEnter: boolean },
): Offers => {
  const isOpen = row.state === 'open'
  const canChange = isOpen && !row.isLocked
  const hasPunch = row.firstIn !== undefined || row.lastOut !== undefined
  return {
    fix: canChange && mayCorrect && row.proposal !== undefined,
    time: canChange && mayCorrect,
    ignore: canChange && mayCorrect && hasPunch,
    leave: canChange && mayEnter,
    absent: canChange && mayMark && row.canBeAbsent,
    review: isOpen,
  }
}

const icons = {
  time: <Clock className="icon" />,
  ignore: <EyeOff className="icon" />,
  leave: <CalendarOff className="icon" />,
  absent: <UserX className="icon" />,
  review: <CheckCheck className="icon" />,
}
const order = ['time', 'ignore', 'leave', 'absent', 'review'] as const

/** The further actions of a row. */
export function RowMenu(props: { row: Raised; name: string; offers: Offers; onPick: (deed: RowDeed) => void }) {
  const { t } = useTranslation('exception')
  const { name, offers, onPick } = props
  const offered = order.filter(deed => offers[deed])
  const entries = offered.map(
    (deed): MenuEntry => ({
      ...{ key: deed, text: t(`menu.${deed}`), icon: icons[deed], onPick: () => onPick(deed) },
      divider: deed === 'review' && offered.length > 1,
    }),
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps the events of the menu from the row and the list.
    <span
      onClick={event => event.stopPropagation()}
      onKeyDown={event => {
        // The open menu stands elsewhere in the document and moves by the same keys as the list.
        if (event.target instanceof Node && !event.currentTarget.contains(event.target)) event.stopPropagation()
      }}
    >
      <Menu className="button quiet square" label={t('menu.of', { name })} entries={entries}>
        <Ellipsis className="icon" aria-hidden="true" />
        <span className="unseen">{t('menu.of', { name })}</span>
      </Menu>
    </span>
  )
}
