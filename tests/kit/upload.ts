// Sends a file as a browser does: the fields of a form in their order, and behind them the file.

export interface UploadForm {
  url: string
  fields: Record<string, string>
}

/** The answer's status, and the name of its error where there is one. */
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
