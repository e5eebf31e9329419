import { connectionKey, type Newcomer, newcomerKey } from '../../shared/connection.ts'
import { tryEach } from '../kit/each.ts'
import { disconnect } from '../kit/push.ts'
import { directory, save } from '../kit/table.ts'

const newcomersAtOnce = 32
/** Longer than the time for introductions, because an outage may delay the first message. */
const patienceSeconds = 90

/** Closes silent sockets that have not identified themselves. */
export const sendAwayNewcomers = async (now: number): Promise<void> => {
  const newcomers = await directory().all<Newcomer>({ pk: newcomerKey('').pk })
  const late = newcomers.filter(({ connectedAt }) => now - Date.parse(connectedAt) > patienceSeconds * 1000)
  const connections = await directory().getMany(late.map(({ connection }) => connectionKey(connection)))
  // The next run retries failed closes.
  await tryEach(
    {
      job: 'poll',
      atOnce: newcomersAtOnce,
      nameOf: ([, { connection }]) => ({ socket: connection }),
      raisesAlarm: true,
    },
    [...late.entries()],
    async ([i, { connection }]) => {
      if (connections[i]?.kind === 'new') await disconnect(connection)
      await save(directory().remove(newcomerKey(connection)))
    },
  )
}
