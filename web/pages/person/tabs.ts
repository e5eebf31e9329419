import { roles } from '../../../shared/permissions.ts'
import type { PathOutput } from '../../api.ts'
import { usePerson } from '../../session.tsx'

export type Got = PathOutput<'employee/get'>

/** The tabs in their order. The number keys follow the order of the shown tabs. */
export const tabs = [
  ...(['overview', 'days', 'schedule', 'leave'] as const),
  ...(['details', 'attendance', 'signIn', 'history'] as const),
] as const
export type Tab = (typeof tabs)[number]

export const useRights = () => {
  const { auth_item, role } = usePerson()
  const holds = (number: number) => auth_item.some(({ id }) => id === number)
  return {
    mayEmploy: holds(3),
    maySchedule: holds(7),
    mayReport: holds(8),
    mayRecord: holds(9),
    mayApprove: holds(10),
    isAdministrator: role === roles.administrator,
  }
}

/** The tabs that the user may open for this person: each needs the permission of the lists that it shows. */
export const useTabs = ({ record, isDeleted }: Got): Tab[] => {
  const { mayEmploy, maySchedule, mayReport, mayRecord, mayApprove, isAdministrator } = useRights()
  const isPresent = !isDeleted
  const isShown: Record<Tab, boolean> = {
    // For the employee permission alone, the details are the overview.
    overview: mayReport || mayRecord || mayApprove || !mayEmploy,
    days: mayReport,
    schedule: maySchedule && isPresent,
    leave: mayApprove && isPresent,
    details: record !== undefined,
    attendance: record !== undefined,
    signIn: record !== undefined,
    history: isAdministrator,
  }
  return tabs.filter(tab => isShown[tab])
}
