import { Fingerprint, TreePalm } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useMayCorrect } from '../../parts/day/correct.tsx'
import { FirstForm } from '../../parts/day/first-form.ts'
import { useDepartments } from '../../parts/list/departments.ts'
import { useMayEnter } from '../../parts/request/may-enter.ts'
import { Avatar } from '../../parts/shell/avatar.tsx'
import { usePersonWords } from '../dashboard/who-row.tsx'
import { PersonMenu } from './menu.tsx'
import type { Got } from './tabs.ts'

const DayPanel = lazy(async () => ({ default: (await import('../../parts/day/explain.tsx')).DayPanel }))
const BehalfPanel = lazy(async () => ({ default: (await import('../../parts/request/behalf.tsx')).BehalfPanel }))

const leaveOnly = ['leave'] as const
const tones = { in: 'tag ok', missing: 'tag', leave: 'tag info', finished: 'tag' } as const

/** The state now, by the words of the dashboard. */
function StateNow({ now }: { now: NonNullable<Got['now']> }) {
  const { t } = useTranslation('dashboard')
  const words = usePersonWords()
  const mark = words.mark(now)
  const parts = [words.since(now), words.place(now)].filter(Boolean).join(' · ')
  // On leave, the time would repeat the state.
  const state = now.state === 'leave' ? parts : `${t(`who.list.${now.state}`)} ${parts}`
  return (
    <>
      <span className={tones[now.state]}>{state}</span>
      {mark && <span className={mark.tone}>{mark.text}</span>}
    </>
  )
}

/** The photo, the name with the state now, the facts, and the actions. */
export function PersonHead(props: { person: Got; name: string; version: number; onDone: () => void }) {
  const { t } = useTranslation(['person', 'employee'])
  const formats = useFormats()
  const { person, name } = props
  const { now, isFormer, workno, department, position, hireDay, endDay } = person
  const { nameOf } = useDepartments()
  const mayCorrect = useMayCorrect()(person.id) && !isFormer
  const mayEnter = useMayEnter()(person.id) && !isFormer
  const [adding, setAdding] = useState<'punch' | 'leave'>()
  const close = () => setAdding(undefined)
  const facts = [
    position,
    nameOf(department),
    t('employeeId', { workno }),
    hireDay && t('hired', { day: formats.day(hireDay) }),
    endDay && t(isFormer ? 'left' : 'leaves', { day: formats.day(endDay) }),
  ].filter(Boolean)
  return (
    <header className="person-head">
      <Avatar person={person} photo={person.photo} />
      <div className="person-who">
        <div className="person-name">
          <h1>{name}</h1>
          {now ? <StateNow now={now} /> : !isFormer && <span className="tag">{t('noState')}</span>}
        </div>
        <ul className="person-facts">
          {facts.map(fact => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </div>
      <div className="person-actions">
        {mayCorrect && (
          <Button icon={<Fingerprint className="icon" aria-hidden="true" />} onClick={() => setAdding('punch')}>
            {t('addPunch')}
          </Button>
        )}
        {mayEnter && (
          <Button icon={<TreePalm className="icon" aria-hidden="true" />} onClick={() => setAdding('leave')}>
            {t('addLeave')}
          </Button>
        )}
        <PersonMenu person={person} name={name} version={props.version} onDone={props.onDone} />
      </div>
      {/* The code of a panel loads when it first opens. The page stays visible meanwhile. */}
      <Suspense>
        {adding === 'punch' && (
          <FirstForm value={{ action: 'add', shift: now?.shift }}>
            <DayPanel day={now?.day ?? formats.today()} employee={person.id} onClose={close} />
          </FirstForm>
        )}
        {adding === 'leave' && <BehalfPanel people={[person]} kinds={leaveOnly} onClose={close} />}
      </Suspense>
    </header>
  )
}
