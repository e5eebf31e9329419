import { useEffect, useState } from 'react'
import { isIn, type WhoList, whoLists } from '../../../shared/who.ts'
import { call, type PathOutput } from '../../api.ts'
import { useEveryMinute } from '../../every-minute.ts'
import { dayIn, useFormats } from '../../format.ts'
import { useIsLive } from '../../live.ts'
import { useAddress } from '../../parts/field/address.ts'
import { refresh, useRareRead } from '../../read.ts'

export type Person = PathOutput<'dashboard/now'>['list'][number]

/** The chosen list and department, in the address, so that a link opens the same view. */
export const useWhoView = () => {
  const { address, set } = useAddress()
  const list = whoLists.find(name => name === address.get('list')) ?? 'in'
  return {
    list,
    department: address.get('department') ?? '',
    isWall: address.has('wall'),
    pickList: (name: WhoList) => set({ list: name === 'in' ? undefined : name }),
    pickDepartment: (id: string) => set({ department: id || undefined }),
    closeWall: () => set({ wall: undefined }),
  }
}

/** The people of a list with all counts, read again after every punch and every minute. */
export const useWho = (list: WhoList, department: string, size: number) => {
  const input = { filters: { list, ...(department && { department }) }, size }
  const { data, error } = useRareRead('dashboard/now', input)
  const [readAt, setReadAt] = useState<Date>()
  const [extraPages, setExtraPages] = useState(0)
  const [extra, setExtra] = useState<{ rows: Person[]; next: string | undefined }>()
  useEffect(() => {
    if (data) setReadAt(new Date())
  }, [data])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins with its first page.
  useEffect(() => setExtraPages(0), [list, department])
  // The cursors of further pages belong to the first page, so a new first page reads them again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other values change together with `data`.
  useEffect(() => {
    let isCurrent = true
    const readOn = async () => {
      const rows: Person[] = []
      let next = data?.next
      for (let page = 0; page < extraPages && next; page++) {
        const answer = await call('dashboard/now', { ...input, page: next })
        rows.push(...answer.list)
        next = answer.next
      }
      if (isCurrent) setExtra({ rows, next })
    }
    readOn().catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [data, extraPages])
  // Time alone makes people overdue. Without the live connection this is also how the list stays current.
  useEveryMinute(() => refresh(['dashboard/']))
  const all = [...(data?.list ?? []), ...(extra?.rows ?? [])]
  // While another list loads, the previous rows must not show under its name.
  const rows = [...new Map(all.filter(person => isIn(person, list)).map(person => [person.employee, person])).values()]
  const count = data?.counts[list]
  return {
    counts: data?.counts,
    rows: data && !(rows.length === 0 && count !== 0) ? rows : undefined,
    count: count ?? 0,
    error,
    readAt,
    isLive: useIsLive(),
    hasMore: extra?.next !== undefined,
    more: () => setExtraPages(pages => pages + 1),
    readAgain: () => refresh(['dashboard/']),
  }
}

/** The clock time of an instant in the person's zone, with the weekday if the date is not today's. */
export const useClockOf = () => {
  const formats = useFormats()
  return (at: string, { timezone }: Pick<Person, 'timezone'>) => {
    const date = dayIn(timezone, new Date(at))
    const time = formats.time(at, timezone)
    return date === formats.today() ? time : `${formats.weekday(date)} ${time}`
  }
}
