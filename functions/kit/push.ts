import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import { environment } from './environment.ts'

const clients = new Map<number, ApiGatewayManagementApiClient>()
/** A client that tries so often what fails on its way. */
const sockets = (maxAttempts: number) => {
  const known = clients.get(maxAttempts)
  if (known) return known
  const client = new ApiGatewayManagementApiClient({ endpoint: environment('SOCKET_ENDPOINT'), maxAttempts })
  clients.set(maxAttempts, client)
  return client
}
const usualAttempts = 3
const isGone = (error: unknown) => error instanceof Error && error.name === 'GoneException'

/** What stands in the place of a connection where a terminal comes by HTTP: nobody can be told anything, or sent away. */
export const polls = 'polls'

/** Sends one message to one connection, where it `isOnce` at one try whatever comes of it; false when nobody is there any more. */
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
/** The first message of a process takes longer than the next one, which would overtake it: so the first is to nobody. */
export const warmUp = (): Promise<unknown> => {
  warmed ??= push('nobody', {}).catch(() => undefined)
  return warmed
}

/** Ends a connection; false when nobody was there any more, which is as good. */
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
