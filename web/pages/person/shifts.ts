import { useMemo } from 'react'
import { isAway } from '../../../shared/schedule/leave.ts'
import { useRead } from '../../read.ts'
import { useShifts } from '../schedule/board.ts'
import type { Got } from './tabs.ts'

/**
 * The planned shifts of a person in a range of at most 62 days; undefined until they are read. Reads nothing unless
 * `isOn`.
 */
export const useUpcoming = ({ id, first_name, last_name }: Got, from: string, to: string, isOn = true) => {
  const { palette, shifts } = useShifts()
  // The list searches by text, so the answer may contain namesakes.
  const name = `${first_name} ${last_name}`.slice(0, 100)
  const { data, error, readAgain } = useRead(
    'schedule/grid',
    isOn ? { filters: { from, to, search: name }, size: 200 } : null,
  )
  const list = useMemo(() => {
    if (!data || !palette) return undefined
    const { days = {}, leaves = [] } = data.list.find(({ employee }) => employee === id) ?? {}
    return Object.entries(days)
      .filter(([day]) => from <= day && day <= to)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([day, ids]) =>
        ids.flatMap(shiftId => {
          const shift = shifts.get(shiftId)
          return shift ? [{ day, shift, isOnLeave: isAway(leaves, day) }] : []
        }),
      )
  }, [data, palette, shifts, id, from, to])
  return { list, error, readAgain: () => void readAgain() }
}
