import { ScanLine } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format.ts'
import { useMayOpen } from '../../menu.ts'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid, TwoLines } from '../../parts/list/grid.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Mask } from '../../parts/list/terminal-filters.tsx'
import { Empty } from '../../parts/page.tsx'
import { Link } from '../../parts/shell/router.ts'
import { fullName } from '../../person-name.ts'
import { useList } from '../../read.ts'
import { type Device, useMoment } from './words.tsx'

/** The latest punches of a terminal, with temperatures in the company's unit. */
export function DeviceLog({ device }: { device: Device }) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const moment = useMoment()
  const shownName = useShownName()
  const mayAssign = useMayOpen()('/record')
  const { serialNumber } = device
  const list = useList('device/log/grid', { serialNumber })
  const columns = useMemo<ColumnOf<'device/log/grid'>[]>(() => {
    return [
      {
        key: 'name',
        title: t('log.name'),
        width: 'minmax(168px, 2fr)',
        cell: ({ employee, first_name, last_name, workno }) =>
          employee === undefined ? (
            <TwoLines
              second={t('log.nobody')}
              of={[
                <strong key="number" className="figure late">
                  {t('log.number', { workno })}
                </strong>,
                mayAssign ? (
                  <Link key="whose" className="link more" to={`/record?orphans=${encodeURIComponent(workno)}`}>
                    {t('log.whose')}
                  </Link>
                ) : (
                  t('log.nobody')
                ),
              ]}
            />
          ) : (
            <>
              <strong>{shownName(fullName({ first_name, last_name }))}</strong>{' '}
              <span className="muted figure">{workno}</span>
            </>
          ),
      },
      {
        key: 'at',
        title: t('log.at'),
        width: '200px',
        cell: row => <span className="figure">{moment(row.at, row.timezone)}</span>,
      },
      {
        key: 'means',
        title: t('log.means'),
        width: 'minmax(120px, 1fr)',
        cell: ({ means, mode }) =>
          means
            ? t(`means.${means}`)
            : mode === undefined
              ? t('shell:none')
              : t('means.other', { mode: formats.number(mode) }),
      },
      {
        key: 'temperature',
        title: t('log.temperature'),
        unit: formats.degreesUnit,
        width: '120px',
        isNumber: true,
        cell: ({ temperature, isHigh }) =>
          temperature === undefined ? (
            <span className="muted">{t('shell:none')}</span>
          ) : (
            <span className={isHigh ? 'tag danger figure' : 'figure'}>{formats.degrees(temperature)}</span>
          ),
      },
      { key: 'mask', title: t('log.mask'), width: '136px', isMinor: true, cell: row => <Mask mask={row.mask} /> },
    ]
  }, [t, formats, moment, shownName, mayAssign])
  return (
    <Grid
      label={t('tab.log')}
      columns={columns}
      list={list}
      rowKey={row => `${row.employee ?? `number ${row.workno}`} ${row.at}`}
      empty={
        <Empty icon={<ScanLine />} title={t('log.empty.title')}>
          {t('log.empty.text')}
        </Empty>
      }
    />
  )
}
