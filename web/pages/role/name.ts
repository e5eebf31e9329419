import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RowOf } from '../../read.ts'

export type Role = RowOf<'role/grid'>

/** A system role is called in everybody's language, a custom one as it was named. */
export const useRoleName = () => {
  const { t } = useTranslation('role')
  return useMemo(
    () => (role: Pick<Role, 'id' | 'name' | 'isSystem'>) =>
      role.isSystem ? t(`systemRole.${role.id as 'personnelmanager'}.name`, { defaultValue: role.name }) : role.name,
    [t],
  )
}
