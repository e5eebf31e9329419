import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { changesOf, type KnownPeople, type Plan, requestsFor } from '../../parts/board/plan.ts'
import { useMeasureText } from '../../parts/day/amount.ts'

// The working-time checks of the unsaved plan. They warn while the planner paints, and never prevent a save.

type Warning = PathOutput<'schedule/check'>['list'][number]

export interface Warnings {
  list: readonly Warning[]
  count: number
}

const none: Warnings = { list: [], count: 0 }
const pauseMilliseconds = 400
const mostShown = 4

const readWarnings = async (plan: Plan, people: KnownPeople): Promise<Warnings> => {
  const changes = Object.entries(plan).flatMap(([id, own]) => changesOf(id, own, people.get(id)))
  const answers: Warnings[] = []
  for (const { input } of requestsFor(changes)) answers.push(await call('schedule/check', { plan: input }))
  return {
    list: answers.flatMap(({ list }) => list),
    count: answers.reduce((sum, { count }) => sum + count, 0),
  }
}

/** Judges the plan after each pause in painting. */
export const useWarnings = (plan: Plan, people: KnownPeople) => {
  const [judged, setJudged] = useState<{ plan: Plan; warnings: Warnings }>()
  const isEmpty = Object.keys(plan).length === 0
  const judge = useCallback(async () => {
    // A failed check must not block the save.
    const warnings = await readWarnings(plan, people).catch(() => none)
    setJudged({ plan, warnings })
    return warnings
  }, [plan, people])
  useEffect(() => {
    if (isEmpty) return
    const timer = window.setTimeout(() => void judge(), pauseMilliseconds)
    return () => window.clearTimeout(timer)
  }, [isEmpty, judge])
  return {
    warnings: isEmpty || !judged ? none : judged.warnings,
    /** Checks the plan if the page does not show its warnings yet. Returns the new warnings. */
    readUnseen: async (): Promise<Warnings> => (judged?.plan === plan ? none : judge()),
  }
}

export function WarningList({ warnings: { list, count } }: { warnings: Warnings }) {
  const { t } = useTranslation(['schedule', 'shell'])
  const formats = useFormats()
  const text = useMeasureText()
  const more = count - mostShown
  return (
    <>
      <ul>
        {list.slice(0, mostShown).map(({ employee, name, day, check, minutes }) => (
          <li key={`${employee} ${day} ${check}`}>
            {t(`warning.${check}`, {
              ...{ name, day: formats.shortDay(day) },
              time: text(minutes, 'work'),
            })}
          </li>
        ))}
      </ul>
      {more > 0 && <p>{t('conflicts.more', { count: more })}</p>}
    </>
  )
}

/** The warnings about the unsaved plan, below the board. */
export function WarningNotice({ warnings }: { warnings: Warnings }) {
  const { t } = useTranslation('schedule')
  if (warnings.count === 0) return null
  return (
    <section className="notice warn conflicts" aria-label={t('warnings.label')}>
      <div>
        <strong role="status">{t('warnings.title', { count: warnings.count })}</strong>
        <WarningList warnings={warnings} />
      </div>
    </section>
  )
}
