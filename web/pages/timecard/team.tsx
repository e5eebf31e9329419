import { Users } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Avatar } from '../../parts/shell/avatar.tsx'
import { fullName } from '../../person-name.ts'
import { useRead } from '../../read.ts'
import './team.css'

// The colleagues on leave in the next two weeks. A company that does not share absences has no such card.

type Team = PathOutput<'personal/team'>
type Away = Team['list'][number]

/** The most colleagues that the card first shows. */
const shownColleagues = 6

export function OwnTeam() {
  const { t } = useTranslation('personal')
  const [isWhole, setWhole] = useState(false)
  const { data: team } = useRead('personal/team', {})
  if (!team?.isAllowed) return null
  const shown = isWhole ? team.list : team.list.slice(0, shownColleagues)
  const isToday = ({ date }: Away) => date <= team.from
  const groups = [
    ['today', shown.filter(isToday)],
    ['soon', shown.filter(away => !isToday(away))],
  ] as const
  const hidden = team.list.length - shown.length
  return (
    <section className="card own-team">
      <h2>{t('team.title')}</h2>
      {team.list.length === 0 && (
        <p className="muted own-team-none">
          <Users className="icon" aria-hidden="true" /> {t('team.none')}
        </p>
      )}
      {groups.map(
        ([name, list]) =>
          list.length > 0 && (
            <div key={name}>
              <h3>{t(`team.${name}`)}</h3>
              <ul>
                {list.map((away, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the answer has no ids, and two colleagues may share a name.
                  <Colleague key={i} away={away} today={team.from} />
                ))}
              </ul>
            </div>
          ),
      )}
      {hidden > 0 && <Button onClick={() => setWhole(true)}>{t('team.more', { count: hidden })}</Button>}
    </section>
  )
}

function Colleague({ away, today }: { away: Away; today: string }) {
  const { t } = useTranslation('personal')
  const formats = useFormats()
  const shownName = useShownName()
  const { date, toDate, isPartDay } = away
  const days = () => {
    if (date === toDate) return formats.shortDay(date)
    if (date <= today) return t('team.until', { day: formats.shortDay(toDate) })
    return `${formats.shortDay(date)} – ${formats.shortDay(toDate)}`
  }
  return (
    <li>
      <Avatar person={away} />
      <strong>{shownName(fullName(away))}</strong>
      <span className="muted">
        {days()}
        {isPartDay && ` · ${t('team.part')}`}
      </span>
    </li>
  )
}
