import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** API Gateway encodes a body as Base64 unless its content type is text. */
export const bodyOf = ({ body = '', isBase64Encoded }: Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>) =>
  Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
