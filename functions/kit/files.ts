import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { passing, unfinished } from '../../shared/file.ts'
import { environment } from './environment.ts'

// The only code that touches stored files. They are opened for one company, whose id is in front of every key, so that no code
// can name another company's file. Browsers send and load them directly, by what is signed here and for as long as it says.

const s3 = new S3Client()

const formSeconds = 5 * 60
/** How long an address stays the same; it is good for once and up to twice as long. */
const addressSeconds = 15 * 60

const tagging = `<Tagging><TagSet><Tag><Key>${unfinished.tag}</Key><Value>${unfinished.value}</Value></Tag></TagSet></Tagging>`
const passingTag = `${passing.tag}=${passing.value}`

/** What a browser does with a file: shows it, or keeps it under its name, whatever letters that is written in. */
const disposition = (name: string, isDownload: boolean) => {
  const plain = name.replace(/[^\w .-]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, letter => `%${letter.charCodeAt(0).toString(16)}`)
  return isDownload ? `attachment; filename="${plain}"; filename*=UTF-8''${encoded}` : `inline; filename="${name}"`
}

/** Where to send a form of these fields, in their order, and behind them `file`. */
export interface UploadForm {
  url: string
  fields: Record<string, string>
}

export interface Files {
  /** A form that stores one file of this type and of 1 to `mostBytes` bytes under this key, within five minutes. */
  form(key: string, file: { type: string; mostBytes: number }): Promise<UploadForm>
  /** Undefined where there is none. */
  read(key: string): Promise<Uint8Array | undefined>
  /** Whatever was there. What is passing is deleted by the store after a day. */
  write(key: string, file: { type: string; bytes: Uint8Array; isPassing?: boolean }): Promise<void>
  /** A file that has gone already is as good. */
  remove(key: string): Promise<void>
  /**
   * An address that shows a file to whoever has it, for 15 to 30 minutes. It stays the same for a quarter of an hour, so that a
   * list that is read again does not load its pictures again; `name` tells it from that of another file under the same key.
   */
  address(key: string, name: string, options?: { isDownload?: boolean }): Promise<string>
}

const isMissing = (error: unknown) => error instanceof Error && error.name === 'NoSuchKey'

/** Opened per call, as a table is. */
export const openFiles = (company: string): Files => {
  const at = (key: string) => ({ Bucket: environment('FILES'), Key: `${company}/${key}` })
  return {
    form: (key, { type, mostBytes }) =>
      createPresignedPost(s3, {
        ...at(key),
        Fields: { 'Content-Type': type, tagging },
        Conditions: [['content-length-range', 1, mostBytes]],
        Expires: formSeconds,
      }),
    async read(key) {
      try {
        const { Body } = await s3.send(new GetObjectCommand(at(key)))
        return await Body?.transformToByteArray()
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    async write(key, { type, bytes, isPassing }) {
      await s3.send(
        new PutObjectCommand({
          ...at(key),
          Body: bytes,
          ContentType: type,
          ...(isPassing && { Tagging: passingTag }),
        }),
      )
    },
    async remove(key) {
      await s3.send(new DeleteObjectCommand(at(key)))
    },
    address(key, name, { isDownload = false } = {}) {
      const milliseconds = addressSeconds * 1000
      const shown = new GetObjectCommand({
        ...at(key),
        ResponseCacheControl: `private, max-age=${addressSeconds}`,
        ResponseContentDisposition: disposition(name, isDownload),
      })
      const signingDate = new Date(Math.floor(Date.now() / milliseconds) * milliseconds)
      return getSignedUrl(s3, shown, { signingDate, expiresIn: 2 * addressSeconds })
    },
  }
}
