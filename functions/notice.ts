import { Problem } from '../shared/errors.ts'
import {
  mostUnread,
  type Notice,
  type NoticeKind,
  type NoticeParams,
  noticeKey,
  noticeKinds,
  noticeParamsKey,
  noticePaths,
  noticePk,
  permissionFor,
  placeOfNotice,
} from '../shared/notice.ts'
import { fullName } from '../shared/person-name.ts'
import { readNames } from './day/rows.ts'
import { type Caller, rightsOf } from './kit/caller.ts'
import { atOnce } from './kit/each.ts'
import { lambda } from './kit/lambda.ts'
import { again, change } from './kit/table/change.ts'
import { readList } from './kit/table/list.ts'
import { save, type Where } from './kit/table.ts'

const writesAtOnce = 8

const unread: Where = ['isUnread', '=', true]
/** Lists omit a mail-only notice, which exists only for its mail. */
const shown: Where = ['isMailOnly', '=', false]

/** The kinds of notices that the caller may receive, on either side of the site. */
const kindsOf = async ({ table, employee }: Caller): Promise<readonly NoticeKind[]> => {
  const rights = await rightsOf(table, employee)
  return noticeKinds.filter(kind => {
    const needed = permissionFor[kind]
    return needed === undefined || rights?.permissions.has(needed)
  })
}

const withKind = (list: NoticeKind[], kind: NoticeKind, isIncluded: boolean) => [
  ...list.filter(other => other !== kind),
  ...(isIncluded ? [kind] : []),
]

export const handler = lambda(noticePaths, {
  'notice/grid': async ({ filters: { isUnread }, size, page }, { table, employee }) => {
    const { list, ...rest } = await readList<Notice>(table, {
      ranges: [
        {
          ...{ pk: noticePk(employee.id), reverse: true },
          where: [shown, ...(isUnread === undefined ? [] : [['isUnread', '=', isUnread] satisfies Where])],
        },
      ],
      name: `notice ${employee.id} ${isUnread ?? ''}`,
      ...{ size, page },
    })
    const names = await readNames(
      table,
      list.flatMap(({ by }) => (by === undefined ? [] : { employee: by, shift: null })),
    )
    return {
      list: list.map(notice => {
        const { id, kind, at, by, of, day, toDay, request, type, leaveType, status, correction, days } = notice
        const name = by === undefined ? (notice.name ?? of) : fullName(names.employee(by))
        return {
          ...{ id, kind, at, isUnread: notice.isUnread, name, ...(by !== undefined && { employee: of }) },
          ...{ request, type, leaveType, status, correction, days, date: day, toDate: toDay },
          ...placeOfNotice(notice, employee.id),
        }
      }),
      ...rest,
    }
  },

  'notice/count': async (_, { table, employee }) => {
    let count = 0
    const range = { pk: noticePk(employee.id), where: [unread], only: ['expiresAt' as const] }
    for await (const _notice of table.each<Notice>(range)) if (++count === mostUnread) break
    return { count }
  },

  'notice/read': async ({ ids }, { table, employee }) => {
    const notices = ids
      ? await table.getMany(ids.map(id => noticeKey({ employee: employee.id, id })))
      : await table.all<Notice>({ pk: noticePk(employee.id), where: [unread] })
    const missing = notices.flatMap((notice, i) => (notice ? [] : [[`ids.${i}`, 60004 as const]]))
    if (missing.length > 0) throw new Problem(60004, Object.fromEntries(missing))
    await atOnce(writesAtOnce, notices, notice =>
      notice?.isUnread
        ? change(table, noticeKey(notice), stored => (stored.isUnread ? { ...stored, isUnread: false } : undefined))
        : Promise.resolve(undefined),
    )
    return {}
  },

  'notice/params': async (_, caller) => {
    const [params, kinds] = await Promise.all([caller.table.get(noticeParamsKey(caller.employee.id)), kindsOf(caller)])
    return {
      list: kinds.map(kind => ({
        kind,
        isInApp: !params?.notInApp.includes(kind),
        isByMail: !params?.notByMail.includes(kind),
      })),
      hasAddress: caller.employee.email !== undefined,
    }
  },

  'notice/params/update': async ({ list }, { table, employee }) => {
    const key = noticeParamsKey(employee.id)
    await again(async () => {
      const before = await table.get(key)
      const next = list.reduce<NoticeParams>(
        (sum, { kind, isInApp, isByMail }) => ({
          notInApp: withKind(sum.notInApp, kind, !isInApp),
          notByMail: withKind(sum.notByMail, kind, !isByMail),
        }),
        before ?? { notInApp: [], notByMail: [] },
      )
      await save(before ? table.replace(key, { ...next, version: before.version }) : table.insert(key, next))
    })
    return {}
  },
})
