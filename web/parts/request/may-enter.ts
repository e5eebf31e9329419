import { usePerson } from '../../session.tsx'

/** Whether the user may enter requests for an employee: with the approval permission, but never for themselves. */
export const useMayEnter = (): ((employee: string) => boolean) => {
  const { type, auth_item, employee: own } = usePerson()
  const isApprover = type === 'management' && auth_item.some(({ id }) => id === 10)
  return employee => isApprover && employee !== own.id
}
