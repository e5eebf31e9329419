import { connectionKey, type Newcomer, newcomerKey } from '../../shared/connection.ts'
import { atOnce } from './at-once.ts'
import { log } from './log.ts'
import { disconnect } from './push.ts'
import { directory, save } from './table.ts'

const newcomersAtOnce = 32
/** What somebody said in time may wait for its turn after an outage. */
const patienceSeconds = 90

/** Closes the sockets that have not said who they are and say nothing at all. */
export const sendAwayNewcomers = async (now: number): Promise<void> => {
  const newcomers = await directory().all<Newcomer>({ pk: newcomerKey('').pk })
  const late = newcomers.filter(({ connectedAt }) => now - Date.parse(connectedAt) > patienceSeconds * 1000)
  const connections = await directory().getMany(late.map(({ connection }) => connectionKey(connection)))
  await atOnce(newcomersAtOnce, [...late.entries()], async ([i, { connection }]) => {
    try {
      if (connections[i]?.kind === 'new') await disconnect(connection)
      await save(directory().remove(newcomerKey(connection)))
    } catch (error) {
      // It is tried again with the next minute, and keeps nobody else.
      log({ job: 'poll', socket: connection, fault: String(error) })
    }
  })
}
