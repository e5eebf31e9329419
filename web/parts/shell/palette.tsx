import { CornerDownLeft, Keyboard, Plus, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { groups, mayOpen, pages, pagesOf, singlePages } from '../../menu.ts'
import { useRead } from '../../read.ts'
import { usePerson } from '../../session.tsx'
import { useShownName } from '../list/person-name.tsx'
import { askAddress, kinds, typeOf } from '../request/ask.ts'
import { Modal } from '../say/modal.tsx'
import { Avatar } from './avatar.tsx'
import type { MenuEntry } from './menu.tsx'
import { icons } from './page-icons.ts'
import './palette.css'
import { fullName } from '../../person-name.ts'
import { useNavigate } from './router.ts'

// One field that finds pages, people and actions, of which only those that the user may open.

interface Offer {
  key: string
  text: string
  /** The group of the offer, which the palette shows after the name. */
  about?: string | undefined
  icon?: ReactNode
  pick: () => void
}

const mostPeople = 6

/** Removes case and accents from a text, for comparing words. */
const normalize = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

const matches = (offer: Offer, words: readonly string[]) => {
  const text = normalize(`${offer.text} ${offer.about ?? ''}`)
  return words.every(word => text.includes(word))
}

/** The pages with a form for a new record. `?new=yes` opens the form. */
const pagesToAdd = ['department', 'employee', 'shift', 'role', 'holiday'] as const

/** Flattens a menu into offers. An entry of a submenu has the submenu's name as `about`. */
const flatten = (entries: readonly MenuEntry[], about?: string, outer?: ReactNode): Offer[] =>
  entries.flatMap(({ key, text, icon = outer, onPick, checked, entries: inner }) => [
    ...(onPick && !checked ? [{ key: `${about}-${key}`, text, about, icon, pick: onPick }] : []),
    ...(inner ? flatten(inner, text, icon) : []),
  ])

const useOffers = (account: readonly MenuEntry[], onKeys: () => void) => {
  const { t } = useTranslation(['quick', 'shell', 'approve'])
  const navigate = useNavigate()
  const person = usePerson()
  const isSystem = pagesOf('system', person).length > 0
  const hasWebhooks = useRead('webhooks/show', isSystem ? {} : null).data?.is_show
  const openPages = [
    ...singlePages(person),
    ...groups.flatMap(group => pagesOf(group, person)),
    ...pages.filter(page => page.isUnlisted && page.name === 'guid' && person.type === 'management'),
  ].filter(({ name }) => name !== 'application' || hasWebhooks)
  const toPages: Offer[] = openPages.map(({ path, name, group }) => {
    const Icon = icons[name]
    return {
      key: path,
      text: t(`shell:nav.${name}`),
      about: group && t(`shell:nav.group.${group}`),
      icon: <Icon className="icon" />,
      pick: () => navigate(path),
    }
  })
  const plus = <Plus className="icon" aria-hidden="true" />
  const toAdd: Offer[] = pagesToAdd.flatMap(noun => {
    const page = pages.find(({ name }) => name === noun)
    if (!page || !mayOpen(page, person)) return []
    return [{ key: `add-${noun}`, text: t(`add.${noun}`), icon: plus, pick: () => navigate(`${page.path}?new=yes`) }]
  })
  const toAsk: Offer[] = (person.type === 'user' ? kinds : []).map(kind => ({
    key: `ask-${kind}`,
    text: t(`approve:type.${typeOf[kind]}`),
    about: t('add.request'),
    icon: plus,
    pick: () => navigate(askAddress({ kind })),
  }))
  const keys: Offer = { key: 'keys', text: t('keys.title'), icon: <Keyboard className="icon" />, pick: onKeys }
  return { toPages, toDo: [...toAdd, ...toAsk, ...flatten(account), keys] }
}

/** The employees that match the words, if the user may open the list of employees. */
const usePeople = (words: string): Offer[] => {
  const navigate = useNavigate()
  const person = usePerson()
  const shown = useShownName()
  const page = pages.find(({ name }) => name === 'employee')
  const isAllowed = page !== undefined && mayOpen(page, person)
  const input = isAllowed && words ? { filters: { search: words }, size: mostPeople } : null
  const { data } = useRead('employee/grid', input)
  if (!input) return []
  return (data?.list ?? []).map(employee => ({
    key: employee.id,
    text: shown(fullName(employee)),
    about: employee.workno,
    icon: <Avatar person={employee} photo={employee.photo} />,
    pick: () => navigate(`/employee/${employee.id}`),
  }))
}

export default function Palette(props: { account: readonly MenuEntry[]; onKeys: () => void; onClose: () => void }) {
  const { t } = useTranslation('quick')
  const { account, onKeys, onClose } = props
  const id = useId()
  const [text, setText] = useState('')
  const [activeIndex, setActiveIndex] = useState(0)
  const words = normalize(useDeferredValue(text)).split(/\s+/).filter(Boolean)
  const { toPages, toDo } = useOffers(account, onKeys)
  const people = usePeople(useDeferredValue(text.trim()).slice(0, 100))
  const sections = [
    { name: 'pages', offers: toPages.filter(offer => matches(offer, words)) },
    { name: 'people', offers: people },
    { name: 'actions', offers: toDo.filter(offer => matches(offer, words)) },
  ] as const
  const all = sections.flatMap(({ offers }) => offers)
  const active = all[Math.min(activeIndex, all.length - 1)]
  /** The element id of an offer, by index because keys of offers may contain spaces or occur twice. */
  const idOf = (offer: Offer) => `${id}-${all.indexOf(offer)}`
  const list = useRef<HTMLDivElement>(null)
  const activeKey = active?.key
  useEffect(() => {
    if (activeKey !== undefined)
      list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [activeKey])
  const pick = (offer: Offer | undefined) => {
    if (!offer) return
    // Closes the palette first, so that the opened page or dialog can take the focus.
    onClose()
    offer.pick()
  }
  const handleKey = (event: KeyboardEvent) => {
    // During an unfinished composition, the keys belong to the input method.
    if (event.nativeEvent.isComposing || all.length === 0) return
    const steps: Record<string, number> = {
      ArrowDown: (Math.min(activeIndex, all.length - 1) + 1) % all.length,
      ArrowUp: (Math.min(activeIndex, all.length - 1) + all.length - 1) % all.length,
    }
    const next = steps[event.key]
    if (next !== undefined) setActiveIndex(next)
    else if (event.key === 'Enter') pick(active)
    else return
    event.preventDefault()
  }
  return (
    <Modal className="palette" label={t('find.button')} onClose={onClose} onKeyDown={handleKey}>
      <div className="palette-field">
        <Search className="icon" aria-hidden="true" />
        <input
          type="text"
          role="combobox"
          aria-label={t('find.hint')}
          aria-expanded={all.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active && idOf(active)}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={t('find.hint')}
          value={text}
          onChange={event => {
            setText(event.target.value)
            setActiveIndex(0)
          }}
        />
        <kbd>{t('find.escape')}</kbd>
      </div>
      <div ref={list} id={`${id}-list`} className="palette-list" role="listbox" aria-label={t('find.found')}>
        {sections.map(
          ({ name, offers }) =>
            offers.length > 0 && (
              // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group in a list box.
              <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
                <div id={`${id}-${name}`} className="palette-head" role="presentation">
                  {t(`find.${name}`)}
                </div>
                {offers.map(offer => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the focus stays in the field, where Enter picks.
                  // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
                  <div
                    key={offer.key}
                    id={idOf(offer)}
                    className="palette-offer"
                    role="option"
                    aria-selected={offer === active}
                    onMouseMove={() => setActiveIndex(all.indexOf(offer))}
                    onClick={() => pick(offer)}
                  >
                    <span className="palette-icon" aria-hidden="true">
                      {offer.icon}
                    </span>
                    <span className="palette-text">{offer.text}</span>
                    {offer.about && <span className="muted small figure">{offer.about}</span>}
                    {offer === active && <CornerDownLeft className="icon" aria-hidden="true" />}
                  </div>
                ))}
              </div>
            ),
        )}
      </div>
      {all.length === 0 && (
        <p className="palette-none muted" role="status">
          {t('find.none')}
        </p>
      )}
    </Modal>
  )
}
