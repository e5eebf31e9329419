import { SlidersHorizontal } from 'lucide-react'
import { createContext, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsPhone } from '../../narrow.ts'
import { Button } from '../button.tsx'
import { useAddress } from '../field/address.ts'
import { ChoiceFoot, Panel } from './panel.tsx'
import { useIsPrinting } from './printing.ts'
import type { DayRange } from './range.tsx'
import { Views } from './views.tsx'
import './filters.css'

/** The filters are in a panel, which has room for all of them. */
export const InPanel = createContext(false)

/**
 * The filters above a list. On a phone, only `lead` stays above the list, beside a button that opens the others in a
 * panel. The button counts the set filters by their names in the address.
 */
export function Filters(props: {
  lead?: ReactNode
  names: readonly string[]
  /** Further names in the address that describe a filter, such as the name of a chosen person. */
  details?: readonly string[]
  /** The list whose filters users save as views, and further names in the address that a view keeps. */
  saved?: { list: string; also?: readonly string[]; range?: DayRange }
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { address, set } = useAddress()
  const [isOpen, setOpen] = useState(false)
  const isPhone = useIsPhone()
  const isPrinting = useIsPrinting()
  const names = [...props.names, ...(props.details ?? [])]
  const views = props.saved && (
    <Views list={props.saved.list} names={[...names, ...(props.saved.also ?? [])]} range={props.saved.range} />
  )
  const count = props.names.filter(name => address.get(name)).length
  // On paper, the heading of a list names all its filters.
  if (!isPhone || isPrinting)
    return (
      <div className="filters">
        {props.lead}
        {props.children}
        {views}
      </div>
    )
  return (
    <div className="filters has-panel">
      {props.lead}
      <Button
        className={count > 0 ? 'is-set' : undefined}
        aria-haspopup="dialog"
        icon={<SlidersHorizontal className="icon" aria-hidden="true" />}
        onClick={() => setOpen(true)}
      >
        {count > 0 ? t('filters.set', { number: count }) : t('filters.button')}
      </Button>
      {isOpen && (
        <Panel
          title={t('filters.button')}
          onClose={() => setOpen(false)}
          foot={
            <ChoiceFoot
              reset={t('filters.reset')}
              isUsual={count === 0}
              onReset={() => set(Object.fromEntries(names.map(name => [name, undefined])))}
              onClose={() => setOpen(false)}
            />
          }
        >
          <div className="panel-body">
            {views}
            <InPanel value={true}>{props.children}</InPanel>
          </div>
        </Panel>
      )}
    </div>
  )
}
