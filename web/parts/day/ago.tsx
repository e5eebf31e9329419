import { useReducer } from 'react'
import { useEveryMinute } from '../../every-minute.ts'
import { useFormats } from '../../format.ts'

/** A relative time that stays current. Its tooltip shows the instant. */
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
