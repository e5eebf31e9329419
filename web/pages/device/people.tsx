import { RefreshCw, UsersRound } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { profileNamed } from '../../../shared/terminal/profile.ts'
import { useFormats } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { useAddress } from '../../parts/field/address.ts'
import { SelectField } from '../../parts/field/field.tsx'
import { Filters } from '../../parts/list/filters.tsx'
import type { ColumnOf } from '../../parts/list/grid/column.ts'
import { Grid } from '../../parts/list/grid.tsx'
import { useShownName } from '../../parts/list/person-name.tsx'
import { Empty } from '../../parts/page.tsx'
import { Ask } from '../../parts/say/ask.tsx'
import { fullName } from '../../person-name.ts'
import { type RowOf, useList } from '../../read.ts'
import type { Enrolled } from './enroll.tsx'
import { type Device, usePart } from './words.tsx'

type User = RowOf<'device/user/grid'>

const states = ['current', 'waiting', 'leaving', 'refused'] as const satisfies readonly User['state'][]
const tones = { current: 'tag ok', waiting: 'tag warn', leaving: 'tag', refused: 'tag danger' } as const
const reasons = [
  'too large',
  'no JPEG',
  'other algorithm',
  'refused',
  'no answer',
  'unsupported',
  'unmet',
  'expired',
  'cancelled',
] as const

/** The present and pending users of a terminal, with their credentials on it. */
export function DevicePeople(props: {
  device: Device
  onEnroll: (person: Enrolled) => void
  onSync: () => Promise<void>
}) {
  const { t } = useTranslation(['device', 'shell'])
  const formats = useFormats()
  const shownName = useShownName()
  const partOf = usePart()
  const { address, set } = useAddress()
  const [isAsking, setAsking] = useState(false)
  const { device, onEnroll } = props
  const { serialNumber, name, profile } = device
  const isBound = device.state === 'bound'
  const state = states.find(name => name === address.get('people'))
  const list = useList('device/user/grid', { serialNumber, ...(state && { state }) })
  const columns = useMemo<ColumnOf<'device/user/grid'>[]>(() => {
    const { enrolls } = profileNamed(profile)
    const holds = ({ fingers, face, card, password }: User) =>
      [
        fingers > 0 && t('holds.fingers', { count: fingers }),
        face && t('part.face'),
        card && t('part.card'),
        password && t('part.password'),
      ].filter(Boolean)
    const describeRefusal = ({ part, reason }: User['refused'][number]) => {
      const knownReason = reasons.find(name => name === reason)
      return `${partOf(part)}: ${knownReason ? t(`unfit.${knownReason}`) : reason}`
    }
    return [
      {
        key: 'name',
        title: t('log.name'),
        width: 'minmax(168px, 1.6fr)',
        cell: row => (
          <>
            <strong>{shownName(fullName(row))}</strong> <span className="muted figure">{row.workno}</span>
          </>
        ),
      },
      {
        key: 'state',
        title: t('state.label'),
        width: '152px',
        cell: row => <span className={tones[row.state]}>{t(`userState.${row.state}`)}</span>,
      },
      {
        key: 'holds',
        title: t('holds.label'),
        width: 'minmax(152px, 1.4fr)',
        cell: row => {
          const held = holds(row)
          if (held.length > 0) return held.join(', ')
          return <span className="muted">{t(row.name ? 'holds.none' : 'shell:none')}</span>
        },
      },
      {
        key: 'refused',
        title: t('holds.refused'),
        width: 'minmax(140px, 1.4fr)',
        isMinor: true,
        cell: row => {
          const texts = row.refused.map(describeRefusal)
          return texts.length > 0 && <span title={texts.join('\n')}>{texts.join('; ')}</span>
        },
      },
      ...(enrolls && isBound
        ? [
            {
              key: 'enroll',
              title: t('enroll.button'),
              width: '136px',
              cell: (row: User) =>
                row.state !== 'leaving' && (
                  <button
                    type="button"
                    className="link"
                    aria-label={`${t('enroll.button')}: ${fullName(row)}`}
                    onClick={() => onEnroll({ ...row, id: row.employee })}
                  >
                    {t('enroll.button')}
                  </button>
                ),
            },
          ]
        : []),
    ]
  }, [t, shownName, partOf, profile, isBound, onEnroll])
  return (
    <>
      <div className="device-tools">
        <p className="muted">{list.count !== undefined && t('people.count', { count: list.count })}</p>
        <Filters names={['people']}>
          <SelectField
            label={t('state.label')}
            value={state ?? ''}
            onText={people => set({ people })}
            options={[['', t('people.all')], ...states.map(name => [name, t(`userState.${name}`)] as const)]}
          />
        </Filters>
        <Button icon={<RefreshCw className="icon" aria-hidden="true" />} onClick={() => setAsking(true)}>
          {t('sync.button')}
        </Button>
      </div>
      <Grid
        label={t('tab.people')}
        columns={columns}
        list={list}
        rowKey={row => row.employee}
        empty={
          <Empty icon={<UsersRound />} title={t(state ? 'shell:choice.none' : 'people.empty.title')}>
            {t(state ? 'people.empty.filtered' : 'people.empty.text')}
          </Empty>
        }
      />
      {isAsking && (
        <Ask
          title={t('sync.title', { name })}
          yes={t('sync.button')}
          no={t('shell:cancel')}
          onYes={async () => {
            await props.onSync()
            setAsking(false)
          }}
          onNo={() => setAsking(false)}
        >
          {t('sync.text', { number: formats.number(list.count ?? 0) })}
        </Ask>
      )}
    </>
  )
}
