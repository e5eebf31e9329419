import type { Stack } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { groups } from '../shared/api.ts'
import { calendarPath } from '../shared/personal/calendar.ts'
import { acknowledge, addLogGroup } from './construct.ts'
import { addFunction, answerSeconds, type World } from './function.ts'

// One Lambda and one route for each group of paths. The function knows its declared paths and rejects all other paths.
// One route for each path would exceed the limit of 500 resources per stack.

export const addApi = (stack: Stack): HttpApi => {
  const api = new HttpApi(stack, 'Api', { createDefaultStage: false })
  acknowledge(api, 'Each path declares its callers, and its function checks the session at every call.', 'APIG4')
  new HttpStage(stack, 'ApiStage', {
    httpApi: api,
    autoDeploy: true,
    accessLogSettings: {
      destination: new LogGroupLogDestination(addLogGroup(stack, 'ApiLog')),
      // The function logs its calls itself. These fields show calls that end without a function response, and the
      // reason.
      format: AccessLogFormat.custom(
        JSON.stringify({
          requestId: '$context.requestId',
          at: '$context.requestTimeEpoch',
          ip: '$context.identity.sourceIp',
          route: '$context.routeKey',
          status: '$context.status',
          ms: '$context.responseLatency',
          fault: '$context.integrationErrorMessage',
        }),
      ),
    },
  })
  return api
}

export const addPaths = (world: World): void => {
  const { api } = world
  for (const group of Object.keys(groups)) {
    const integration = new HttpLambdaIntegration(group, addFunction(world, group, { timeoutSeconds: answerSeconds }), {
      scopePermissionToRoute: false,
    })
    api.addRoutes({ path: `/api/${group}/{path+}`, methods: [HttpMethod.POST], integration })
    // The function of the group `auth` answers undeclared paths with an error of the catalogue.
    if (group === 'auth') new HttpRoute(api, 'Unknown', { httpApi: api, routeKey: HttpRouteKey.DEFAULT, integration })
  }
  // ADMS terminals append their built-in path to the path of their server address.
  const terminals = addFunction(world, 'iclock', { timeoutSeconds: answerSeconds })
  api.addRoutes({
    path: '/iclock/{path+}',
    methods: [HttpMethod.GET, HttpMethod.POST],
    integration: new HttpLambdaIntegration('iclock', terminals, { scopePermissionToRoute: false }),
  })
  const docs = new HttpLambdaIntegration('docs', addFunction(world, 'docs', { timeoutSeconds: answerSeconds }), {
    scopePermissionToRoute: false,
  })
  for (const page of ['docs', 'openapi.json'])
    api.addRoutes({ path: `/api/${page}`, methods: [HttpMethod.GET], integration: docs })
  api.addRoutes({
    path: calendarPath,
    methods: [HttpMethod.GET],
    integration: new HttpLambdaIntegration(
      'calendar',
      addFunction(world, 'calendar', { timeoutSeconds: answerSeconds }),
      { scopePermissionToRoute: false },
    ),
  })
}
