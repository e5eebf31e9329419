import { useReducer } from 'react'
import { useEveryMinute } from '../../every-minute.ts'
import { useFormats } from '../../format.ts'

/** How long ago something was, or in how long it will be, for as long as it is looked at; the moment itself on pointing at it. */
export function Ago({ at }: { at: string }) {
  const formats = useFormats()
  const [, tick] = useReducer((minutes: number) => minutes + 1, 0)
  useEveryMinute(tick)
  return (
    <time dateTime={at} title={formats.dayAndTime(at)}>
      {formats.ago(at)}
    </time>
  )
}
