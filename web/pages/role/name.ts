import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RowOf } from '../../read.ts'

export type Role = RowOf<'role/grid'>

/** The translated name of a system role, or the stored name of a custom role. */
export const useRoleName = () => {
  const { t } = useTranslation('role')
  return useMemo(
    () => (role: Pick<Role, 'id' | 'name' | 'isSystem'>) =>
      role.isSystem ? t(`systemRole.${role.id as 'personnelmanager'}.name`, { defaultValue: role.name }) : role.name,
    [t],
  )
}
