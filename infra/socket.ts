import type { Stack } from 'aws-cdk-lib'
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { acknowledge } from './construct.ts'
import { addFunction, answerSeconds, type Socket, type World } from './function.ts'

// The websocket of browsers and terminals. Its stage has the name of the public path, so the distribution rewrites
// nothing.

export const addSocket = (stack: Stack): Socket => {
  const api = new WebSocketApi(stack, 'Socket')
  const stage = new WebSocketStage(stack, 'SocketStage', { webSocketApi: api, stageName: 'web', autoDeploy: true })
  acknowledge(
    api,
    'A socket may do nothing until it has identified itself: by `home.login` with a session, or by `reg`.',
    'APIG4',
  )
  acknowledge(stage, 'Its access log would need a role for the whole account; the function logs each message.', 'APIG1')
  return { api, stage }
}

/**
 * The function distinguishes messages itself. Replies and requests of a terminal name their command in different
 * fields.
 */
export const addMessages = (world: World): void => {
  const { api } = world.socket
  const integration = new WebSocketLambdaIntegration(
    'socket',
    addFunction(world, 'socket', { timeoutSeconds: answerSeconds }),
  )
  api.addRoute('$connect', { integration })
  api.addRoute('$disconnect', { integration })
  // The socket returns the function's response.
  api.addRoute('$default', { integration, returnResponse: true })
}
