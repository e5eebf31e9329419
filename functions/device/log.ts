import { deviceKey } from '../../shared/device/key.ts'
import type { devicePaths } from '../../shared/device.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { type Punch, recognisedBy } from '../../shared/punch.ts'
import { shownNumber } from '../../shared/terminal/number-owner.ts'
import { readCompany } from '../company/store.ts'
import { readNames } from '../day/rows.ts'
import { manages } from '../kit/caller.ts'
import type { Handlers } from '../kit/lambda.ts'
import { openCursor, sealCursor } from '../kit/table.ts'
import { orphanPunches, seesOrphans } from '../record/orphan.ts'
import { feverTenths, openRecords, type Place } from '../record/read.ts'

/** The place of a page. `till`: the previous page listed unassigned punches down to this instant. */
type LogPlace = Place & { till?: number }

/** The number of days that the log goes back. */
const logDays = 29

export const logHandlers = {
  'device/log/grid': async ({ filters: { serialNumber }, size, page }, caller) => {
    const { table } = caller
    const binding = `log ${caller.company} ${serialNumber}`
    const place = page === undefined ? undefined : ((await openCursor(page, binding)) as unknown as LogPlace)
    const device = await table.get(deviceKey(serialNumber))
    if (!device || !manages(caller, device.department)) return { list: [] }
    const company = await readCompany(caller)
    const today = localDay(device.timezone ?? company.timezone, Date.now())
    // Include tomorrow, because a terminal's clock may be ahead.
    const days = { from: addDays(today, -logDays), to: addDays(today, 1) }
    const read = await openRecords(caller, company, { ...days, device: serialNumber })
    const { list, place: next } = await read(size, place)
    const [names, nobodys] = await Promise.all([
      readNames(
        table,
        list.map(({ row }) => row),
      ),
      seesOrphans(caller) ? orphanPunches(table, serialNumber) : [],
    ])
    const fever = feverTenths(company)
    const measured = ({ mode, verifymode, temperature, mask }: Partial<Punch>) => ({
      ...{ mode, verifymode, mask },
      ...(temperature !== undefined && { temperature: temperature / 10, isHigh: temperature >= fever }),
    })
    // Each page includes the unassigned punches between the previous page and its own last row.
    const { till = Number.POSITIVE_INFINITY } = place ?? {}
    const last = list.at(-1)?.at
    const since = next ? (last ?? Number.POSITIVE_INFINITY) : Date.parse(`${days.from}T00:00:00Z`)
    const among = nobodys.filter(({ at }) => Date.parse(at) < till && Date.parse(at) >= since)
    return {
      list: [
        ...list.map(({ row, at, punch }) => {
          const { first_name, last_name, workno } = names.employee(row.employee)
          return {
            ...{ employee: row.employee, first_name, last_name, workno },
            // The zone of the terminal, where known.
            ...{ at: new Date(at).toISOString(), timezone: punch?.zone ?? row.zone },
            ...{ means: punch && recognisedBy(punch), ...measured(punch ?? {}) },
          }
        }),
        ...among.map(punch => ({
          ...{ first_name: '', last_name: '', workno: shownNumber(punch.number) },
          ...{ at: punch.at, timezone: punch.zone, means: recognisedBy(punch), ...measured(punch) },
        })),
      ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
      ...(next && { next: await sealCursor({ ...next, till: last ?? place?.till }, binding) }),
    }
  },
} satisfies Pick<Handlers<typeof devicePaths>, 'device/log/grid'>
