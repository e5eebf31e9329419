import { useState } from 'react'
import { zones } from '../zones.ts'
import { PickField } from './field/pick-field.tsx'
import { Fluent } from './fluent.tsx'

/** A time zone, found by typing a part of its name or its offset. Also works on the pages before sign-in. */
export default function ZoneField(props: {
  label: string
  value: string
  error?: string | undefined
  hint?: string
  optional?: boolean
  placeholder?: string
  name?: string
  onText: (value: string) => void
}) {
  const [options] = useState(zones)
  return (
    <Fluent>
      <PickField {...props} options={options} />
    </Fluent>
  )
}
