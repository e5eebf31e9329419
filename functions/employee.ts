import type { AuditedChange } from '../shared/audit.ts'
import type { Template } from '../shared/credential.ts'
import {
  type Employee,
  employeeKey,
  employeePaths,
  employeeSearchText,
  formerEmployeeKey,
  photoKey,
  photoUploadKey,
} from '../shared/employee.ts'
import { Problem } from '../shared/errors.ts'
import { cleanPicture, mostPhotoBytes, mostPhotoPixels, type Picture } from '../shared/image.ts'
import { roles } from '../shared/permissions.ts'
import { fullName } from '../shared/person-name.ts'
import { searchQuery } from '../shared/search.ts'
import { verificationOf } from '../shared/terminal/punch-mode.ts'
import { readCompany } from './company/store.ts'
import { type Owner, readTemplates, removeTemplate } from './credential/shred.ts'
import { openTemplate, readCredential, saveCredential, storeTemplate } from './credential/store.ts'
import { checkEmployments, rehire } from './employee/employment.ts'
import { changeableEmployee, checkEmployee, managedEmployee, withoutTwice, withoutWait } from './employee/form.ts'
import { countListed, listEmployees } from './employee/list.ts'
import { changeMany } from './employee/many.ts'
import { nextNumber } from './employee/number.ts'
import { getPerson } from './employee/person.ts'
import { named, withReading } from './employee/reading.ts'
import { saveChanged } from './employee/save.ts'
import { addEmployee, alterEmployee, findEmployee, showEmployee } from './employee/store.ts'
import { depart } from './erasure/departure.ts'
import { confirmGone, listErasures, placeErasure } from './erasure/store.ts'
import { type Caller, managesEmployee } from './kit/caller.ts'
import { openFiles } from './kit/files.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { again } from './kit/table/change.ts'
import { type Item, save } from './kit/table.ts'
import { beginTask, newTask } from './kit/task.ts'
import { beginImport } from './sheet/begin.ts'
import { givePassword, settleRaise } from './user/account.ts'
import { mailInvitations, makeInvitation, readInvitation, readInvited, revokeInvitations } from './user/invitation.ts'
import { accountOf } from './user/sign-in.ts'

/** Fields that a form may omit. The save removes omitted fields. */
const unsaid = {
  departments: undefined,
  position: undefined,
  email: undefined,
  tel: undefined,
  hireDay: undefined,
  endDay: undefined,
  roleId: undefined,
}

const show = async (employee: Item<Employee>, { company }: Caller) => ({
  ...showEmployee(employee),
  ...(employee.photo && { photo: await openFiles(company).address(photoKey(employee.id), employee.photo) }),
})
const showAll = async (employees: Item<Employee>[], caller: Caller) => {
  const invited = await readInvited(caller.table, employees)
  return Promise.all(
    employees.map(async employee => ({ ...(await show(employee, caller)), ...invited.get(employee.id) })),
  )
}

/** Changes only the photo of an employee. Returns undefined for a deleted employee. */
const setPhoto = (id: string, photo: string | undefined, { table }: Caller) =>
  alterEmployee(table, id, ({ photo: before, ...employee }) =>
    before === photo ? undefined : { ...employee, ...(photo && { photo }) },
  )

/**
 * The uploaded picture for an employee. Throws 60004 without an upload, 10002 for other files, 60002 for large
 * pictures.
 */
const readUpload = async (company: string, id: string, upload: string): Promise<Picture> => {
  const sent = await openFiles(company).read(photoUploadKey(id, upload))
  if (!sent) throw new Problem(60004, { upload: 60004 })
  const picture = cleanPicture(sent)
  if (!picture) throw new Problem(10002, { upload: 10002 })
  if (Math.max(picture.width, picture.height) > mostPhotoPixels) throw new Problem(60002, { upload: 60002 })
  return picture
}

/**
 * The owner of secrets that the caller may read and change. Throws for other callers, who could otherwise punch in that
 * person's name.
 */
const ownerOf = async (caller: Caller, id: string): Promise<Owner> => {
  await changeableEmployee(caller, id)
  return { table: caller.table, company: caller.company, employee: id }
}

/** Records in the audit that the caller read a secret. */
const noteReading = ({ table, employee: id }: Owner, name: string, fields: AuditedChange['fields']) =>
  save(table.note({ noun: 'credential', id, name, change: 'read', fields }))

const shownTemplate = ({ registeredAt, serialNumber }: Template) => ({
  registeredAt,
  ...(serialNumber && { serialNumber }),
})

const showFormer = ({ id, first_name, last_name, workno, department, endDay, erasedAt }: Employee) => ({
  ...{ id, first_name, last_name, workno, department },
  ...(endDay && { endDay }),
  ...(erasedAt && { erasedAt }),
})

export const handler = lambda(employeePaths, {
  'employee/grid': async (input, caller) => {
    const page = await listEmployees(caller, input)
    return { ...page, list: await showAll(page.list, caller) }
  },

  'employee/count': async ({ filters }, caller) => {
    const count = await countListed(caller, filters)
    return count === undefined ? {} : { count }
  },

  'employee/get': async ({ id }, caller) => {
    const { shown, record } = await getPerson(id, caller)
    const [employee] = record ? await showAll([record], caller) : []
    return { ...shown, ...(employee && { record: employee }) }
  },

  'employee/add': async ({ password, ...form }, caller) => {
    await checkEmployee(form, caller)
    const id = newId()
    const { signIn, writes } = await givePassword(caller, { id }, password)
    const employee = await named({ id, ...withoutTwice(form), ...signIn }, await readCompany(caller))
    await save(...addEmployee(caller.table, employee), ...writes)
    return { id }
  },

  'employee/update': async ({ password, version, removesDays, ...form }, caller) => {
    const before = await changeableEmployee(caller, form.id)
    await checkEmployee(form, caller, before)
    await checkEmployments(caller, before, form, removesDays)
    const { signIn, writes } = await givePassword(caller, before, password)
    const changed = { ...before, ...unsaid, ...withoutTwice(form), ...signIn, version }
    const now = await withReading(withoutWait(changed))
    const { mustJoin } = await saveChanged(caller, before, now, {
      signIn: writes,
      endsSessions: password !== undefined,
    })
    return mustJoin ? { mustJoin } : {}
  },

  'employee/update/many': (input, caller) => changeMany(caller, input),

  'employee/workno': async (_, { table }) => ({ workno: await nextNumber(table) }),

  'employee/rehire': async (form, caller) => {
    await rehire(caller, form)
    return {}
  },

  'employee/sign_in': async ({ id }, caller) => {
    const employee = await managedEmployee(caller, id)
    const account = await accountOf(employee.account)
    const { email } = account ?? employee
    const giver = account ? employee.passwordSetBy : employee.emailSetBy
    const givenBy = giver !== undefined && giver !== id && (await findEmployee(caller.table, giver))
    const { mustJoin } = await settleRaise(caller, employee, { ...employee, role: roles.administrator })
    return {
      canSignIn: account !== undefined,
      ...(email !== undefined && { email }),
      ...(givenBy && { givenBy: fullName(givenBy) }),
      mustJoin,
    }
  },

  'employee/delete': async ({ id }, caller) => {
    const employee = await changeableEmployee(caller, id)
    if (employee.isOwner || id === caller.employee.id) throw new Problem(59012)
    const { timezone } = await readCompany(caller)
    await depart({ table: caller.table, company: caller.company, timezone }, employee, former => former)
    return {}
  },

  'employee/send_qrcode': async ({ ids }, caller) => mailInvitations(caller, ids),

  'employee/login_link': async ({ id }, caller) => {
    const { url, expiresAt } = await makeInvitation(caller, id)
    return { url, expiresAt }
  },

  'employee/qrcode': async ({ id }, caller) => makeInvitation(caller, id),

  'employee/qrcode/get': ({ id }, caller) => readInvitation(caller, id),

  'employee/qrcode/revoke': async ({ id }, caller) => {
    await revokeInvitations(caller, id)
    return {}
  },

  'employee/import': (input, caller) => beginImport(caller, 'employee/import', input),
  'employee/export': (input, caller) => beginTask(caller, 'employee/export', input),

  'employee/photo/list': async ({ ids }, caller) => {
    const people = await caller.table.getMany([...new Set(ids)].map(employeeKey))
    const files = openFiles(caller.company)
    const shown = people.flatMap(person =>
      person?.photo && managesEmployee(caller, person) ? [{ id: person.id, photo: person.photo }] : [],
    )
    return {
      list: await Promise.all(
        shown.map(async ({ id, photo }) => ({ id, photo: await files.address(photoKey(id), photo) })),
      ),
    }
  },

  'employee/photo': async ({ id, type }, caller) => {
    await changeableEmployee(caller, id)
    const upload = newId()
    const form = await openFiles(caller.company).form(photoUploadKey(id, upload), { type, mostBytes: mostPhotoBytes })
    return { upload, ...form }
  },

  'employee/photo/save': async ({ id, upload }, caller) => {
    await changeableEmployee(caller, id)
    const files = openFiles(caller.company)
    const picture = await readUpload(caller.company, id, upload)
    await files.write(photoKey(id), picture)
    const employee = await setPhoto(id, upload, caller)
    await files.remove(photoUploadKey(id, upload))
    if (employee) return { version: employee.version }
    await files.remove(photoKey(id))
    throw new Problem(60004, { id: 60004 })
  },

  'employee/photo/delete': async ({ id }, caller) => {
    await changeableEmployee(caller, id)
    await openFiles(caller.company).remove(photoKey(id))
    const employee = await setPhoto(id, undefined, caller)
    if (!employee) throw new Problem(60004, { id: 60004 })
    return { version: employee.version }
  },

  'employee/attendance/get': async ({ id }, caller) => {
    const owner = await ownerOf(caller, id)
    const [credential, { fingers, face }, { storesTemplates = false }] = await Promise.all([
      readCredential(owner),
      readTemplates(owner),
      readCompany(caller),
    ])
    const { punchMode = 0, card, password, version } = credential ?? {}
    const shown = { ...(card && { card: {} }), ...(password && { password: {} }) }
    if (card || password) await noteReading(owner, '', shown)
    return {
      punchMode,
      verification: verificationOf(punchMode),
      ...(card && { card }),
      ...(password && { password }),
      fingers: fingers.map(finger => ({ sign: finger.sign, ...shownTemplate(finger) })),
      ...(face && { face: shownTemplate(face) }),
      storesTemplates,
      ...(version && { version }),
    }
  },

  'employee/attendance/update': async ({ id, version, ...form }, caller) => ({
    version: await saveCredential(await ownerOf(caller, id), form, version),
  }),

  'employee/attendance/finger/get': async ({ id }, caller) => {
    const { fingers } = await readTemplates(await ownerOf(caller, id))
    return {
      list: fingers.map(finger => ({ sign: finger.sign, algorithm: finger.algorithm, ...shownTemplate(finger) })),
    }
  },

  'employee/attendance/face/get': async ({ id }, caller) => {
    const owner = await ownerOf(caller, id)
    const { face } = await readTemplates(owner)
    const picture = face && (await openTemplate(owner, face))
    if (!picture) return {}
    await noteReading(owner, 'face 1', { image: {} })
    const image = `data:${face.algorithm};base64,${picture.toString('base64')}`
    return { face: { ...shownTemplate(face), image } }
  },

  'employee/attendance/face/update': async ({ id, upload }, caller) => {
    const owner = await ownerOf(caller, id)
    if (upload === null) {
      await removeTemplate(owner, 'face', 0)
      return {}
    }
    if (!(await readCompany(caller)).storesTemplates) throw new Problem(60020, { upload: 60020 })
    const { type, bytes } = await readUpload(caller.company, id, upload)
    await storeTemplate(owner, { kind: 'face', sign: 0, algorithm: type, bytes })
    await openFiles(caller.company).remove(photoUploadKey(id, upload))
    return {}
  },

  'employee/former/grid': async ({ filters, size, page }, { table }) => {
    const pk = formerEmployeeKey('').pk
    const text = filters.search && searchQuery(filters.search)
    if (!text) {
      const { list, next } = await table.page<Employee>({ pk, reverse: true, size, page })
      return { list: list.map(showFormer), ...(next && { next }) }
    }
    const matching = (await table.all<Employee>({ pk, reverse: true })).filter(former =>
      employeeSearchText(former).includes(text),
    )
    const { list, next } = await table.slice(matching, { name: `former ${text}`, size, page })
    return { list: list.map(showFormer), ...(next && { next }) }
  },

  'employee/erase': async ({ id }, caller) => {
    const employee = await findEmployee(caller.table, id)
    if (!employee) throw new Problem(60004, { id: 60004 })
    if (employee.isOwner || id === caller.employee.id) throw new Problem(59012)
    // Of several concurrent calls one starts the erasure; the others return its task.
    return again(async () => {
      const { underWay, writes: placed } = await placeErasure(caller.table, id)
      if (underWay) return { task: underWay.id }
      const { task, writes } = newTask(caller, 'employee/erase', { id })
      const startedAt = new Date().toISOString()
      await save(...writes, ...placed({ id: task, by: caller.employee.id, employee: id, startedAt }))
      return { task }
    })
  },

  'employee/erase/grid': async (_, { table }) => ({ list: await listErasures(table) }),

  'employee/erase/confirm': async ({ task, serialNumber }, { table }) => {
    await confirmGone(table, task, serialNumber)
    return {}
  },

  'employee/data': async ({ id }, caller) => {
    if (!(await findEmployee(caller.table, id))) throw new Problem(60004, { id: 60004 })
    return beginTask(caller, 'employee/data', { id })
  },
})
