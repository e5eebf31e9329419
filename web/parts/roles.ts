import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../shared/permissions.ts'
import { useRead } from '../read.ts'

type SystemRole = 'personnelmanager' | 'departmentleader'

/**
 * The names of the roles. Custom roles have their stored names. Fixed and system roles have names in the user's
 * language.
 */
export const useRoles = () => {
  const { t } = useTranslation(['employee', 'role'])
  const { data } = useRead('role/all', {})
  return useMemo(() => {
    const systemName = (id: string) => t(`role:systemRole.${id as SystemRole}.name`)
    const labels = (data?.list ?? []).map(({ id, name, isSystem }) => [id, isSystem ? systemName(id) : name] as const)
    const names = new Map(labels)
    const isSystem = new Set(data?.list.filter(role => role.isSystem).map(({ id }) => id))
    const plain = [
      [String(roles.none), t('role.none')],
      [String(roles.employee), t('role.employee')],
      [String(roles.administrator), t('role.administrator')],
    ] as const
    return {
      isKnown: data !== undefined,
      plain,
      groups: [
        { label: t('role.system'), options: labels.filter(([id]) => isSystem.has(id)) },
        { label: t('role.custom'), options: labels.filter(([id]) => !isSystem.has(id)) },
      ].filter(({ options }) => options.length > 0),
      nameOf: ({ role, roleId }: { role: number; roleId?: string | undefined }) =>
        names.get(roleId ?? '') ||
        // The list contains only assignable roles. Of the remaining roles, the browser lacks only the names of custom
        // ones.
        (roleId && t(`role:systemRole.${roleId as SystemRole}.name`, { defaultValue: '' })) ||
        (role === roles.manager ? t('role.manager') : (plain.find(([number]) => number === String(role))?.[1] ?? '')),
    }
  }, [data, t])
}

/** A role as a form value: the role's id if it has one, otherwise its number. */
export const roleValue = ({ role, roleId }: { role: number; roleId?: string | undefined }) => roleId ?? String(role)
export const readRole = (value: string): { role: number; roleId?: string } =>
  /^\d$/.test(value) ? { role: Number(value) } : { role: roles.manager, roleId: value }
