import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, use, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMayOpen } from '../../menu.ts'
import { useRead } from '../../read.ts'
import { withoutEmpty } from '../../without-empty.ts'
import { Button } from '../button.tsx'
import { SelectField } from '../field/field.tsx'
import type { useDayFilters } from './day-filters.tsx'
import { InPanel } from './filters.tsx'

// Filters of punch lists by the terminal, the temperature and the mask.

type Range = ReturnType<typeof useDayFilters>['range']

export const useMeasureFilters = ({ search }: Range) => {
  const device = search.get('device') ?? ''
  const temperature = (['0', '1'] as const).find(value => value === search.get('temperature'))
  const mask = (['0', '1'] as const).find(value => value === search.get('mask'))
  const filters = {
    ...withoutEmpty({ device }),
    ...(temperature && { temperature: temperature === '1' ? (1 as const) : (0 as const) }),
    ...(mask && { mask: mask === '1' ? (1 as const) : (0 as const) }),
  }
  return { device, temperature, mask, filters }
}

export function MeasureFilters({ range }: { range: Range }) {
  const { t } = useTranslation('record')
  const { temperature, mask } = useMeasureFilters(range)
  return (
    <>
      <SelectField
        label={t('temperature.label')}
        value={temperature ?? ''}
        onText={value => range.set({ temperature: value || undefined })}
        options={[
          ['', t('temperature.all')],
          ['0', t('temperature.normal')],
          ['1', t('temperature.high')],
        ]}
      />
      <SelectField
        label={t('mask.label')}
        value={mask ?? ''}
        onText={value => range.set({ mask: value || undefined })}
        options={[
          ['', t('mask.all')],
          ['1', t('mask.yes')],
          ['0', t('mask.no')],
        ]}
      />
    </>
  )
}

/** Filters behind a button. */
export function MoreFilters(props: {
  range: Range
  /** One of the filters is set, so the filters are visible. Hiding the filters resets them. */
  isNarrowed: boolean
  children: ReactNode
}) {
  const { t } = useTranslation('record')
  const { range, isNarrowed, children } = props
  const [isOpen, setOpen] = useState(isNarrowed)
  const isShown = isOpen || isNarrowed
  const isInPanel = use(InPanel)
  const toggle = () => {
    if (isNarrowed) range.set({ device: undefined, source: undefined, temperature: undefined, mask: undefined })
    setOpen(!isShown)
  }
  if (isInPanel) return children
  return (
    <>
      {isShown && children}
      <Button
        className="more-filters"
        aria-expanded={isShown}
        icon={<SlidersHorizontal className="icon" aria-hidden="true" />}
        onClick={toggle}
      >
        {t(isShown ? 'fewerFilters' : 'moreFilters')}
      </Button>
    </>
  )
}

/**
 * The filter for a terminal. A user without access to the terminals sets it by pressing a terminal's name in the list.
 */
export function DeviceFilter({ range }: { range: Range }) {
  const { t } = useTranslation('record')
  const maySee = useMayOpen()('/device')
  const { data } = useRead('device/grid', maySee ? { size: 200 } : null)
  const { device } = useMeasureFilters(range)
  const options = data?.list.map(({ serialNumber, name }) => [serialNumber, name] as const) ?? []
  const isListed = options.some(([serialNumber]) => serialNumber === device)
  if (!maySee && !device) return null
  return (
    <SelectField
      label={t('device')}
      value={device}
      onText={value => range.set({ device: value || undefined })}
      options={[['', t('anyDevice')], ...(device && !isListed ? [[device, device] as const] : []), ...options]}
    />
  )
}

export function Mask({ mask }: { mask: boolean | undefined }) {
  const { t } = useTranslation(['record', 'shell'])
  if (mask === undefined) return <span className="muted">{t('shell:none')}</span>
  return mask ? t('mask.yes') : <span className="tag warn">{t('mask.no')}</span>
}
