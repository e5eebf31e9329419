import { createHash } from 'node:crypto'
import type { Fields } from './command.ts'
import type { Memory } from './memory.ts'
import { type Profile, profiles } from './profile.ts'

export interface Identity {
  sn: string
  /** The company number. A server may require it together with the communication password. */
  company?: string | undefined
  password?: string | undefined
}

/** The registration of a terminal. The serial number determines its hardware numbers, so they never change. */
export function introduce(
  { sn, company, password }: Identity,
  memory: Memory,
  profile: Profile = profiles.new,
): Fields {
  const chip = createHash('sha256').update(sn).digest('hex')
  const users = [...memory.users.values()]
  const slots = (first: number, last: number) =>
    users
      .flatMap(user => Object.entries(user.records))
      // A user without any credential has a `0` in a finger slot.
      .filter(([slot, record]) => Number(slot) >= first && Number(slot) <= last && String(record) !== '0').length
  const count = (value: number) => (profile.isTextual ? `${value}` : value)
  const sizes = { usersize: 5000, facesize: 5000, fpsize: 3000, cardsize: 5000, pwdsize: 5000, logsize: 500_000 }
  const used = {
    useduser: count(users.length),
    usedface: count(slots(20, 27) + slots(50, 50)),
    usedfp: count(slots(0, 9)),
    usedcard: count(slots(11, 11)),
    usedpwd: count(slots(10, 10)),
    usedlog: count(memory.log.size),
    usednewlog: count(memory.waiting),
  }
  const make = { modelname: profile.model, firmware: profile.firmware }
  const mac = ['02', ...(chip.slice(16, 26).match(/../g) ?? [])].join('-').toUpperCase()
  return {
    ...(profile.saysChip && { cpusn: chip.slice(0, 16).toUpperCase() }),
    ...(profile.isFlat
      ? { ...make, ...sizes }
      : {
          devinfo: {
            ...make,
            ...sizes,
            ...used,
            fpalgo: 'thbio3.0',
            time: memory.time(),
            ...(profile.saysAddress && { mac }),
          },
        }),
    ...(company && { company_num: company }),
    ...(password && { comm_pwd: password }),
  }
}
