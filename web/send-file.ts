import { fault } from './api.ts'

// Files go past the paths, by forms the server signs. Apart from what every page loads, for few pages send any.

/** A sheet on a slow line takes longer than a question. */
const fileTimeoutMilliseconds = 120_000

/**
 * Sends a file by a form the server signed for it, and says from 0 to 1 how much of it has gone. Fails with a `Fault`.
 * Only the browser's older way of asking tells how far a file is.
 */
export const sendFile = (
  to: { url: string; fields: Record<string, string> },
  file: Blob,
  onProgress?: (part: number) => void,
): Promise<void> => {
  const body = new FormData()
  for (const [name, value] of Object.entries(to.fields)) body.append(name, value)
  body.append('file', file)
  const request = new XMLHttpRequest()
  request.timeout = fileTimeoutMilliseconds
  return new Promise((resolve, reject) => {
    const fail = () => reject(fault('network', 'No answer came'))
    request.upload.onprogress = ({ loaded, total }) => total > 0 && onProgress?.(loaded / total)
    request.onerror = fail
    request.ontimeout = fail
    request.onabort = fail
    request.onload = () =>
      request.status >= 200 && request.status < 300
        ? resolve()
        : reject(fault(60011, `The file was refused with ${request.status}`))
    request.open('POST', to.url)
    request.send(body)
  })
}
