// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the field handles the keys for every click on an option.
// biome-ignore-all lint/a11y/useSemanticElements: HTML has no element for the options of such a combobox.
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: the list of options is a `ul`.
import { Callout, DirectionalHint } from '@fluentui/react'
import { Check, ChevronDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { searchQuery, searchText } from '../../../shared/search.ts'
import { Field, useTooLong } from './field.tsx'
import './pick-field.css'

type Option = readonly [value: string, text: string]

/** The most options in the list. Users find the rest by typing. */
const mostShown = 100

/**
 * A choice among many options, which the user finds by typing any part of the text. When the field loses the focus, it
 * drops a text that matches no option. With `free`, any text is a valid value.
 */
export function PickField(props: {
  label: string
  value: string
  onText: (value: string) => void
  /** Called with the typed text, and with an empty text when the list closes. For options that a search finds. */
  onTyped?: (words: string) => void
  options: readonly Option[]
  error?: string | undefined
  hint?: ReactNode
  optional?: boolean
  free?: boolean
  maxLength?: number
  placeholder?: string
  disabled?: boolean
  name?: string
  className?: string
}) {
  const { t } = useTranslation()
  const { label, hint, optional, free, className, value, options, onText } = props
  const box = useRef<HTMLDivElement>(null)
  const list = useId()
  const [typed, setTyped] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  /** The index of the option that the arrow keys reached; undefined while the user types. */
  const [movedTo, setMovedTo] = useState<number>()
  const shownText = options.find(([key]) => key === value)?.[1] ?? (free ? value : '')
  const tooLong = useTooLong(typed ?? shownText, props.maxLength)
  const error = tooLong ?? props.error
  const searchTexts = useMemo(() => options.map(([, text]) => searchText(text)), [options])
  const matches = useMemo(() => {
    const words = searchQuery(typed ?? '').split(' ')
    return options.filter((_, index) => words.every(word => searchTexts[index]?.includes(word)))
  }, [options, searchTexts, typed])
  const shown = matches.slice(0, mostShown)
  // The list always contains the chosen option, even beyond the limit.
  const chosen = options.findIndex(([key]) => key === value)
  if (typed === undefined && chosen >= mostShown) shown.unshift(...options.slice(chosen, chosen + 1))
  // While the user types, the first option is active. In a free field, the first option is active only if it begins
  // with the typed text.
  const isCompletion = searchTexts[options.indexOf(shown[0] ?? ['', ''])]?.startsWith(searchQuery(typed ?? ''))
  const activeIndex = movedTo ?? (free && !isCompletion ? -1 : 0)
  const activeOption = shown[activeIndex]
  const hasList = isOpen && shown.length > 0

  useEffect(() => {
    if (isOpen) document.getElementById(`${list}-${activeIndex}`)?.scrollIntoView({ block: 'nearest' })
  }, [isOpen, activeIndex, list])

  const open = () => {
    if (props.disabled || isOpen) return
    const index = shown.findIndex(([key]) => key === value)
    setMovedTo(index < 0 && !free ? 0 : index)
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    setTyped(undefined)
    props.onTyped?.('')
  }
  const pick = (option: Option | undefined) => {
    if (option) onText(option[0])
    close()
  }
  /** Takes the typed text if it names an option. With `free`, takes any text. With `optional`, takes an empty text. */
  const settle = () => {
    const words = typed?.trim()
    const namedOption = words ? options.find((_, index) => searchTexts[index] === searchText(words)) : undefined
    if (namedOption) onText(namedOption[0])
    else if (words !== undefined && (free || (optional && words === ''))) onText(words)
    close()
  }
  const move = (index: number) => {
    if (isOpen) setMovedTo(Math.min(Math.max(index, 0), shown.length - 1))
    else open()
  }
  const handleKey = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: activeIndex + 1,
      ArrowUp: activeIndex - 1,
      PageDown: activeIndex + 8,
      PageUp: activeIndex - 8,
    }
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      move(next)
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      activeOption ? pick(activeOption) : settle()
    } else if (event.key === 'Escape' && isOpen) {
      // Escape closes only the list, not the panel around the field.
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }

  return (
    <Field {...{ label, error, hint, ...(optional && { optional }), ...(className && { className }) }}>
      {ids => (
        <div ref={box} className={['input pick', error && 'wrong', tooLong && 'unread'].filter(Boolean).join(' ')}>
          <input
            {...ids}
            name={props.name}
            role="combobox"
            aria-expanded={hasList}
            aria-controls={hasList ? list : undefined}
            aria-autocomplete="list"
            aria-activedescendant={hasList && activeOption ? `${list}-${activeIndex}` : undefined}
            autoComplete="off"
            spellCheck={false}
            disabled={props.disabled}
            placeholder={props.placeholder}
            value={typed ?? shownText}
            onClick={open}
            onKeyDown={handleKey}
            onChange={event => {
              setTyped(event.target.value)
              props.onTyped?.(event.target.value)
              setMovedTo(undefined)
              setOpen(true)
            }}
            onBlur={settle}
          />
          <ChevronDown className="icon" aria-hidden="true" />
          {isOpen && !(free && shown.length === 0) && (
            <Callout
              target={box}
              directionalHint={DirectionalHint.bottomLeftEdge}
              gapSpace={4}
              isBeakVisible={false}
              calloutWidth={Math.max(box.current?.offsetWidth ?? 0, 200)}
              role="presentation"
              onDismiss={close}
            >
              <ul id={list} className="pick-list" role="listbox" aria-label={label}>
                {shown.map(([key, text], index) => (
                  <li
                    key={key}
                    id={`${list}-${index}`}
                    role="option"
                    aria-selected={key === value}
                    className={index === activeIndex ? 'is-meant' : undefined}
                    onMouseMove={() => setMovedTo(index)}
                    // Prevents the list from taking the focus.
                    onMouseDown={event => event.preventDefault()}
                    onClick={() => pick([key, text])}
                  >
                    <span>{text}</span>
                    {key === value && <Check className="icon" aria-hidden="true" />}
                  </li>
                ))}
              </ul>
              {matches.length === 0 && (
                <p className="pick-note" role="status">
                  {t('choice.none')}
                </p>
              )}
              {matches.length > mostShown && <p className="pick-note">{t('choice.more')}</p>}
            </Callout>
          )}
        </div>
      )}
    </Field>
  )
}
