import { useId } from 'react'
import './segment-field.css'

/** A choice between two or three short options side by side. */
export function SegmentField(props: {
  label: string
  value: string
  onText: (value: string) => void
  options: readonly (readonly [value: string, text: string])[]
}) {
  const name = useId()
  return (
    <fieldset className="field segment-field">
      <legend className="label">{props.label}</legend>
      <div className="segments">
        {props.options.map(([value, text]) => (
          <label key={value}>
            <input
              className="unseen"
              type="radio"
              name={name}
              checked={value === props.value}
              onChange={() => props.onText(value)}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
