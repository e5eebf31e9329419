import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useHourWords } from '../../parts/day/hour-words.ts'
import { KindDot } from '../../parts/day/kinds.tsx'
import type { StoredSet } from './draft.ts'

/** The earlier contents of a set, which earlier days still use. */
export function FormerSets({ stored }: { stored: StoredSet }) {
  const { t } = useTranslation('hours')
  const formats = useFormats()
  if (stored.former.length === 0) return null
  return (
    <section className="card hours-scope" aria-label={t('former.title')}>
      <div>
        <h2>{t('former.title')}</h2>
        <p className="muted small">{t('former.text')}</p>
      </div>
      <ol className="former-sets">
        {stored.former.map(period => (
          <li key={period.until}>
            <details>
              <summary>
                {period.since
                  ? t('former.fromTo', { from: formats.day(period.since), to: formats.day(period.until) })
                  : t('former.until', { day: formats.day(period.until) })}
              </summary>
              <RulesInWords set={period} />
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}

function RulesInWords({ set }: { set: Pick<StoredSet, 'kinds' | 'base' | 'extra'> }) {
  const words = useHourWords()
  const nameOf = (code: string) => set.kinds.find(kind => kind.code === code)?.name ?? code
  const lines = [
    ...set.base.map(rule => ({ rule, unless: [] as string[], isExtra: false })),
    ...set.extra.map(rule => ({ rule, unless: rule.unless ?? [], isExtra: true })),
  ]
  return (
    <ul>
      {lines.map(({ rule, unless, isExtra }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: earlier rules never change.
        <li key={at}>
          <KindDot color={set.kinds.find(({ code }) => code === rule.kind)?.color} />
          <span>
            <strong>{nameOf(rule.kind)}</strong>{' '}
            {[words.conditions(rule, isExtra), ...(unless.length > 0 ? [words.unless(unless.map(nameOf))] : [])].join(
              words.join,
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
