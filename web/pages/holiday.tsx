import { CalendarHeart, CalendarPlus, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { countDays } from '../../shared/local-day.ts'
import { useFormats } from '../format.ts'
import { useHolidayWords } from '../parts/board/holiday-words.ts'
import { Button } from '../parts/button.tsx'
import { Recalculations } from '../parts/day/recalculation.tsx'
import { SelectField } from '../parts/field/field.tsx'
import { SearchField, usePageSearch } from '../parts/field/search-field.tsx'
import { type DepartmentChoice, useDepartments } from '../parts/list/departments.ts'
import type { ColumnOf } from '../parts/list/grid/column.ts'
import { Grid } from '../parts/list/grid.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { useAsked } from '../parts/say/asked.ts'
import { useList } from '../read.ts'
import { withoutEmpty } from '../without-empty.ts'
import { type Holiday, HolidayForm } from './holiday/form.tsx'
import { HolidayImport } from './holiday/import.tsx'

type Open = { holiday: Holiday } | 'new' | 'import'

/** The range of the year filter. A search by name also finds holidays outside this range. */
const [yearsBack, yearsAhead] = [3, 3]

export default function HolidayPage() {
  const { t } = useTranslation(['holiday', 'shell'])
  const formats = useFormats()
  const search = usePageSearch()
  const { words: searched } = search
  const words = useHolidayWords()
  const thisYear = Number(formats.today().slice(0, 4))
  const [year, setYear] = useState(String(thisYear))
  const list = useList(
    'holiday/grid',
    { ...withoutEmpty({ search: searched }), ...(year && { year: Number(year) }) },
    { sort: { by: 'from' } },
  )
  const { all: departments } = useDepartments()
  const [open, setOpen] = useState<Open>()
  useAsked('new', () => setOpen('new'))
  const years = useMemo(
    () => [
      ['', t('allYears')] as const,
      ...Array.from({ length: yearsBack + yearsAhead + 1 }, (_, index) => String(thisYear - yearsBack + index)).map(
        year => [year, year] as const,
      ),
    ],
    [t, thisYear],
  )
  const columns = useMemo<ColumnOf<'holiday/grid'>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        width: 'minmax(200px, 2fr)',
        sort: 'name',
        cell: holiday => (
          <button type="button" className="row-title" onClick={() => setOpen({ holiday })}>
            {holiday.name}
          </button>
        ),
      },
      {
        key: 'days',
        title: t('days'),
        width: 'minmax(208px, 1.6fr)',
        sort: 'from',
        cell: ({ from, to, part }) => (
          <span className="figure">
            {formats.weekday(from)} {formats.day(from)}
            {to !== from && ` – ${formats.weekday(to)} ${formats.day(to)}`}
            {part && `, ${words.part(part)}`}
          </span>
        ),
      },
      {
        key: 'length',
        title: t('length'),
        width: '96px',
        isNumber: true,
        cell: ({ from, to, part }) =>
          part ? (part === 'half' ? formats.number(0.5) : t('shell:none')) : formats.number(countDays(from, to)),
      },
      {
        key: 'departments',
        title: t('for'),
        width: 'minmax(176px, 2fr)',
        cell: ({ departments: ids }) => (ids ? namesOf(ids, departments) || t('nobody') : t('everybody')),
      },
    ],
    [t, formats, words, departments],
  )
  const buttons = (
    <>
      <Button icon={<CalendarPlus className="icon" />} onClick={() => setOpen('import')}>
        {t('import.button')}
      </Button>
      <Button look="primary" icon={<Plus className="icon" />} onClick={() => setOpen('new')}>
        {t('add')}
      </Button>
    </>
  )
  const close = () => setOpen(undefined)
  return (
    <Page title={t('title')} note={t('note')} actions={buttons}>
      <div className="filters">
        <SearchField hint={t('searchHint')} {...search.field} />
        <SelectField label={t('year')} className="no-label" value={year} onText={setYear} options={years} />
      </div>
      <Recalculations kinds={['holiday/add', 'holiday/delete', 'holiday/import', 'holiday/update']} />
      <Grid
        label={t('title')}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        onOpen={holiday => setOpen({ holiday })}
        empty={
          <Empty
            icon={<CalendarHeart />}
            title={searched || year ? t('empty.found') : t('empty.title')}
            action={!searched && buttons}
          >
            {searched ? t('empty.search') : t('empty.text')}
          </Empty>
        }
      />
      {open && departments && open !== 'import' && (
        <HolidayForm
          key={open === 'new' ? 'new' : open.holiday.id}
          holiday={open === 'new' ? undefined : open.holiday}
          departments={departments}
          onClose={close}
        />
      )}
      {open === 'import' && departments && <HolidayImport departments={departments} onClose={close} />}
    </Page>
  )
}

const namesOf = (ids: readonly string[], departments: readonly DepartmentChoice[] | undefined) =>
  departments
    ?.filter(({ id }) => ids.includes(id))
    .map(({ name }) => name)
    .join(', ')
