import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../../shared/permissions.ts'
import { type PathOutput, write } from '../../api.ts'
import { dayIn, useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field/field.tsx'
import { useForm } from '../../parts/field/form.tsx'
import { FormPanel, Panel } from '../../parts/list/panel.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Trouble } from '../../parts/page.tsx'
import { CarriedEnd } from '../../parts/request/carried-end.tsx'
import { say } from '../../parts/say/toast.tsx'
import { Splash } from '../../parts/shell/splash.tsx'
import { fullName } from '../../person-name.ts'
import { type RowOf, refresh, useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { daysOf, isHalfDays } from './days.ts'

// The leave of an employee in a year: the balance of each type with its parts, and its leaves.

type LeaveAccount = PathOutput<'leave/balance/get'>
type Leave = LeaveAccount['list'][number]

const [yearsBack, yearsAhead] = [3, 1]
/** The years to choose from. */
export const leaveYears = (thisYear: number) =>
  Array.from({ length: yearsBack + yearsAhead + 1 }, (_, i) => thisYear - yearsBack + i)

/** Whether a type has a limit, or the person takes leave of it. */
export const isWorthShowing = ({ limit, usedDays, plannedDays }: Balance) =>
  limit !== undefined || usedDays + plannedDays > 0

export function LeavePanel({ employee, year, onClose }: { employee: string; year: number; onClose: () => void }) {
  const { t } = useTranslation(['leave', 'shell'])
  const formats = useFormats()
  const shownName = useShownName()
  const { data, error, readAgain } = useRead('leave/balance/get', { employee, year })
  const [edited, setEdited] = useState<Balance>()
  if (!data)
    return (
      <Panel title={t('title')} wide onClose={onClose}>
        {error ? <Trouble error={error} onRetry={() => readAgain()} /> : <Splash inside />}
      </Panel>
    )
  if (edited)
    return (
      <OwnForm
        told={data}
        balance={edited}
        onClose={() => setEdited(undefined)}
        onSaved={async () => {
          await readAgain()
          setEdited(undefined)
        }}
      />
    )
  const { balances, list, hireDay, endDay } = data
  const name = shownName(fullName(data))
  const shown = balances.filter(isWorthShowing)
  return (
    <Panel title={t('panel.title', { name, year: formats.leaveYear(year) })} wide onClose={onClose}>
      <div className="panel-body leave-panel">
        {(hireDay || endDay) && (
          <p className="muted">
            {hireDay && `${t('panel.hired')}: ${formats.day(hireDay)}`}
            {hireDay && endDay && ' · '}
            {endDay && `${t('panel.ended')}: ${formats.day(endDay)}`}
          </p>
        )}
        {shown.map(balance => (
          <BalanceCard key={balance.leaveType} told={data} balance={balance} onEdit={() => setEdited(balance)} />
        ))}
        <section>
          <h3>{t('panel.leaves', { year: formats.leaveYear(year) })}</h3>
          {list.length === 0 && <p className="muted">{t('panel.none')}</p>}
          <ul className="leave-list">
            {list.map(leave => (
              <LeaveLine key={leave.id} leave={leave} />
            ))}
          </ul>
        </section>
      </div>
    </Panel>
  )
}

const parts = ['entitled', 'carried', 'used', 'planned', 'left'] as const

/** The balance of one type with its parts. Without `onEdit`, the user cannot change the allowance. */
export function BalanceCard(props: { told: LeaveAccount; balance: Balance; onEdit: (() => void) | undefined }) {
  const { t } = useTranslation('leave')
  const formats = useFormats()
  const me = usePerson()
  const { told: account, balance, onEdit } = props
  const { leaveType, limit, usedDays, plannedDays, isEstimated } = balance
  const name = t(`type.${leaveType as 1}`)
  const days: Record<(typeof parts)[number], number | undefined> = {
    entitled: limit?.entitledDays,
    carried: limit?.carriedDays,
    used: usedDays,
    planned: plannedDays,
    left: limit?.leftDays,
  }
  // Only an administrator may change their own balance.
  const mayEdit = limit && onEdit && (account.employee !== me.employee.id || me.role === roles.administrator)
  const own = limit?.own
  const adjusted = own?.adjustedDays ?? 0
  return (
    <section className="leave-balance" aria-label={name}>
      <header>
        <h3>{name}</h3>
        {!limit && <span className="muted">{t('noLimit')}</span>}
        {mayEdit && (
          <Button
            look="quiet"
            icon={<Pencil className="icon" aria-hidden="true" />}
            aria-label={t('panel.changeOf', { type: name })}
            onClick={onEdit}
          >
            {t('panel.change')}
          </Button>
        )}
      </header>
      <dl>
        {parts.map(part => {
          const value = days[part]
          return (
            value !== undefined && (
              <div key={part} className={part}>
                <dt>{t(part)}</dt>
                <dd className={value < 0 ? 'figure leave-short' : 'figure'}>{formats.number(value)}</dd>
              </div>
            )
          )
        })}
      </dl>
      <CarriedEnd limit={limit} />
      {own && (
        <p className="muted small">
          {[
            own.days !== undefined &&
              t('panel.own', { days: formats.number(own.days), ruled: formats.number(limit?.ruledDays ?? 0) }),
            adjusted > 0 && t('panel.adjusted', { days: formats.number(adjusted) }),
            adjusted < 0 && t('panel.adjustedOff', { days: formats.number(-adjusted) }),
            t('panel.reason', { reason: own.reason }),
          ]
            .filter(Boolean)
            .join(' ')}
        </p>
      )}
      {isEstimated && <p className="muted small">{t('estimated')}</p>}
    </section>
  )
}

function LeaveLine({ leave }: { leave: Leave }) {
  const { t } = useTranslation('leave')
  const formats = useFormats()
  const { leaveType, date, toDate, timezone, from, to, days, status } = leave
  const clock = (at: string, day: string) => {
    const time = formats.time(at, timezone)
    const actualDay = dayIn(timezone, new Date(at))
    return actualDay === day ? time : `${formats.weekday(actualDay)} ${time}`
  }
  const period = date === toDate ? formats.shortDay(date) : `${formats.shortDay(date)} – ${formats.shortDay(toDate)}`
  return (
    <li>
      <span>
        <strong>{t(`type.${leaveType as 1}`)}</strong>
        <span className="muted">
          {period}
          {from && to && `, ${clock(from, date)} – ${clock(to, toDate)}`}
        </span>
      </span>
      <span className={status === 1 ? 'tag ok' : 'tag warn'}>{t(`panel.status.${status}`)}</span>
      <span className="figure">{t('days', { count: days })}</span>
    </li>
  )
}

/** The form of a person's own allowance of a type and year. */
export function OwnForm(props: {
  told: LeaveAccount
  balance: Balance
  onClose: () => void
  onSaved: () => Promise<void>
}) {
  const { t } = useTranslation(['leave', 'shell'])
  const formats = useFormats()
  const { told: account, balance, onClose, onSaved } = props
  const { leaveType, year, limit } = balance
  const own = limit?.own
  const ruled = limit?.ruledDays ?? 0
  const shown = (days: number | undefined) => (days === undefined ? '' : formats.number(days))
  const initial = { days: shown(own?.days), adjustedDays: shown(own?.adjustedDays), reason: own?.reason ?? '' }
  const form = useForm(initial, account)
  const { values } = form
  const isDays = (text: string, least: number) => text.trim() === '' || (isHalfDays(text) && daysOf(text) >= least)
  const isSound = isDays(values.days, 0) && isDays(values.adjustedDays, -Infinity)
  const numberOf = (text: string) => (text.trim() === '' ? undefined : daysOf(text))
  const total = (numberOf(values.days) ?? ruled) + (numberOf(values.adjustedDays) ?? 0)
  const save = () =>
    form.submit(
      async () => {
        const [days, adjustedDays] = [numberOf(values.days), numberOf(values.adjustedDays)]
        await write('leave/balance/update', {
          ...{ employee: account.employee, year, leaveType, reason: values.reason },
          ...(days !== undefined && { days }),
          ...(adjustedDays !== undefined && { adjustedDays }),
          ...(form.from.version !== undefined && { version: form.from.version }),
        })
        say(t('shell:saved'))
        refresh(['leave/balance/grid'])
        await onSaved()
      },
      {
        required: ['reason'],
        wrong: {
          days: !isDays(values.days, 0) && 10002,
          adjustedDays: !isDays(values.adjustedDays, -Infinity) && 10002,
        },
      },
    )
  const type = t(`type.${leaveType as 1}`)
  return (
    <FormPanel
      title={`${fullName(account)}: ${t('form.title', { type, year: formats.leaveYear(year) })}`}
      form={form}
      save={t('form.save')}
      onSave={save}
      onClose={onClose}
    >
      <TextField
        label={t('form.days')}
        hint={t('form.daysHint', { days: formats.number(ruled) })}
        optional
        maxLength={5}
        {...form.text('days')}
        error={form.error('days') && t('form.wrong')}
      />
      <TextField
        label={t('form.adjusted')}
        hint={t('form.adjustedHint')}
        optional
        maxLength={6}
        {...form.text('adjustedDays')}
        error={form.error('adjustedDays') && t('form.wrong')}
      />
      {isSound && (
        <p className="notice" role="status">
          {t('form.result', { days: formats.number(total), year: formats.leaveYear(year) })}
        </p>
      )}
      <TextField
        label={t('form.reason')}
        hint={t('form.reasonHint')}
        maxLength={200}
        lines={3}
        {...form.text('reason')}
      />
    </FormPanel>
  )
}

export type Row = RowOf<'leave/balance/grid'>

export type Balance = Row['balances'][number]
