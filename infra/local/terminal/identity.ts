import { createHash } from 'node:crypto'
import type { Fields } from './command.ts'
import type { Memory } from './memory.ts'

export interface Identity {
  sn: string
  /** Company number and communication password, for a server that asks for them. */
  company?: string | undefined
  password?: string | undefined
}

/** What a terminal says of itself when it registers. Its hardware numbers follow from the serial number, as if soldered in. */
export function introduce({ sn, company, password }: Identity, memory: Memory): Fields {
  const chip = createHash('sha256').update(sn).digest('hex')
  const users = [...memory.users.values()]
  const used = (first: number, last: number) =>
    users.flatMap(user => Object.keys(user.records)).filter(slot => Number(slot) >= first && Number(slot) <= last)
      .length
  return {
    cpusn: chip.slice(0, 16).toUpperCase(),
    devinfo: {
      modelname: 'AiFace',
      usersize: 5000,
      facesize: 5000,
      fpsize: 3000,
      cardsize: 5000,
      pwdsize: 5000,
      logsize: 500_000,
      useduser: users.length,
      usedface: used(20, 27) + used(50, 50),
      usedfp: used(0, 9),
      usedcard: used(11, 11),
      usedpwd: used(10, 10),
      usedlog: memory.log.size,
      usednewlog: memory.unacknowledged().length,
      fpalgo: 'thbio3.0',
      firmware: 'ai518_play_v1.0',
      time: memory.time(),
      mac: ['02', ...(chip.slice(16, 26).match(/../g) ?? [])].join('-').toUpperCase(),
    },
    ...(company && { company_num: company }),
    ...(password && { comm_pwd: password }),
  }
}
