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

// One field that leads anywhere: to a page, to a person, or to something to do. What it offers is what one may.

interface Offer {
  key: string
  text: string
  /** Where it belongs, behind its name. */
  about?: string | undefined
  icon?: ReactNode
  pick: () => void
}

const mostPeople = 6

/** As words are compared: without case and accents. */
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

const isMeant = (offer: Offer, words: readonly string[]) => {
  const text = plain(`${offer.text} ${offer.about ?? ''}`)
  return words.every(word => text.includes(word))
}

/** The pages on which something can be added, by a form that the address opens. */
const adding = ['department', 'employee', 'shift', 'role', 'holiday'] as const

/** A menu laid flat: what an inner one offers is called by both names. */
const flat = (entries: readonly MenuEntry[], about?: string, outer?: ReactNode): Offer[] =>
  entries.flatMap(({ key, text, icon = outer, onPick, checked, entries: inner }) => [
    ...(onPick && !checked ? [{ key: `${about}-${key}`, text, about, icon, pick: onPick }] : []),
    ...(inner ? flat(inner, text, icon) : []),
  ])

const useOffers = (account: readonly MenuEntry[], onKeys: () => void) => {
  const { t } = useTranslation(['quick', 'shell', 'approve'])
  const navigate = useNavigate()
  const person = usePerson()
  const isSystem = pagesOf('system', person).length > 0
  const offered = useRead('webhooks/show', isSystem ? {} : null).data?.is_show
  const mine = [
    ...singlePages(person),
    ...groups.flatMap(group => pagesOf(group, person)),
    ...pages.filter(page => page.isUnlisted && page.name === 'guid' && person.type === 'management'),
  ].filter(({ name }) => name !== 'application' || offered)
  const toPages: Offer[] = mine.map(({ path, name, group }) => {
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
  const toAdd: Offer[] = adding.flatMap(noun => {
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
  return { toPages, toDo: [...toAdd, ...toAsk, ...flat(account), keys] }
}

/** Who is meant by what is typed, for who may look at people. */
const usePeople = (words: string): Offer[] => {
  const navigate = useNavigate()
  const person = usePerson()
  const shown = useShownName()
  const page = pages.find(({ name }) => name === 'employee')
  const isAllowed = page !== undefined && mayOpen(page, person)
  const input = isAllowed && words ? { filters: { search: words }, size: mostPeople } : null
  const { data } = useRead('employee/grid', input)
  if (!input) return []
  return (data?.list ?? []).map(one => ({
    key: one.id,
    text: shown(fullName(one)),
    about: one.workno,
    icon: <Avatar person={one} />,
    pick: () => navigate('/employee', { state: { person: one } }),
  }))
}

export default function Palette(props: { account: readonly MenuEntry[]; onKeys: () => void; onClose: () => void }) {
  const { t } = useTranslation('quick')
  const { account, onKeys, onClose } = props
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const words = plain(useDeferredValue(text)).split(/\s+/).filter(Boolean)
  const { toPages, toDo } = useOffers(account, onKeys)
  const people = usePeople(useDeferredValue(text.trim()).slice(0, 100))
  const sections = [
    { name: 'pages', offers: toPages.filter(offer => isMeant(offer, words)) },
    { name: 'people', offers: people },
    { name: 'actions', offers: toDo.filter(offer => isMeant(offer, words)) },
  ] as const
  const all = sections.flatMap(({ offers }) => offers)
  const active = all[Math.min(at, all.length - 1)]
  /** By its place: what offers are called may have spaces in it, or be said twice. */
  const idOf = (offer: Offer) => `${id}-${all.indexOf(offer)}`
  const list = useRef<HTMLDivElement>(null)
  const activeKey = active?.key
  useEffect(() => {
    if (activeKey !== undefined)
      list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [activeKey])
  const pick = (offer: Offer | undefined) => {
    if (!offer) return
    // It is gone before what it leads to asks for the keyboard.
    onClose()
    offer.pick()
  }
  const hear = (event: KeyboardEvent) => {
    // What a word is still being made of is not sent.
    if (event.nativeEvent.isComposing || all.length === 0) return
    const steps: Record<string, number> = {
      ArrowDown: (Math.min(at, all.length - 1) + 1) % all.length,
      ArrowUp: (Math.min(at, all.length - 1) + all.length - 1) % all.length,
    }
    const next = steps[event.key]
    if (next !== undefined) setAt(next)
    else if (event.key === 'Enter') pick(active)
    else return
    event.preventDefault()
  }
  return (
    <Modal className="palette" label={t('find.button')} onClose={onClose} onKeyDown={hear}>
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
            setAt(0)
          }}
        />
        <kbd>{t('find.escape')}</kbd>
      </div>
      <div ref={list} id={`${id}-list`} className="palette-list" role="listbox" aria-label={t('find.found')}>
        {sections.map(
          ({ name, offers }) =>
            offers.length > 0 && (
              // biome-ignore lint/a11y/useSemanticElements: a group of a list box has no element of its own.
              <div key={name} role="group" aria-labelledby={`${id}-${name}`}>
                <div id={`${id}-${name}`} className="palette-head" role="presentation">
                  {t(`find.${name}`)}
                </div>
                {offers.map(offer => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard, and Enter picks.
                  // biome-ignore lint/a11y/useFocusableInteractive: the field has the keyboard.
                  <div
                    key={offer.key}
                    id={idOf(offer)}
                    className="palette-offer"
                    role="option"
                    aria-selected={offer === active}
                    onMouseMove={() => setAt(all.indexOf(offer))}
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
