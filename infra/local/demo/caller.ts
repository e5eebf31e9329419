import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { hashSecret } from '../../../functions/kit/id.ts'
import { startSession } from '../../../functions/kit/session.ts'
import { directory } from '../../../functions/kit/table.ts'
import { accountKey, emailKey } from '../../../shared/account.ts'
import type { Path, PathCall, PathOutput } from '../../../shared/api.ts'
import type { Side } from '../../../shared/session.ts'

// Calls paths as a person of the demo company, over HTTP like a browser.

export interface DemoCaller {
  /** Returns the data of a successful answer. Throws for every refusal. */
  call<P extends Path>(path: P, input: PathCall<P>): Promise<PathOutput<P>>
  /** Sends a file with the form of an upload path. */
  upload(form: { url: string; fields: Record<string, string> }, bytes: Uint8Array): Promise<void>
}

/** Signs a person in by their e-mail address, without a password, because this stack owns all accounts of the demo. */
export const signIn = async (
  { address, zone, signal }: { address: string; zone: string; signal: AbortSignal },
  email: string,
  type: Side,
): Promise<DemoCaller> => {
  const pointer = await directory().get(emailKey(hashSecret(email)))
  const account = pointer && (await directory().get(accountKey(pointer.account)))
  const [membership] = account?.memberships ?? []
  if (!account || !membership) throw new Error(`${email} has no sign-in`)
  const token = await startSession({ ...membership, type }, account)
  return {
    async call<P extends Path>(path: P, input: PathCall<P>) {
      const response = await fetch(`${address}/api/${path}`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'x-token': token, 'x-timezone': zone },
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify(input),
        signal,
      })
      const answer = (await response.json()) as { code: number; data: PathOutput<P> }
      if (answer.code !== 0) throw new Error(`${path} ${JSON.stringify(input)}: ${JSON.stringify(answer)}`)
      return answer.data
    },
    async upload({ url, fields }, bytes) {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('file', new Blob([new Uint8Array(bytes)]))
      const response = await fetch(url, { method: 'POST', body: form, signal })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`The upload got HTTP ${response.status}`)
    },
  }
}

/** Repeats a reading until `isEnough` holds, at most `seconds`. Returns the last reading. */
export const readUntil = async <T>(
  read: () => Promise<T>,
  isEnough: (value: T) => boolean,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<T> => {
  const until = Date.now() + seconds * 1000
  for (;;) {
    const value = await read()
    if (isEnough(value) || Date.now() > until) return value
    await wait(500, undefined, { signal })
  }
}
