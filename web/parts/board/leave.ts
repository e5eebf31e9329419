import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { leaveOn } from '../../../shared/schedule/leave.ts'
import { useFormats } from '../../format.ts'
import { leaveHue } from '../request/leave-hue.ts'
import type { RowLeave } from './row.ts'

/** The leave of a day as its cell shows it. */
export interface ShownLeave {
  name: string
  /** A short name that fits into a narrow cell. */
  letters: string
  words: string
  looks: string
  isPart: boolean
}

/** Returns a function that describes the leave of a day; undefined without leave. */
export const useLeaveWords = () => {
  const { t } = useTranslation(['schedule', 'leave'])
  const formats = useFormats()
  return useMemo(
    () =>
      (leaves: readonly RowLeave[], day: string): ShownLeave | undefined => {
        const found = leaves.length > 0 ? leaveOn(leaves, day) : undefined
        if (!found) return undefined
        const { leave, isPart } = found
        const { leaveType, status, from, to, date, toDate, timezone } = leave
        const isPending = status === 0
        const type = leaveType === undefined ? t('away') : t(`leave:type.${leaveType as 1}`)
        const state = t(isPending ? 'leave.pending' : 'leave.approved', { type })
        const isTimed = isPart && from !== undefined && to !== undefined && date === toDate
        return {
          name: isPending ? `${type}?` : type,
          letters: `${[...type].slice(0, 2).join('')}${isPending ? '?' : ''}`,
          words: isTimed
            ? t('leave.timed', { leave: state, from: formats.time(from, timezone), to: formats.time(to, timezone) })
            : isPart
              ? t('leave.part', { leave: state })
              : state,
          isPart,
          looks: `shift-color ${leaveHue(leaveType)} leave ${isPending ? 'asked' : 'given'}${isPart ? ' part' : ''}`,
        }
      },
    [t, formats],
  )
}
