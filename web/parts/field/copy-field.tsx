import { CopyButton } from './copy-button.tsx'
import { Field } from './field.tsx'
import './copy-field.css'

/** A read-only text to copy, such as a link, with a copy button. */
export function CopyField({ label, value, hint }: { label: string; value: string; hint?: string }) {
  return (
    <Field label={label} hint={hint}>
      {ids => (
        <div className="copy-field">
          <div className="input">
            <input {...ids} readOnly value={value} onFocus={event => event.target.select()} />
          </div>
          <CopyButton text={value} />
        </div>
      )}
    </Field>
  )
}
