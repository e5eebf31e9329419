import { join } from 'node:path'
import { CfnCondition, CfnOutput, Duration, Fn, RemovalPolicy, type Stack } from 'aws-cdk-lib'
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  CacheHeaderBehavior,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  HeadersReferrerPolicy,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { Key } from 'aws-cdk-lib/aws-kms'
import { CfnDelivery, CfnDeliveryDestination, CfnDeliverySource } from 'aws-cdk-lib/aws-logs'
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3'
import { BucketDeployment, Source } from 'aws-cdk-lib/aws-s3-deployment'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { addressHeader, secretHeader } from '../shared/distribution.ts'
import { contentSecurityPolicy } from '../shared/headers.ts'
import { acknowledge, addLogGroup, logicalIdOf } from './construct.ts'
import type { Domain } from './data.ts'
import type { Socket } from './function.ts'

// The distribution: one address for the site's files, the API paths and the websocket.

/** The site routes pages itself, so every path without a file extension gets the same document. */
const toDocument = `function handler(event) {
  var request = event.request
  if (request.uri.slice(request.uri.lastIndexOf('/')).indexOf('.') < 0) request.uri = '/index.html'
  return request
}`

/** Maps the built-in path of some terminals to the stage of the websocket. */
const toSocket = `function handler(event) {
  event.request.uri = '/web'
  return event.request
}`

const addEdgeFunction = (stack: Stack, id: string, code: string) => [
  {
    function: new EdgeFunction(stack, id, { code: FunctionCode.fromInline(code) }),
    eventType: FunctionEventType.VIEWER_REQUEST,
  },
]

/** The response headers of `shared/headers.ts` as a policy of the distribution, with `kept` as cache control. */
const addHeaders = (stack: Stack, id: string, { files, kept }: { files: IBucket; kept: string }) =>
  new ResponseHeadersPolicy(stack, id, {
    securityHeadersBehavior: {
      contentSecurityPolicy: {
        contentSecurityPolicy: contentSecurityPolicy({ files: `https://${files.bucketRegionalDomainName}` }),
        override: true,
      },
      contentTypeOptions: { override: true },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
    },
    customHeadersBehavior: {
      customHeaders: [
        { header: 'cross-origin-opener-policy', value: 'same-origin', override: true },
        { header: 'cache-control', value: kept, override: true },
      ],
    },
  })

/**
 * Forwards the headers that functions read, and the caller's address. The policy lists each header, at most ten. API
 * Gateway must not see `Host`. A policy that forwards all other headers cannot add headers of the distribution.
 */
const addPassage = (stack: Stack, id: string, ...headers: string[]) =>
  new OriginRequestPolicy(stack, id, {
    headerBehavior: OriginRequestHeaderBehavior.allowList(addressHeader, ...headers),
    queryStringBehavior: OriginRequestQueryStringBehavior.all(),
  })

/**
 * Forwards the `authorization` header with the API key. CloudFront forwards this header only with a cache policy. The
 * policy caches nothing, because calls use POST and responses forbid caching.
 */
const addKeyPassage = (stack: Stack) =>
  new CachePolicy(stack, 'KeyPassage', {
    headerBehavior: CacheHeaderBehavior.allowList('authorization'),
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.seconds(1),
  })

/** The secret that the distribution adds to every call. The template holds only a reference to the secret. */
const addSecret = (stack: Stack, passing: Key) => {
  const secret = new Secret(stack, 'DistributionSecret', {
    description: 'Proves to the functions that a call came through the distribution',
    encryptionKey: passing,
    generateSecretString: { excludePunctuation: true, passwordLength: 40 },
  })
  acknowledge(
    secret,
    'The distribution and the functions must change it at the same moment, and only a deployment can do that.',
    'SMG4',
  )
  return secret
}

interface Behind {
  api: HttpApi
  socket: Socket
  passing: Key
  domain: Domain | undefined
  files: IBucket
  build: string
}

/**
 * The fields of the edge log. The log omits URLs, because a terminal's URL holds its secret in the path or the query.
 */
const loggedFields = [
  'date',
  'time',
  'x-edge-location',
  'c-ip',
  'cs-method',
  'cs-protocol',
  'cs-protocol-version',
  'sc-status',
  'x-edge-result-type',
  'x-edge-detailed-result-type',
  'x-edge-request-id',
  'sc-content-type',
  'cs-bytes',
  'sc-bytes',
  'time-taken',
  'ssl-protocol',
  'ssl-cipher',
]

/**
 * AWS delivers the logs of a distribution only from us-east-1. A stage in another region has only the logs of the API
 * and the functions.
 */
const addEdgeLog = (stack: Stack, distribution: Distribution) => {
  const isThere = new CfnCondition(stack, 'HasEdgeLog', {
    expression: Fn.conditionEquals(stack.region, 'us-east-1'),
  })
  const name = stack.stackName
  const log = addLogGroup(stack, 'EdgeLog')
  const source = new CfnDeliverySource(stack, 'EdgeLogSource', {
    ...{ name, logType: 'ACCESS_LOGS', resourceArn: distribution.distributionArn },
  })
  const destination = new CfnDeliveryDestination(stack, 'EdgeLogDestination', {
    ...{ name, outputFormat: 'json', destinationResourceArn: log.logGroupArn },
  })
  const delivery = new CfnDelivery(stack, 'EdgeLogDelivery', {
    deliverySourceName: source.ref,
    deliveryDestinationArn: destination.attrArn,
    recordFields: loggedFields,
  })
  for (const part of [source, destination, delivery]) part.cfnOptions.condition = isThere
}

/** Adds the distribution. Returns its origin and the secret of calls through it. */
export const addSite = (
  stack: Stack,
  { api, socket, passing, domain, files, build }: Behind,
): { site: string; secret: Secret } => {
  const bucket = new Bucket(stack, 'Site', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.DESTROY,
    autoDeleteObjects: true,
  })
  acknowledge(bucket, 'It holds only public files, and only the distribution reads it.', 'S1')
  const pages = S3BucketOrigin.withOriginAccessControl(bucket)
  const secret = addSecret(stack, passing)
  const origin = (id: string) =>
    new HttpOrigin(`${id}.execute-api.${stack.region}.${stack.urlSuffix}`, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      customHeaders: { [secretHeader]: secret.secretValue.unsafeUnwrap() },
    })
  const paths = origin(api.apiId)
  const passed = {
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
  }
  const sockets = {
    ...passed,
    origin: origin(socket.api.apiId),
    originRequestPolicy: addPassage(
      stack,
      'SocketPassage',
      'origin',
      'sec-websocket-extensions',
      'sec-websocket-key',
      'sec-websocket-protocol',
      'sec-websocket-version',
    ),
    // Some ADMS terminals cannot speak TLS. Browsers load the page over TLS, so they use these paths only with TLS.
    viewerProtocolPolicy: ViewerProtocolPolicy.ALLOW_ALL,
  }
  const distribution = new Distribution(stack, 'Distribution', {
    comment: stack.stackName,
    defaultRootObject: 'index.html',
    // The edge would serve one caller's error to others for ten seconds, because its key leaves out the query.
    errorResponses: [500, 502, 503, 504].map(httpStatus => ({ httpStatus, ttl: Duration.seconds(0) })),
    httpVersion: HttpVersion.HTTP2_AND_3,
    ...(domain && {
      domainNames: [domain.name],
      certificate: Certificate.fromCertificateArn(stack, 'Certificate', domain.certificate),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    }),
    defaultBehavior: {
      origin: pages,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // The few files without a content hash in their names must be current right after a deployment.
      cachePolicy: CachePolicy.CACHING_DISABLED,
      responseHeadersPolicy: addHeaders(stack, 'PageHeaders', { files, kept: 'no-cache' }),
      functionAssociations: addEdgeFunction(stack, 'ToDocument', toDocument),
    },
    additionalBehaviors: {
      '/assets/*': {
        origin: pages,
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: addHeaders(stack, 'AssetHeaders', {
          files,
          kept: 'public, max-age=31536000, immutable',
        }),
      },
      '/api/*': {
        ...passed,
        origin: paths,
        cachePolicy: addKeyPassage(stack),
        originRequestPolicy: addPassage(
          stack,
          'PathPassage',
          'content-type',
          'idempotency-key',
          'x-api-version',
          'x-language',
          'x-timezone',
          'x-token',
        ),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        responseHeadersPolicy: addHeaders(stack, 'AnswerHeaders', { files, kept: 'no-store' }),
      },
      '/iclock/*': {
        ...passed,
        origin: paths,
        originRequestPolicy: addPassage(stack, 'TerminalPassage', 'content-type'),
        // Some ADMS terminals cannot speak TLS.
        viewerProtocolPolicy: ViewerProtocolPolicy.ALLOW_ALL,
      },
      '/web': sockets,
      '/pub/chat': { ...sockets, functionAssociations: addEdgeFunction(stack, 'ToSocket', toSocket) },
    },
  })
  addEdgeLog(stack, distribution)
  acknowledge(
    distribution,
    'Its log delivery selects fields and omits URLs; the rule detects only the older kind of log, which cannot omit them.',
    'CFR3',
  )
  if (!domain)
    acknowledge(
      distribution,
      'Without a custom domain, CloudFront’s default certificate determines the minimum TLS version.',
      'CFR4',
    )
  const { handlerRole } = new BucketDeployment(stack, 'SiteFiles', {
    destinationBucket: bucket,
    sources: [Source.asset(join(build, 'site'))],
    // Keeps old files, because an open page still requests the files of its own build.
    prune: false,
    logGroup: addLogGroup(stack, 'SiteFilesLog'),
  })
  acknowledge(
    handlerRole.node.scope ?? handlerRole,
    'It is the CDK’s own function, which copies the site’s files; only a deployment calls it.',
    'L1',
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
    ...['GetBucket*', 'GetObject*', 'List*', 'Abort*', 'DeleteObject*'].map(action => `IAM5[Action::s3:${action}]`),
    'IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*]',
    `IAM5[Resource::<${logicalIdOf(stack, bucket)}.Arn>/*]`,
  )
  new CfnOutput(stack, 'DomainTarget', { value: distribution.distributionDomainName })
  return { site: `https://${domain?.name ?? distribution.distributionDomainName}`, secret }
}
