import type { Stack } from 'aws-cdk-lib'
import { WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { acknowledge } from './construct.ts'
import { addFunction, answerSeconds, type Socket, type World } from './function.ts'

// The websocket of browsers and terminals. Its stage is named like the path in front of it, so that `/web` needs no rewriting.

export const addSocket = (stack: Stack): Socket => {
  const api = new WebSocketApi(stack, 'Socket')
  const stage = new WebSocketStage(stack, 'SocketStage', { webSocketApi: api, stageName: 'web', autoDeploy: true })
  acknowledge(
    api,
    'A socket may do nothing until it has said who it is: `home.login` with a session, or `reg`.',
    'APIG4',
  )
  acknowledge(stage, 'Its access log needs a role set for the whole account; the function logs each message.', 'APIG1')
  return { api, stage }
}

/** Messages are told apart in the code, for a terminal's answers name their command otherwise than its requests. */
export const addMessages = (world: World): void => {
  const { api } = world.socket
  const integration = new WebSocketLambdaIntegration(
    'socket',
    addFunction(world, 'socket', { timeoutSeconds: answerSeconds }),
  )
  api.addRoute('$connect', { integration })
  api.addRoute('$disconnect', { integration })
  // What the function returns goes back over the same socket.
  api.addRoute('$default', { integration, returnResponse: true })
}
