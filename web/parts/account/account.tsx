import { TriangleAlert, Undo2 } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { PathOutput } from '../../api.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../button.tsx'
import { useMeasureText } from '../day/amount.ts'
import './account.css'

// The time account of a person: the balance, the ends of the months, and the entries.

export type Account = NonNullable<PathOutput<'personal/account'>['account']>
export type Entry = Account['entries'][number]

/** The most months and entries that a card shows. */
const [mostMonths, briefMonths, mostEntries] = [12, 3, 30]

/** Returns a function that formats minutes in the company's unit, with a sign if the amount is a change. */
export const useSignedAmount = () => {
  const text = useMeasureText()
  return (minutes: number, isChange = false) => (isChange && minutes > 0 ? '+' : '') + text(minutes, 'work')
}

export function AccountCard(props: {
  account: Account
  isBrief?: boolean
  actions?: ReactNode
  onCounter?: ((entry: Entry) => void) | undefined
}) {
  const { t } = useTranslation('time-account')
  const formats = useFormats()
  const amount = useSignedAmount()
  const title = useId()
  const { account, onCounter, isBrief = false } = props
  const { balance, since, months, entries, rule } = account
  return (
    <section className="card time-account" aria-labelledby={title}>
      <header>
        <h2 id={title}>{t('title')}</h2>
        {props.actions}
      </header>
      <p className="time-account-balance">
        <strong className="figure">{amount(balance)}</strong>{' '}
        <span className="muted small">{t('since', { day: formats.day(since) })}</span>
      </p>
      {account.isBelow && rule.least !== undefined && (
        <p className="notice warn">
          <TriangleAlert className="icon" aria-hidden="true" />
          <span>{t('below', { least: amount(rule.least) })}</span>
        </p>
      )}
      {rule.most !== undefined && <p className="muted small">{t(`most.${rule.cut}`, { most: amount(rule.most) })}</p>}
      {months.length > 0 && (
        <>
          <h3>{t('months')}</h3>
          <ul>
            {months.slice(0, isBrief ? briefMonths : mostMonths).map(({ month, balance, cut }) => (
              <li key={month}>
                <span>{formats.month(month)}</span>
                {cut > 0 && <span className="tag warn">{t(`cut.${rule.cut}`, { time: amount(cut) })}</span>}
                <span className="figure">{amount(balance)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {entries.length > 0 && !isBrief && (
        <>
          <h3>{t('entries')}</h3>
          <ul>
            {entries.slice(0, mostEntries).map(entry => (
              <li key={entry.id}>
                <span className="what">
                  <span>
                    {formats.day(entry.day)} · {t(entry.counters ? 'counter.name' : `kind.${entry.kind}`)}
                  </span>
                  <span className="muted small">
                    {entry.reason}
                    {entry.by && ` · ${entry.by}`}
                  </span>
                </span>
                <span className={entry.isCountered ? 'figure countered' : 'figure'}>{amount(entry.minutes, true)}</span>
                {onCounter && !entry.counters && !entry.isCountered && !entry.isLocked && (
                  <Button
                    look="quiet"
                    square
                    icon={<Undo2 className="icon" />}
                    aria-label={t('counter.of', { what: t(`kind.${entry.kind}`), day: formats.day(entry.day) })}
                    title={t('counter.yes')}
                    onClick={() => onCounter(entry)}
                  />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
