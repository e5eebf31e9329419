import { fault } from './api.ts'

// The browser uploads files with forms that the server signs, not through the API paths. A separate module, because
// only a few pages upload files.

/** The timeout of an upload. A sheet on a slow connection takes longer than an API call. */
const fileTimeoutMilliseconds = 120_000

/**
 * Uploads a file with a form that the server signed. Reports the uploaded share from 0 to 1. Rejects with a `Fault`:
 * `network`, or 60011 if the store refuses the file. Uses `XMLHttpRequest`, because `fetch` reports no upload progress.
 */
export const sendFile = (
  form: { url: string; fields: Record<string, string> },
  file: Blob,
  onProgress?: (part: number) => void,
): Promise<void> => {
  const body = new FormData()
  for (const [name, value] of Object.entries(form.fields)) body.append(name, value)
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
    request.open('POST', form.url)
    request.send(body)
  })
}
