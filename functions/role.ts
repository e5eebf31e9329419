import { departmentKey } from '../shared/department.ts'
import { Problem } from '../shared/errors.ts'
import { type CustomRole, roleKey, rolePaths } from '../shared/role.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { save } from './kit/table.ts'

export const handler = lambda(rolePaths, {
  'role/all': async (_, { table }) => ({
    list: (await table.all<CustomRole>({ pk: roleKey('').pk })).map(({ id, name }) => ({ id, name })),
  }),

  'role/grid': async ({ size, page }, { table }) => table.page<CustomRole>({ pk: roleKey('').pk, size, page }),

  'role/add': async (form, { table }) => {
    const departments = await table.getMany(form.departments.map(departmentKey))
    const unknown = departments.indexOf(undefined)
    if (unknown >= 0) throw new Problem(60004, { [`departments.${unknown}`]: 60004 })
    const id = newId()
    await save(table.insert(roleKey(id), { id, ...form, createdAt: new Date().toISOString() }))
    return { id }
  },
})
