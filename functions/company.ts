import { accountKey } from '../shared/account.ts'
import { defaultParameters } from '../shared/attendance/input.ts'
import {
  type Company,
  companyKey,
  companyPaths,
  defaultPrevention,
  defaultRetentionMonths,
  feverBounds,
  industries,
  leaveTypesOf,
  logoKey,
  logoUploadKey,
  mostLogoBytes,
  mostLogoPixels,
  nameFormats,
  sizes,
  zoneKey,
  zonesKey,
} from '../shared/company.ts'
import { departmentKey } from '../shared/department.ts'
import { Problem } from '../shared/errors.ts'
import { cleanPicture } from '../shared/image.ts'
import { defaultPayPeriod } from '../shared/pay-period.ts'
import { defaultBrowserPunch } from '../shared/personal/browser-punch.ts'
import { defaultCorrectionRule, defaultObjectionDays } from '../shared/record/rule.ts'
import { timeRulesOf, withRules } from './attparams/rule.ts'
import { foundCompany } from './company/found.ts'
import { readCompany } from './company/store.ts'
import type { Caller } from './kit/caller.ts'
import { openFiles } from './kit/files.ts'
import { newId } from './kit/id.ts'
import { lambda } from './kit/lambda.ts'
import { limit } from './kit/rate.ts'
import { seal, unseal } from './kit/secrets.ts'
import { continueSession } from './kit/session.ts'
import { change } from './kit/table/change.ts'
import { directory, type Item, save } from './kit/table.ts'
import { beginTask, owe } from './kit/task.ts'
import { beginLoad, beginRemove, hideSteps, showSample } from './sample/store.ts'
import { accountOf, mayManage, membershipsOf } from './user/sign-in.ts'

const readManageable = async (account: string) => {
  const stored = await accountOf(account)
  return stored ? (await membershipsOf(stored)).filter(({ employee, isOver }) => mayManage(employee) && !isOver) : []
}

const purposeOf = (company: string) => ({ company, purpose: 'comm_pwd' })

/** Replaces the settings at the version that the caller read. A stale version fails. */
const replaceSettings = async (caller: Caller, version: number, alter: (company: Item<Company>) => Company) =>
  caller.table.replace(companyKey(), { ...alter(await readCompany(caller)), version })

/** Sets the company's logo. Succeeds despite concurrent changes of other settings. */
const setLogo = async (logo: string | undefined, { table }: Caller) => {
  const company = await change(table, companyKey(), ({ logo: before, ...company }) =>
    before === logo ? undefined : { ...company, ...(logo && { logo }) },
  )
  if (!company) throw new Problem(502)
  return { version: company.version }
}

export const handler = lambda(companyPaths, {
  'company/add': async (form, caller) => {
    const { first_name, last_name } = caller.employee
    const account = await accountOf(caller.session.account)
    if (!account) throw new Problem(502)
    // An owner needs an address for mail and for recovering access.
    if (!account.email) throw new Problem(21001)
    // Another person set this password and could sign in to the new company with it.
    if (account.passwordSetBy) throw new Problem(60032)
    await limit({ scope: 'company-add', key: account.id, times: 10, minutes: 24 * 60 })
    const owner = { account: account.id, email: account.email, first_name, last_name }
    const { company, employee, writes } = await foundCompany(form, owner, caller)
    const memberships = [...account.memberships, { company, employee }]
    const token = await continueSession(
      caller,
      { company, employee, type: 'management' },
      directory().replace(accountKey(account.id), { ...account, memberships }),
      ...writes,
    )
    return { token, company_id: company }
  },

  'company/get': async (_, caller) => {
    const company = await readCompany(caller)
    const { id, name, company_num, address, country, state, city, industry_id, size_id, logo } = company
    const { splitTime, firstWeekday } = company.parameters ?? defaultParameters
    return {
      id,
      name,
      company_num,
      address,
      country,
      state,
      city,
      industry_id,
      size_id,
      storesTemplates: company.storesTemplates ?? false,
      retentionMonths: company.retentionMonths ?? defaultRetentionMonths,
      timezone: company.timezone,
      dateformat_id: company.dateformat_id,
      timeformat_id: company.timeformat_id,
      nameformat_id: company.nameformat_id ?? nameFormats.givenFirst,
      ...{ splitTime, firstWeekday },
      payPeriod: company.payPeriod ?? defaultPayPeriod,
      leaveTypes: leaveTypesOf(company),
      ...(logo && { logo: await openFiles(id).address(logoKey, logo) }),
      hasPassword: company.comm_pwd !== undefined,
      areStepsHidden: company.areStepsHidden ?? false,
      version: company.version,
    }
  },

  'company/update': async ({ version, ...form }, caller) => {
    await save(
      await replaceSettings(caller, version, company => {
        const { address: _a, country: _c, state: _s, city: _t, industry_id: _i, size_id: _z, ...others } = company
        return { ...others, ...form }
      }),
    )
    return {}
  },

  'company/time/update': async (form, caller) => {
    const { version, from, leaveTypes, timezone, dateformat_id, timeformat_id } = form
    const company = await readCompany(caller)
    const { nameformat_id = company.nameformat_id } = form
    const areNamesChanged =
      (nameformat_id ?? nameFormats.givenFirst) !== (company.nameformat_id ?? nameFormats.givenFirst)
    const { book, changedFrom } = withRules(company, timeRulesOf(form), from)
    const { writes, ...started } = owe(
      caller,
      'company/time/update',
      changedFrom === undefined && !areNamesChanged ? undefined : { ...form, from: changedFrom },
    )
    await save(
      caller.table.replace(companyKey(), {
        ...company,
        ...book,
        dateformat_id,
        timeformat_id,
        ...(nameformat_id !== undefined && { nameformat_id }),
        ...(form.payPeriod && { payPeriod: form.payPeriod }),
        ...(leaveTypes && {
          leaveTypes: [
            ...(company.leaveTypes ?? []).filter(({ id }) => !leaveTypes.some(type => type.id === id)),
            ...leaveTypes,
          ],
        }),
        version,
      }),
      // The job that closes the days of a zone finds its companies by these items.
      ...(timezone === company.timezone
        ? []
        : [
            directory().remove(zoneKey(company.timezone, company.id)),
            directory().put(zoneKey(timezone, company.id), { company: company.id }),
            directory().put(zonesKey(timezone), { zone: timezone }),
          ]),
      ...writes,
    )
    return started
  },

  'company/time/preview': async (form, caller) => {
    const company = await readCompany(caller)
    withRules(company, timeRulesOf(form), form.from)
    if (company.version !== form.version) throw new Problem(60006)
    return beginTask(caller, 'company/time/preview', form)
  },

  'company/prevention': async (_, caller) => {
    const { prevention = defaultPrevention, version } = await readCompany(caller)
    return { ...prevention, version }
  },

  'company/prevention/update': async ({ version, ...prevention }, caller) => {
    const [least, highest] = feverBounds[prevention.temp_unit]
    if (prevention.fever_threshold < least || prevention.fever_threshold > highest)
      throw new Problem(10002, { fever_threshold: 10002 })
    await save(await replaceSettings(caller, version, company => ({ ...company, prevention })))
    return {}
  },

  'company/punch': async (_, caller) => {
    const { browserPunch = defaultBrowserPunch, version } = await readCompany(caller)
    const { departments, ...settings } = browserPunch
    // Leaves out deleted departments. Without remaining departments, browser punches are off until a manager chooses
    // other departments.
    const stored = departments && (await caller.table.getMany(departments.map(departmentKey)))
    const existing = stored?.flatMap(department => department?.id ?? [])
    return {
      ...settings,
      ...(existing && { departments: existing }),
      isOn: settings.isOn && existing?.length !== 0,
      version,
    }
  },

  'company/punch/update': async ({ version, ...browserPunch }, caller) => {
    const { departments = [] } = browserPunch
    const stored = await caller.table.getMany(departments.map(departmentKey))
    const fields = Object.fromEntries(
      stored.flatMap((department, i) => (department ? [] : [[`departments.${i}`, 60004 as const]])),
    )
    if (Object.keys(fields).length > 0) throw new Problem(60004, fields)
    await save(await replaceSettings(caller, version, company => ({ ...company, browserPunch })))
    return {}
  },

  'company/correction': async (_, caller) => {
    const {
      correctionRule = defaultCorrectionRule,
      objectionDays = defaultObjectionDays,
      correctionReachDays,
      version,
    } = await readCompany(caller)
    return { correctionRule, objectionDays, correctionReachDays, version }
  },

  'company/schedule': async (_, caller) => {
    const { draftsSchedule = false, version } = await readCompany(caller)
    return { draftsSchedule, version }
  },

  'company/schedule/update': async ({ version, draftsSchedule }, caller) => {
    await save(await replaceSettings(caller, version, company => ({ ...company, draftsSchedule })))
    return {}
  },

  'company/correction/update': async ({ version, ...rule }, caller) => {
    await save(
      await replaceSettings(caller, version, ({ correctionReachDays: _, ...company }) => ({ ...company, ...rule })),
    )
    return {}
  },

  'company/sample': (_, caller) => showSample(caller),
  'company/sample/load': (_, caller) => beginLoad(caller),
  'company/sample/remove': (_, caller) => beginRemove(caller),

  'company/steps/update': async ({ areHidden }, caller) => {
    await hideSteps(caller, areHidden)
    return {}
  },

  'company/industry_list': async () => ({
    list: Object.entries(industries).map(([id, name]) => ({ id: Number(id), name })),
  }),

  'company/size_list': async () => ({
    list: sizes.map(({ id, from, ...size }) =>
      'to' in size ? { id, name: `${from}–${size.to}`, from, to: size.to } : { id, name: `${from}+`, from },
    ),
  }),

  'company/logo': async ({ type }, { company }) => {
    const upload = newId()
    const form = await openFiles(company).form(logoUploadKey(upload), { type, mostBytes: mostLogoBytes })
    return { upload, ...form }
  },

  'company/logo/save': async ({ upload }, caller) => {
    const files = openFiles(caller.company)
    const uploaded = await files.read(logoUploadKey(upload))
    if (!uploaded) throw new Problem(60004, { upload: 60004 })
    const picture = cleanPicture(uploaded)
    if (!picture) throw new Problem(10002, { upload: 10002 })
    if (Math.max(picture.width, picture.height) > mostLogoPixels) throw new Problem(60002, { upload: 60002 })
    await files.write(logoKey, picture)
    const saved = await setLogo(upload, caller)
    await files.remove(logoUploadKey(upload))
    return saved
  },

  'company/logo/delete': async (_, caller) => {
    await openFiles(caller.company).remove(logoKey)
    return setLogo(undefined, caller)
  },

  'company/list': async (_, { session }) => ({
    list: (await readManageable(session.account)).map(({ company, name, company_num }) => ({
      id: company,
      name,
      company_num,
    })),
  }),

  'company/password': async ({ comm_pwd }, caller) => {
    const { company, table } = caller
    const sealed = await seal(comm_pwd, purposeOf(company))
    await change(table, companyKey(), settings => ({ ...settings, comm_pwd: sealed }))
    return {}
  },

  'company/password/get': async (_, caller) => {
    const { company, table } = caller
    const { comm_pwd, name } = await readCompany(caller)
    if (comm_pwd === undefined) return {}
    // Log the reading before the answer, so that the audit contains every reading.
    await save(table.note({ noun: 'company', id: company, name, change: 'read', fields: { comm_pwd: {} } }))
    return { comm_pwd: await unseal(comm_pwd, purposeOf(company)) }
  },

  'company/select': async ({ id }, caller) => {
    const membership = (await readManageable(caller.session.account)).find(({ company }) => company === id)
    if (!membership) throw new Problem(21022)
    return { token: await continueSession(caller, { company: id, employee: membership.employee.id }) }
  },
})
