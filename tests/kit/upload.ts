// Uploads a file like a browser: the form’s fields in order, followed by the file.

export interface UploadForm {
  url: string
  fields: Record<string, string>
}

/** The status of the response, and the name of its error, if any. */
export const upload = async (
  { url, fields }: UploadForm,
  bytes: Uint8Array,
  changes: Record<string, string> = {},
): Promise<{ status: number; error?: string | undefined }> => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...fields, ...changes })) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(bytes)]))
  const response = await fetch(url, { method: 'POST', body: form })
  const error = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]
  return { status: response.status, ...(error && { error }) }
}
