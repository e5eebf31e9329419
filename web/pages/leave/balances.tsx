import { TreePalm, UsersRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usableDays } from '../../../shared/leave/total.ts'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import { useAddress } from '../../parts/field/address.ts'
import { SelectField } from '../../parts/field/field.tsx'
import { SearchField, usePageSearch } from '../../parts/field/search-field.tsx'
import { DepartmentFilter } from '../../parts/list/department-filter.tsx'
import { Filters } from '../../parts/list/filters.tsx'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid } from '../../parts/list/grid.tsx'
import { PersonName } from '../../parts/list/person-name.tsx'
import { Empty } from '../../parts/page.tsx'
import { Link } from '../../parts/shell/router.ts'
import { useList, useRead } from '../../read.ts'
import { withoutEmpty } from '../../without-empty.ts'
import { type Balance, isWorthShowing, LeavePanel, leaveYears, type Row } from './panel.tsx'

const balanceOf = ({ balances }: Row, type: number) => balances.find(({ leaveType }) => leaveType === type)

/** The remaining days of a type, or the taken days of a type without a limit. */
function RemainingDays({ balance }: { balance: Balance | undefined }) {
  const { t } = useTranslation('leave')
  const formats = useFormats()
  if (!balance) return null
  const { limit, usedDays, plannedDays } = balance
  if (!limit) {
    const days = formats.number(usedDays + plannedDays)
    return <span className={usedDays + plannedDays === 0 ? 'muted figure' : 'figure'}>{days}</span>
  }
  return (
    <span className="figure">
      <strong className={limit.leftDays < 0 ? 'leave-short' : undefined}>{formats.number(limit.leftDays)}</strong>{' '}
      <span className="muted">{t('of', { days: formats.number(usableDays(limit)) })}</span>
    </span>
  )
}

/** The balances of a year: the remaining days of all types, or the full balance of one type. */
export function LeaveBalances() {
  const { t } = useTranslation(['leave', 'shell'])
  const formats = useFormats()
  const mayOpen = useMayOpen()
  const { address: search, set } = useAddress()
  const textSearch = usePageSearch()
  const thisYear = formats.leaveYearOf(formats.today())
  const year = Number(search.get('year') ?? thisYear)
  const department = search.get('department') ?? ''
  const { data: params } = useRead('leave/params', {})
  const types = useMemo(() => (params?.types ?? []).filter(({ isOn }) => isOn), [params])
  const type = types.find(({ id }) => String(id) === search.get('type'))?.id
  const list = useList(
    'leave/balance/grid',
    { year, ...withoutEmpty({ department, search: textSearch.words }) },
    { sort: { by: 'name' } },
  )
  const [open, setOpen] = useState<Row>()
  /** The types with a limit, and other types that an employee takes. */
  const shownTypes = useMemo(
    () =>
      types.filter(({ id }) =>
        list.rows?.some(row => {
          const balance = balanceOf(row, id)
          return balance && isWorthShowing(balance)
        }),
      ),
    [types, list.rows],
  )
  const isEnding = list.rows?.some(row => balanceOf(row, type ?? 0)?.limit?.carriedUntil) ?? false
  const columns = useMemo<ColumnOf<'leave/balance/grid'>[]>(() => {
    const name: ColumnOf<'leave/balance/grid'> = {
      key: 'name',
      title: t('employee'),
      width: 'minmax(200px, 2fr)',
      sort: 'name',
      cell: row => <PersonName person={row} hasNumber onPress={() => setOpen(row)} />,
    }
    const unit = t('unit')
    if (type === undefined)
      return [
        name,
        ...shownTypes.map(({ id }) => ({
          key: String(id),
          title: t(`type.${id as 1}`),
          unit,
          width: 'minmax(128px, 1fr)',
          isNumber: true,
          cell: (row: Row) => <RemainingDays balance={balanceOf(row, id)} />,
        })),
      ]
    const figure = (key: string, of: (balance: Balance) => number | undefined, isStrong = false) => ({
      ...{ key, title: t(key as 'left'), unit, width: 'minmax(96px, 1fr)', isNumber: true },
      cell: (row: Row) => {
        const balance = balanceOf(row, type)
        const days = balance && of(balance)
        if (days === undefined) return <span className="muted">{t('shell:none')}</span>
        const text = <span className={days < 0 ? 'figure leave-short' : 'figure'}>{formats.number(days)}</span>
        return isStrong ? <strong>{text}</strong> : text
      },
    })
    return [
      name,
      figure('entitled', ({ limit }) => limit?.entitledDays),
      figure('carried', ({ limit }) => limit?.carriedDays),
      figure('used', ({ usedDays }) => usedDays),
      figure('planned', ({ plannedDays }) => plannedDays),
      figure('left', ({ limit }) => limit?.leftDays, true),
      ...(isEnding ? [figure('expiring', ({ limit }) => limit?.expiringDays)] : []),
    ]
  }, [t, formats, type, shownTypes, isEnding])

  const years = leaveYears(thisYear).map(String)
  const hasRules = (params?.rules.length ?? 1) > 0
  return (
    <>
      <Filters
        lead={<SearchField hint={t('searchHint')} {...textSearch.field} />}
        names={['year', 'type', 'department']}
      >
        <SelectField
          label={t('year')}
          value={String(year)}
          onText={value => set({ year: value === String(thisYear) ? '' : value })}
          options={[...new Set([...years, String(year)])]
            .sort()
            .map(choice => [choice, formats.leaveYear(Number(choice))] as const)}
        />
        <SelectField
          label={t('choice.label')}
          value={type === undefined ? '' : String(type)}
          onText={value => set({ type: value })}
          options={[['', t('choice.all')], ...types.map(({ id }) => [String(id), t(`type.${id as 1}`)] as const)]}
        />
        <DepartmentFilter value={department} onText={value => set({ department: value })} />
      </Filters>
      {!hasRules && (
        <p className="notice">
          <TreePalm className="icon" aria-hidden="true" />
          <span>
            <strong>{t('empty.rules.title')}.</strong> {t('empty.rules.text')}{' '}
            {mayOpen('/system/request') && <Link to="/system/request">{t('empty.rules.button')}</Link>}
          </span>
        </p>
      )}
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={({ employee }) => employee}
        onOpen={setOpen}
        isWide={columns.length > 6}
        empty={
          <Empty icon={<UsersRound />} title={t('empty.people.title')}>
            {t('empty.people.text')}
          </Empty>
        }
      />
      {open && (
        <LeavePanel key={open.employee} employee={open.employee} year={year} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}
