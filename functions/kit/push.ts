import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import { environment } from './environment.ts'

const clients = new Map<number, ApiGatewayManagementApiClient>()
/** Creates one client for each number of attempts. */
const sockets = (maxAttempts: number) => {
  const existing = clients.get(maxAttempts)
  if (existing) return existing
  const client = new ApiGatewayManagementApiClient({ endpoint: environment('SOCKET_ENDPOINT'), maxAttempts })
  clients.set(maxAttempts, client)
  return client
}
const usualAttempts = 3
const isGone = (error: unknown) => error instanceof Error && error.name === 'GoneException'

/** The connection id of an ADMS terminal, which polls: the server cannot push to it or disconnect it. */
export const polls = 'polls'

/** Sends a message to a connection, with `isOnce` in a single attempt. Returns false if the connection has ended. */
export const push = async (
  connection: string,
  message: unknown,
  { isOnce = false }: { isOnce?: boolean | undefined } = {},
): Promise<boolean> => {
  if (connection === polls) return false
  try {
    await sockets(isOnce ? 1 : usualAttempts).send(
      new PostToConnectionCommand({ ConnectionId: connection, Data: JSON.stringify(message) }),
    )
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

let warmed: Promise<unknown> | undefined
/**
 * The first message of a process is slow, so the second message would overtake it. Send a first message to no
 * connection instead.
 */
export const warmUp = (): Promise<unknown> => {
  warmed ??= push('nobody', {}).catch(() => undefined)
  return warmed
}

/** Closes a connection. Returns false if the connection had already ended. */
export const disconnect = async (connection: string): Promise<boolean> => {
  if (connection === polls) return false
  try {
    await sockets(usualAttempts).send(new DeleteConnectionCommand({ ConnectionId: connection }))
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}
