import { useMemo } from 'react'
import { useRead } from '../read.ts'

const offsetOf = (minutes: number) => {
  const [hours, remainder] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? '−' : '+'}${String(hours).padStart(2, '0')}:${String(remainder).padStart(2, '0')}`
}

/** The zones of the server, and the stored zone even if the list does not contain it. */
export const useZoneOptions = (stored: string) => {
  const { data } = useRead('timezone/list', {})
  return useMemo(() => {
    const options = (data?.list ?? []).map(
      ({ id, name, offsetMinutes }) => [id, `(${offsetOf(offsetMinutes)}) ${name}`] as const,
    )
    return stored === '' || options.some(([id]) => id === stored) ? options : [[stored, stored] as const, ...options]
  }, [data, stored])
}
