import type { ButtonHTMLAttributes, ReactNode } from 'react'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'primary' | 'quiet' | 'danger' | 'danger-quiet' | undefined
  /** Shows a spinner and ignores further clicks. */
  busy?: boolean
  icon?: ReactNode
  /** For a button with only an icon; such a button needs an `aria-label`. */
  square?: boolean
  wide?: boolean
}

export function Button({ look, busy, icon, square, wide, className, children, onClick, ...rest }: ButtonProps) {
  const classes = ['button', look, square && 'square', wide && 'wide', className]
  return (
    <button
      type="button"
      {...rest}
      className={classes.filter(Boolean).join(' ')}
      // `disabled` would drop the focus, so a busy button uses `aria-disabled`.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={event => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon}
      {children}
    </button>
  )
}
