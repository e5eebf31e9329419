// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the field; it says which option is meant.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the field does by key what a click on an option does.
// biome-ignore-all lint/a11y/useSemanticElements: an option that is found by typing has no element of its own.
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a list of options is a list.
import { Callout, DirectionalHint } from '@fluentui/react'
import { Check, ChevronDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { searchQuery, searchText } from '../../../shared/search.ts'
import { Field, useTooLong } from './field.tsx'
import './pick-field.css'

type Option = readonly [value: string, text: string]

/** More than anybody reads; the rest is found by typing on. */
const mostShown = 100

/**
 * A choice among many, found by typing any part of it. What is typed and names nothing is forgotten when the field is
 * left, so the value is always one of the options; unless it is `free`, where the options only help to type.
 */
export function PickField(props: {
  label: string
  value: string
  onText: (value: string) => void
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
  /** Which option one has gone to; none while one types. */
  const [gone, setAt] = useState<number>()
  const shownText = options.find(([key]) => key === value)?.[1] ?? (free ? value : '')
  const tooLong = useTooLong(typed ?? shownText, props.maxLength)
  const error = tooLong ?? props.error
  const searched = useMemo(() => options.map(([, text]) => searchText(text)), [options])
  const found = useMemo(() => {
    const words = searchQuery(typed ?? '').split(' ')
    return options.filter((_, index) => words.every(word => searched[index]?.includes(word)))
  }, [options, searched, typed])
  const shown = found.slice(0, mostShown)
  // The option that is chosen is in sight, wherever it stands.
  const chosen = options.findIndex(([key]) => key === value)
  if (typed === undefined && chosen >= mostShown) shown.unshift(...options.slice(chosen, chosen + 1))
  // While one types the first one is meant; of a free field only where it goes on as it was begun.
  const begins = searched[options.indexOf(shown[0] ?? ['', ''])]?.startsWith(searchQuery(typed ?? ''))
  const at = gone ?? (free && !begins ? -1 : 0)
  const meant = shown[at]
  const hasList = isOpen && shown.length > 0

  useEffect(() => {
    if (isOpen) document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [isOpen, at, list])

  const open = () => {
    if (props.disabled || isOpen) return
    const index = shown.findIndex(([key]) => key === value)
    setAt(index < 0 && !free ? 0 : index)
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    setTyped(undefined)
  }
  const pick = (option: Option | undefined) => {
    if (option) onText(option[0])
    close()
  }
  /** Takes what was typed, where that may be a value: anything, or nothing at all. */
  const settle = () => {
    const words = typed?.trim()
    const named = words ? options.find((_, index) => searched[index] === searchText(words)) : undefined
    if (named) onText(named[0])
    else if (words !== undefined && (free || (optional && words === ''))) onText(words)
    close()
  }
  const move = (to: number) => {
    if (isOpen) setAt(Math.min(Math.max(to, 0), shown.length - 1))
    else open()
  }
  const hearKey = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + 8,
      PageUp: at - 8,
    }
    const to = moves[event.key]
    if (to !== undefined) {
      event.preventDefault()
      move(to)
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      meant ? pick(meant) : settle()
    } else if (event.key === 'Escape' && isOpen) {
      // It closes the list and nothing around it.
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
            aria-activedescendant={hasList && meant ? `${list}-${at}` : undefined}
            autoComplete="off"
            spellCheck={false}
            disabled={props.disabled}
            placeholder={props.placeholder}
            value={typed ?? shownText}
            onClick={open}
            onKeyDown={hearKey}
            onChange={event => {
              setTyped(event.target.value)
              setAt(undefined)
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
                    className={index === at ? 'is-meant' : undefined}
                    onMouseMove={() => setAt(index)}
                    // The focus stays in the field.
                    onMouseDown={event => event.preventDefault()}
                    onClick={() => pick([key, text])}
                  >
                    <span>{text}</span>
                    {key === value && <Check className="icon" aria-hidden="true" />}
                  </li>
                ))}
              </ul>
              {found.length === 0 && (
                <p className="pick-note" role="status">
                  {t('choice.none')}
                </p>
              )}
              {found.length > mostShown && <p className="pick-note">{t('choice.more')}</p>}
            </Callout>
          )}
        </div>
      )}
    </Field>
  )
}
