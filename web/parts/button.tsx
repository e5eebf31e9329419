import type { ButtonHTMLAttributes, ReactNode } from 'react'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'primary' | 'quiet' | 'danger' | 'danger-quiet' | undefined
  /** Turns a wheel and takes no second press. */
  busy?: boolean
  icon?: ReactNode
  /** For a button that is only an icon; it needs an `aria-label`. */
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
      // A disabled button would lose the focus to nothing.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={event => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon}
      {children}
    </button>
  )
}
