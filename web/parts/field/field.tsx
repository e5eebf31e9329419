import { ChevronDown, CircleAlert, Eye, EyeOff } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../button.tsx'

// Fields of plain HTML, so that the pages before sign-in load no component library.

interface FieldProps {
  label: string
  error?: string | undefined
  hint?: ReactNode
  optional?: boolean
  className?: string
}

/** A field with its label above and its hint or error below. Passes their ids to the control, for screen readers. */
export function Field({
  label,
  error,
  hint,
  optional,
  className,
  children,
}: FieldProps & {
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}) {
  const { t } = useTranslation()
  const id = useId()
  const below = `${id}-below`
  const ids = {
    id,
    ...((error || hint) && { 'aria-describedby': below }),
    ...(error && { 'aria-invalid': true as const }),
  }
  return (
    <div className={className ? `field ${className}` : 'field'}>
      <label htmlFor={id}>
        {label} {optional && <span className="optional">· {t('optional')}</span>}
      </label>
      {children(ids)}
      {error ? (
        <p id={below} className="error">
          <CircleAlert className="icon" aria-hidden="true" />
          {error}
        </p>
      ) : (
        hint && (
          <p id={below} className="hint">
            {hint}
          </p>
        )
      )}
    </div>
  )
}

interface TextProps extends FieldProps {
  name?: string
  value: string
  onText: (value: string) => void
  type?: 'text' | 'email' | 'password' | 'search' | 'tel'
  autoComplete?: string
  inputMode?: 'numeric' | 'email' | 'tel' | 'text'
  /**
   * The most characters. A longer text shows an error and blocks the form. The HTML attribute would truncate it
   * silently.
   */
  maxLength?: number
  placeholder?: string
  autoFocus?: boolean
  disabled?: boolean
  icon?: ReactNode
  suffix?: ReactNode
  onBlur?: () => void
  onKeyDown?: (event: KeyboardEvent) => void
  lines?: number
}

const boxClass = (error: string | undefined) => (error ? 'input wrong' : 'input')

/** The error of a text that is longer than its field allows, or undefined. */
export const useTooLong = (text: string, most: number | undefined) => {
  const { t } = useTranslation('error')
  return most !== undefined && text.trim().length > most ? t('tooLong', { number: most }) : undefined
}

export function TextField({
  label,
  error,
  hint,
  optional,
  className,
  icon,
  suffix,
  lines,
  onText,
  maxLength,
  ...rest
}: TextProps) {
  const tooLong = useTooLong(rest.value, maxLength)
  const wrong = tooLong ?? error
  return (
    <Field {...{ label, error: wrong, hint, optional, className }}>
      {ids => (
        <div className={tooLong ? `${boxClass(wrong)} unread` : boxClass(wrong)}>
          {icon}
          {lines ? (
            <textarea
              {...ids}
              name={rest.name}
              value={rest.value}
              rows={lines}
              onChange={event => onText(event.target.value)}
            />
          ) : (
            <input type="text" spellCheck={false} {...rest} {...ids} onChange={event => onText(event.target.value)} />
          )}
          {suffix && <span className="suffix">{suffix}</span>}
        </div>
      )}
    </Field>
  )
}

/** A password field with a button that shows the password. */
export function PasswordField({ label, error, hint, optional, className, onText, ...rest }: Omit<TextProps, 'type'>) {
  const { t } = useTranslation()
  const [isVisible, setVisible] = useState(false)
  return (
    <Field {...{ label, error, hint, optional, className }}>
      {ids => (
        <div className={boxClass(error)}>
          <input
            name={rest.name}
            value={rest.value}
            autoComplete={rest.autoComplete}
            {...ids}
            type={isVisible ? 'text' : 'password'}
            spellCheck={false}
            autoCapitalize="off"
            onChange={event => onText(event.target.value)}
          />
          <Button
            look="quiet"
            square
            aria-label={t(isVisible ? 'password.hide' : 'password.show')}
            aria-pressed={isVisible}
            onClick={() => setVisible(!isVisible)}
            icon={isVisible ? <EyeOff className="icon" /> : <Eye className="icon" />}
          />
        </div>
      )}
    </Field>
  )
}

type Option = readonly [value: string, text: string]
const optionOf = ([value, text]: Option) => (
  <option key={value} value={value}>
    {text}
  </option>
)

/** A choice among few options, as the browser's own list because that works best on phones and with screen readers. */
export function SelectField({
  label,
  error,
  hint,
  optional,
  className,
  value,
  onText,
  options,
  groups = [],
  icon,
  name,
  disabled,
}: FieldProps & {
  name?: string
  value: string
  onText: (value: string) => void
  options: readonly Option[]
  /** Further options in groups with headings. */
  groups?: readonly { label: string; options: readonly Option[] }[]
  icon?: ReactNode
  disabled?: boolean
}) {
  return (
    <Field {...{ label, error, hint, optional, className }}>
      {ids => (
        <div className={boxClass(error)}>
          {icon}
          <select {...ids} name={name} value={value} disabled={disabled} onChange={event => onText(event.target.value)}>
            {options.map(optionOf)}
            {groups.map(({ label, options }) => (
              <optgroup key={label} label={label}>
                {options.map(optionOf)}
              </optgroup>
            ))}
          </select>
          <ChevronDown className="icon" aria-hidden="true" />
        </div>
      )}
    </Field>
  )
}

export function CheckField(props: {
  checked: boolean
  onCheck: (checked: boolean) => void
  error?: string | undefined
  children: ReactNode
}) {
  const below = useId()
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={props.checked}
          aria-invalid={props.error ? true : undefined}
          aria-describedby={props.error ? below : undefined}
          onChange={event => props.onCheck(event.target.checked)}
        />
        <span>{props.children}</span>
      </label>
      {props.error && (
        <p id={below} className="error">
          <CircleAlert className="icon" aria-hidden="true" />
          {props.error}
        </p>
      )}
    </div>
  )
}

export function SwitchField(props: {
  label: string
  hint?: ReactNode
  checked: boolean
  onCheck: (checked: boolean) => void
}) {
  return (
    <label className="switch">
      <span>
        {props.label}
        {props.hint && <span className="muted small">{props.hint}</span>}
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={props.checked}
        checked={props.checked}
        onChange={event => props.onCheck(event.target.checked)}
      />
    </label>
  )
}
