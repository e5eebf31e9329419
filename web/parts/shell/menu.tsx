import { ContextualMenu, ContextualMenuItemType, DirectionalHint, type IContextualMenuItem } from '@fluentui/react'
import { type ReactElement, type ReactNode, useRef, useState } from 'react'

export interface MenuEntry {
  key: string
  text: string
  icon?: ReactElement
  /** Shows a dividing line above the entry. */
  divider?: boolean
  checked?: boolean
  onPick?: () => void
  entries?: MenuEntry[]
}

const itemsOf = (entries: MenuEntry[]): IContextualMenuItem[] =>
  entries.flatMap(({ key, text, icon, divider, checked, onPick, entries: inner }) => [
    ...(divider ? [{ key: `${key}-line`, itemType: ContextualMenuItemType.Divider }] : []),
    {
      key,
      text,
      ...(icon && { onRenderIcon: () => icon }),
      ...(icon && { iconProps: {} }),
      ...(checked !== undefined && { canCheck: true, isChecked: checked }),
      ...(onPick && { onClick: onPick }),
      ...(inner && { subMenuProps: { items: itemsOf(inner), directionalHintFixed: false } }),
    },
  ])

/** A button that opens a menu below it. */
export function Menu(props: {
  className?: string
  label: string
  children: ReactNode
  entries: MenuEntry[]
  onOpen?: () => void
}) {
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        ref={button}
        type="button"
        className={props.className}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => {
          props.onOpen?.()
          setOpen(!open)
        }}
      >
        {props.children}
      </button>
      {open && (
        <ContextualMenu
          target={button}
          items={itemsOf(props.entries)}
          onDismiss={() => setOpen(false)}
          directionalHint={DirectionalHint.bottomRightEdge}
          gapSpace={8}
          isBeakVisible={false}
          ariaLabel={props.label}
        />
      )}
    </>
  )
}
