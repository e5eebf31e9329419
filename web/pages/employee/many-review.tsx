import { CircleAlert, CircleCheck, Equal } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFault } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { useSentence } from '../../parts/field/form.tsx'
import { Panel } from '../../parts/list/panel.tsx'
import { useUnsaved } from '../../parts/say/leaving.tsx'
import { Bar } from '../../parts/say/progress.tsx'
import { fullName } from '../../person-name.ts'
import type { Employee } from './form.ts'
import { type Change, type Outcome, useManyRun } from './many-run.ts'

/** The most names in a list, so that a panel of thousands of people stays short. */
const mostNames = 100

interface Props {
  people: readonly Employee[]
  change: Change
  /** The results of the dry run. */
  checked: readonly Outcome[]
  onBack: () => void
  onSaved: () => void
  onClose: (isDone: boolean) => void
}

/** Shows the effects of the change, then the result for each person. */
export function ManyReview({ people, change, checked, onBack, onSaved, onClose }: Props) {
  const { t } = useTranslation(['employee', 'shell'])
  const sentence = useSentence()
  const due = useMemo(() => checked.filter(({ result }) => result === 'changed'), [checked])
  const run = useManyRun(due.map(({ id }) => id))
  const [state, setState] = useState<'asking' | 'saving' | 'stopped' | 'done'>('asking')
  const [error, setError] = useState<string>()
  useUnsaved(state === 'saving' || state === 'stopped')
  const save = async () => {
    setState('saving')
    setError(undefined)
    const removesDays = due.flatMap(({ id, removed }) => (removed ? [{ id, days: removed.days }] : []))
    try {
      const all = await run.go({ change, dryRun: false, removesDays }, run.outcomes)
      setState(all.length < due.length ? 'stopped' : 'done')
    } catch (problem) {
      if (!isFault(problem)) throw problem
      setError(sentence(problem.code, problem.about))
      setState('stopped')
    } finally {
      onSaved()
    }
  }
  const isAsking = state === 'asking'
  const saved = run.outcomes
  const changed = isAsking ? due : saved.filter(({ result }) => result === 'changed')
  const same = [...checked, ...saved].filter(({ result }) => result === 'same')
  const refused = [...checked, ...saved].filter(({ result }) => result === 'refused')
  const close = () => onClose(state !== 'asking')
  return (
    <Panel
      title={
        !isAsking
          ? t('many.title', { count: people.length })
          : due.length === 0
            ? t('many.none')
            : t('many.ask', { count: due.length })
      }
      onClose={state === 'saving' ? run.stop : close}
      foot={
        isAsking ? (
          <>
            <Button onClick={onBack}>{t('many.back')}</Button>
            {due.length > 0 && (
              <Button look="primary" onClick={save}>
                {t('many.yes', { count: due.length })}
              </Button>
            )}
          </>
        ) : state === 'saving' ? (
          <Button onClick={run.stop}>{t('many.stop')}</Button>
        ) : (
          <>
            {state === 'stopped' && (
              <Button look="primary" onClick={save}>
                {t('many.continue')}
              </Button>
            )}
            <Button look={state === 'done' ? 'primary' : undefined} onClick={close}>
              {t('shell:close')}
            </Button>
          </>
        )
      }
    >
      <div className="panel-body">
        {state === 'saving' && <Bar label={t('many.saving')} part={saved.length / due.length} />}
        {state === 'stopped' && (
          <p className="notice warn" role="alert">
            {error && `${error} `}
            {t('many.stopped', { count: due.length - saved.length })}
          </p>
        )}
        <div role="status">
          <ul className="many-counts">
            <li>
              <CircleCheck className="icon is-fine" aria-hidden="true" />
              {t(isAsking ? 'many.will' : 'many.did', { count: changed.length })}
            </li>
            {same.length > 0 && (
              <li>
                <Equal className="icon" aria-hidden="true" />
                {t('many.same', { count: same.length })}
              </li>
            )}
            {refused.length > 0 && (
              <li>
                <CircleAlert className="icon is-wrong" aria-hidden="true" />
                {t(isAsking ? 'many.cannot' : 'many.refused', { count: refused.length })}
              </li>
            )}
          </ul>
        </div>
        <Consequences {...{ people, isAsking }} outcomes={changed} />
        {refused.length > 0 && <Refused {...{ people, refused }} />}
      </div>
    </Panel>
  )
}

/** The consequences that the user should know before the change, and act on after it. */
function Consequences(props: { people: readonly Employee[]; outcomes: readonly Outcome[]; isAsking: boolean }) {
  const { t } = useTranslation('employee')
  const nameOf = useNames(props.people)
  const removing = props.outcomes.flatMap(({ id, removed }) => (removed ? [{ id, removed }] : []))
  const days = removing.reduce((sum, { removed }) => sum + removed.days, 0)
  const mustJoin = props.outcomes.filter(outcome => outcome.mustJoin)
  const namesOf = (list: readonly { id: string }[]) => {
    const names = list.slice(0, 5).map(({ id }) => nameOf(id))
    return [names.join(', '), ...(list.length > 5 ? [t('others', { count: list.length - 5 })] : [])].join(' ')
  }
  return (
    <>
      {props.isAsking && removing.length > 0 && (
        <p className="notice warn">
          {t('many.removedDays', { count: days, names: namesOf(removing) })} {t('removedDays.rehire')}
        </p>
      )}
      {mustJoin.length > 0 && (
        <p className="notice warn">
          {t(props.isAsking ? 'many.losesSignIn' : 'many.lostSignIn', {
            count: mustJoin.length,
            names: namesOf(mustJoin),
          })}
        </p>
      )}
    </>
  )
}

const useNames = (people: readonly Employee[]) => {
  const names = useMemo(() => new Map(people.map(person => [person.id, fullName(person)])), [people])
  return (id: string) => names.get(id) ?? ''
}

const labelled = ['department', 'hireDay', 'endDay'] as const

function Refused({ people, refused }: { people: readonly Employee[]; refused: readonly Outcome[] }) {
  const { t } = useTranslation('employee')
  const sentence = useSentence()
  const nameOf = useNames(people)
  const reasonOf = ({ code = 60011, field }: Outcome) => {
    if (code === 10002 && field === 'endDay') return t('many.endsBeforeHire')
    const name = labelled.find(name => name === field)
    return name ? `${t(name)}: ${sentence(code)}` : sentence(code)
  }
  return (
    <section aria-label={t('many.refusedLabel')}>
      <ul className="many-refused">
        {refused.slice(0, mostNames).map(outcome => (
          <li key={outcome.id}>
            <strong>{nameOf(outcome.id)}</strong>
            <span className="muted small">{reasonOf(outcome)}</span>
          </li>
        ))}
      </ul>
      {refused.length > mostNames && (
        <p className="muted small">{t('others', { count: refused.length - mostNames })}</p>
      )}
    </section>
  )
}
