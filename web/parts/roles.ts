import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { roles } from '../../shared/permissions.ts'
import { useRead } from '../read.ts'

type SystemRole = 'personnelmanager' | 'departmentleader'

/** What a role is called: the numbers and the roles made here by their names, the system's in the language of who looks. */
export const useRoles = () => {
  const { t } = useTranslation(['employee', 'role'])
  const { data } = useRead('role/all', {})
  return useMemo(() => {
    const systemName = (id: string) => t(`role:systemRole.${id as SystemRole}.name`)
    const named = (data?.list ?? []).map(({ id, name, isSystem }) => [id, isSystem ? systemName(id) : name] as const)
    const names = new Map(named)
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
        { label: t('role.system'), options: named.filter(([id]) => isSystem.has(id)) },
        { label: t('role.custom'), options: named.filter(([id]) => !isSystem.has(id)) },
      ].filter(({ options }) => options.length > 0),
      nameOf: ({ role, roleId }: { role: number; roleId?: string | undefined }) =>
        names.get(roleId ?? '') ||
        // Of those one does not choose from only the custom ones have names that are not known.
        (roleId && t(`role:systemRole.${roleId as SystemRole}.name`, { defaultValue: '' })) ||
        (role === roles.manager ? t('role.manager') : (plain.find(([number]) => number === String(role))?.[1] ?? '')),
    }
  }, [data, t])
}

/** A role as a form holds it: a number, or the id of a role that has one. */
export const roleValue = ({ role, roleId }: { role: number; roleId?: string | undefined }) => roleId ?? String(role)
export const readRole = (value: string): { role: number; roleId?: string } =>
  /^\d$/.test(value) ? { role: Number(value) } : { role: roles.manager, roleId: value }
