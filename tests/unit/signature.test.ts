import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Signer, signAddress, signForm } from '../../functions/kit/files/signature.ts'

// Our signatures equal the signatures of the AWS client, character for character.

const bucket = 'attendance-prod-data-files3d8a-x1'
const at = Date.parse('2026-03-04T05:06:07Z')
const signers: Record<string, Signer> = {
  'of a person': {
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    region: 'eu-west-1',
  },
  'of a role': {
    accessKeyId: 'ASIAEXAMPLE',
    secretAccessKey: 'other/secret+key',
    region: 'us-east-1',
    sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVzLWVhc3QtMSJH+=',
  },
}
const clientOf = ({ region, ...credentials }: Signer) => {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  return new S3Client({ region, credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } })
}
const addressOf = ({ region }: Signer) => `https://${bucket}.s3.${region}.amazonaws.com/`

afterEach(() => {
  vi.useRealTimers()
})

describe.each(Object.entries(signers))('with the credentials %s', (_, signer) => {
  test('an address', async () => {
    const command = new GetObjectCommand({
      Bucket: bucket,
      Key: 'company/photo/0mw1',
      ResponseCacheControl: 'private, max-age=900',
      ResponseContentDisposition: `attachment; filename="a b.zip"; filename*=UTF-8''%CE%B1(1)%21.zip`,
    })
    const expected = await getSignedUrl(clientOf(signer), command, { signingDate: new Date(at), expiresIn: 1800 })
    const { searchParams } = new URL(expected)
    const signatureFields = [
      'Algorithm',
      'Content-Sha256',
      'Credential',
      'Date',
      'Expires',
      'Security-Token',
      'Signature',
      'SignedHeaders',
    ]
    const query = Object.fromEntries(
      [...searchParams].filter(([name]) => !signatureFields.includes(name.replace('X-Amz-', ''))),
    )
    const actual = await signAddress(
      `${addressOf(signer)}company/photo/0mw1`,
      { method: 'GET', at, seconds: 1800, query },
      signer,
    )
    expect(new URL(actual).host).toBe(new URL(expected).host)
    expect(new URL(actual).pathname).toBe(new URL(expected).pathname)
    expect(Object.fromEntries(new URL(actual).searchParams)).toEqual(Object.fromEntries(searchParams))
  })

  test('a form', async () => {
    vi.useFakeTimers({ now: at })
    const Fields = { 'Content-Type': 'image/png', tagging: '<Tagging/>' }
    const expected = await createPresignedPost(clientOf(signer), {
      Bucket: bucket,
      Key: 'company/upload/0mw1/0mw2',
      Fields,
      Conditions: [['content-length-range', 1, 2_097_152]],
      Expires: 300,
    })
    expect(expected.url).toBe(addressOf(signer))
    const conditions = [['content-length-range', 1, 2_097_152]]
    const actual = await signForm(
      { ...Fields, bucket, key: 'company/upload/0mw1/0mw2' },
      { conditions, at, seconds: 300 },
      signer,
    )
    expect(actual).toEqual(expected.fields)
  })
})
