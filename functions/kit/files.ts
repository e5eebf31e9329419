import { setTimeout as wait } from 'node:timers/promises'
import { passing, unfinished } from '../../shared/file.ts'
import { environment } from './environment.ts'
import { type Signer, signAddress, signForm } from './files/signature.ts'

// The only access to stored files. Every key starts with the company's id, so no code can name another company's file.
// Browsers upload and download directly with signed requests that expire.

const formSeconds = 5 * 60
/** The lifetime of the server's own requests. */
const requestSeconds = 60
/** How long an address stays the same. It remains valid for up to twice as long. */
const addressSeconds = 15 * 60

const tagging = `<Tagging><TagSet><Tag><Key>${unfinished.tag}</Key><Value>${unfinished.value}</Value></Tag></TagSet></Tagging>`
const passingTag = `${passing.tag}=${passing.value}`

/** Makes the browser show a file, or save it under its name in any alphabet. */
const disposition = (name: string, isDownload: boolean) => {
  const plain = name.replace(/[^\w .-]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, letter => `%${letter.charCodeAt(0).toString(16)}`)
  return isDownload ? `attachment; filename="${plain}"; filename*=UTF-8''${encoded}` : `inline; filename="${name}"`
}

/** A form to POST: its fields in order, then `file`. */
export interface UploadForm {
  url: string
  fields: Record<string, string>
}

export interface Files {
  /** A form that stores one file of this type, of 1 to `mostBytes` bytes, under this key within five minutes. */
  form(key: string, file: { type: string; mostBytes: number }): Promise<UploadForm>
  /** Returns undefined if the file is missing. */
  read(key: string): Promise<Uint8Array | undefined>
  /** Writes a file, also over an existing one. The store deletes a file with `isPassing` after a day. */
  write(key: string, file: { type: string; bytes: Uint8Array; isPassing?: boolean }): Promise<void>
  /** Deletes a file. A missing file causes no error. */
  remove(key: string): Promise<void>
  /**
   * An address that shows a file for 15 to 30 minutes. The address changes only every 15 minutes, so that a list does
   * not reload its pictures. `name` distinguishes files under one key.
   */
  address(key: string, name: string, options?: { isDownload?: boolean }): Promise<string>
}

/** The AWS credentials in every function's environment. */
const signer = (): Signer => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region } = process.env
  if (!accessKeyId || !secretAccessKey || !region) throw new Error('The environment holds no AWS credentials')
  return { accessKeyId, secretAccessKey, region, sessionToken: process.env.AWS_SESSION_TOKEN }
}

/** The address of the store with a trailing slash: on the local machine, or in the Lambda's region. */
const storeAddress = () => {
  const [bucket, local, region = ''] = [environment('FILES'), process.env.AWS_ENDPOINT_URL_S3, process.env.AWS_REGION]
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return local ? `${local}/${bucket}/` : `https://${bucket}.s3.${region}.${suffix}/`
}

const mostTries = 3
const firstPauseMilliseconds = 100

/**
 * Sends one of the server's own requests, and retries if the store is busy or the connection breaks. Every request is
 * idempotent.
 */
const ask = async (
  method: 'GET' | 'PUT' | 'DELETE',
  key: string,
  { headers = {}, body, ...unsigned }: { headers?: Record<string, string>; type?: string; body?: Uint8Array } = {},
): Promise<Response> => {
  for (let tries = 1; ; tries++) {
    const address = await signAddress(
      storeAddress() + key,
      { method, at: Date.now(), seconds: requestSeconds, headers },
      signer(),
    )
    try {
      const answer = await fetch(address, {
        method,
        headers: { ...headers, ...(unsigned.type && { 'content-type': unsigned.type }) },
        ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      })
      if (answer.status < 500 && answer.status !== 429) return answer
      if (tries === mostTries) return answer
    } catch (error) {
      if (tries === mostTries) throw error
    }
    await wait(firstPauseMilliseconds * 2 ** tries * (0.5 + Math.random() / 2))
  }
}

/** Throws the S3 error unless the request succeeded. */
const check = async (answer: Response, what: string): Promise<Response> => {
  if (!answer.ok) throw new Error(`The store of files answered ${answer.status} to ${what}: ${await answer.text()}`)
  return answer
}

/** Opens a company's files. Each call opens its own, as with a table. */
export const openFiles = (company: string): Files => {
  const at = (key: string) => `${company}/${key}`
  return {
    async form(key, { type, mostBytes }) {
      const fields = { 'Content-Type': type, tagging, bucket: environment('FILES'), key: at(key) }
      const conditions = [['content-length-range', 1, mostBytes]]
      const good = { conditions, at: Date.now(), seconds: formSeconds }
      return { url: storeAddress(), fields: await signForm(fields, good, signer()) }
    },
    async read(key) {
      const answer = await ask('GET', at(key))
      if (answer.status === 404 && (await answer.clone().text()).includes('<Code>NoSuchKey</Code>')) return undefined
      return new Uint8Array(await (await check(answer, `GET ${key}`)).arrayBuffer())
    },
    async write(key, { type, bytes, isPassing }) {
      const headers = { ...(isPassing && { 'x-amz-tagging': passingTag }) }
      await check(await ask('PUT', at(key), { headers, type, body: bytes }), `PUT ${key}`)
    },
    async remove(key) {
      await check(await ask('DELETE', at(key)), `DELETE ${key}`)
    },
    async address(key, name, { isDownload = false } = {}) {
      const milliseconds = addressSeconds * 1000
      const query = {
        'response-cache-control': `private, max-age=${addressSeconds}`,
        'response-content-disposition': disposition(name, isDownload),
      }
      const since = Math.floor(Date.now() / milliseconds) * milliseconds
      return signAddress(
        storeAddress() + at(key),
        { method: 'GET', at: since, seconds: 2 * addressSeconds, query },
        signer(),
      )
    },
  }
}
