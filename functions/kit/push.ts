import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import { environment } from './environment.ts'

let management: ApiGatewayManagementApiClient | undefined
const sockets = () => {
  management ??= new ApiGatewayManagementApiClient({ endpoint: environment('SOCKET_ENDPOINT') })
  return management
}
const isGone = (error: unknown) => error instanceof Error && error.name === 'GoneException'

/** What stands in the place of a connection where a terminal comes by HTTP: nobody can be told anything, or sent away. */
export const polls = 'polls'

/** Sends one message to one connection; false when nobody is there any more. */
export const push = async (connection: string, message: unknown): Promise<boolean> => {
  if (connection === polls) return false
  try {
    await sockets().send(new PostToConnectionCommand({ ConnectionId: connection, Data: JSON.stringify(message) }))
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

/** Ends a connection; false when nobody was there any more, which is as good. */
export const disconnect = async (connection: string): Promise<boolean> => {
  if (connection === polls) return false
  try {
    await sockets().send(new DeleteConnectionCommand({ ConnectionId: connection }))
    return true
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}
