import { deviceKey } from '../../shared/device/key.ts'
import type { Device, devicePaths } from '../../shared/device.ts'
import { Problem } from '../../shared/errors.ts'
import type { Handlers } from '../kit/lambda.ts'
import { again } from '../kit/table/change.ts'
import { type Item, save } from '../kit/table.ts'
import { claimFor } from '../terminal/claim.ts'
import { cancelOfFormer } from '../terminal/command.ts'
import { recordsSince } from '../terminal/talk.ts'
import { askForUsers } from '../terminal/user.ts'
import { end, managed } from './managed.ts'

/** The fields that new hardware does not inherit from the previous hardware. */
const ofOtherHardware = {
  ...{ reconcileFrom: undefined, pageLostAt: undefined, allAsked: undefined, refusedDeliveries: undefined },
  ...{ uploadedAt: undefined, reconciledOn: undefined, recovered: undefined },
  ...{ clockZone: undefined, driftSeconds: undefined, settings: undefined, fingerAlgorithm: undefined },
  ...{ listed: undefined, quiet: undefined },
  ...{ users: undefined, templates: undefined, faces: undefined, records: undefined },
  ...{ unsent: undefined, counted: undefined, wroteAt: undefined },
} satisfies Partial<Device>

export const approveHandlers = {
  'device/approve': async ({ serialNumber, isApproved, pendingAt }, caller) => {
    const now = new Date().toISOString()
    const ended = await again(async () => {
      const device = await managed(caller, serialNumber)
      const { pending, connection, refused } = device
      const edition = device.edition + 1
      const key = deviceKey(serialNumber)
      if (isApproved && device.state === 'claimed' && refused?.bare && pendingAt === refused.at) {
        const { cpusn, mac, protocol } = refused.bare
        const seen = { authentication: 'claim' as const, pathSecretHash: undefined, cpusn, mac, protocol }
        const claim = await claimFor(caller.company, serialNumber, Date.parse(now))
        // The terminal holds the punches made since the claim.
        const opened = {
          ...device,
          ...seen,
          claimedAt: now,
          recordsFrom: recordsSince(device),
          refused: undefined,
          edition,
        }
        await save(caller.table.replace(key, opened), ...claim)
        return undefined
      }
      if (pendingAt !== undefined && pendingAt !== pending?.at) throw new Problem(60006)
      if (!isApproved) {
        const denied = pending && { ...pending, at: now }
        // ADMS requests do not identify the hardware, so two terminals behind one address look alike.
        if (pending?.protocol === 'adms' && device.protocol === 'adms' && pending.ip === device.ip)
          throw new Problem(60074)
        if (pending)
          await save(caller.table.replace(key, { ...device, state: 'bound', pending: undefined, denied, edition }))
        return undefined
      }
      // A stale page must not approve a bound terminal again.
      if (device.state === 'bound') throw new Problem(60006)
      const { cpusn, mac, protocol } = pending ?? {}
      const isNamed = cpusn !== undefined || mac !== undefined
      const approved: Item<Device> = {
        ...device,
        // Binds the hardware that the page showed, or the next hardware if the page showed none.
        state: isNamed ? 'bound' : 'claimed',
        ...{ claimedAt: now, cpusn, mac, protocol: isNamed ? protocol : undefined },
        // The terminal holds the punches made while it waited for approval.
        recordsFrom: pending?.at ?? recordsSince(device),
        ...(pending && ofOtherHardware),
        ...{ pending: undefined, denied: undefined, connection: undefined },
        emptiedAt: now,
        ...(pending && { resetAt: now, replacedAt: now }),
        edition,
      }
      const claim = isNamed ? [] : await claimFor(caller.company, serialNumber, Date.parse(now))
      const first = isNamed && protocol !== 'adms' ? [askForUsers(caller.table, serialNumber, { isFirst: true })] : []
      await save(caller.table.replace(key, approved), ...claim, ...first)
      return connection
    })
    if (ended) await end(ended)
    // End commands for the former hardware at once, so that their authors do not wait.
    await cancelOfFormer(caller.table, serialNumber)
    return {}
  },
} satisfies Pick<Handlers<typeof devicePaths>, 'device/approve'>
