import { deviceKey } from '../../shared/device/key.ts'
import type { Device, devicePaths } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import { type Quarantined, quarantinedId, quarantineKey } from '../../shared/punch.ts'
import { readCompany } from '../company/store.ts'
import { type Caller, manages } from '../kit/caller.ts'
import { atOnce } from '../kit/each.ts'
import type { Handlers } from '../kit/lambda.ts'
import { readList } from '../kit/table/list.ts'
import { type Item, inSaves, save } from '../kit/table.ts'
import { file } from '../terminal/intake.ts'

/** The number of parallel transactions, because a wrong clock may fill the quarantine with thousands of records. */
const savesAtOnce = 8

const readHeld = async (caller: Caller, id: string): Promise<Item<Quarantined>> => {
  const [sn = '', hash = ''] = id.split('#')
  const [held, device] = await Promise.all([caller.table.get(quarantineKey(sn, hash)), caller.table.get(deviceKey(sn))])
  if (!held || !manages(caller, device?.department ?? '')) throw new Problem(60004, { id: 60004 })
  return held
}

/** The quarantine of one terminal or of all. Its sort key contains the serial number and a hash. */
const heldBy = (serialNumber: string | undefined) => ({
  pk: quarantineKey('', '').pk,
  ...(serialNumber && { from: `${serialNumber}#`, to: `${serialNumber}#~` }),
})

export const quarantineHandlers = {
  'device/quarantine': async ({ filters, size, page }, caller) => {
    const { serialNumber } = filters
    const devices = new Map<string, Device | undefined>()
    const { list, ...rest } = await readList<Quarantined>(caller.table, {
      ranges: [heldBy(serialNumber)],
      ...{ name: `quarantine ${serialNumber}`, size, page },
      learn: async rows => {
        const unknown = [...new Set(rows.map(({ sn }) => sn))].filter(sn => !devices.has(sn))
        const stored = await caller.table.getMany(unknown.map(deviceKey))
        for (const [i, sn] of unknown.entries()) devices.set(sn, stored[i])
      },
      keep: ({ sn }) => manages(caller, devices.get(sn)?.department ?? ''),
    })
    return {
      list: list.map(held => ({
        ...{ id: quarantinedId(held), serialNumber: held.sn, deviceName: devices.get(held.sn)?.name },
        ...{ reason: held.reason, raw: held.raw, receivedAt: held.receivedAt },
      })),
      ...rest,
    }
  },

  'device/quarantine/replay': async ({ id }, caller) => {
    const held = await readHeld(caller, id)
    const [device, company] = await Promise.all([caller.table.get(deviceKey(held.sn)), readCompany(caller)])
    const { filed, left } = await file(
      {
        table: caller.table,
        sn: held.sn,
        zone: held.zone ?? device?.timezone ?? company.timezone,
        generation: device?.generation ?? 0,
        profile: held.profile,
      },
      held,
      Date.now(),
    )
    if (left === 0) await save(caller.table.remove(quarantineKey(held.sn, held.hash)))
    return { filed, left }
  },

  'device/quarantine/delete': async ({ id, serialNumber }, caller) => {
    const { table } = caller
    if (id === undefined && serialNumber === undefined) throw new Problem(10002, { id: 10002 })
    const missing = new Problem(60004, { serialNumber: 60004 })
    const device = serialNumber === undefined ? undefined : await table.get(deviceKey(serialNumber))
    if (serialNumber !== undefined && !manages(caller, device?.department ?? '')) throw missing
    const held = id === undefined ? undefined : await readHeld(caller, id)
    const sn = serialNumber ?? held?.sn ?? ''
    if (held && held.sn !== sn) throw missing
    const all = held ? [held] : await table.all<Quarantined>({ ...heldBy(sn), only: ['hash'] })
    // Allow a missing terminal, because the quarantine outlives a deleted terminal.
    if (all.length === 0 && !device) throw missing
    const removal = ({ hash }: Pick<Quarantined, 'hash'>) => table.remove(quarantineKey(sn, hash))
    await atOnce(
      savesAtOnce,
      inSaves(all, held => [removal(held)]),
      some => save(...some.map(removal)),
    )
    return {}
  },
} satisfies Pick<
  Handlers<typeof devicePaths>,
  'device/quarantine' | 'device/quarantine/replay' | 'device/quarantine/delete'
>
