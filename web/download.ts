import { call } from './api.ts'

/** Lets the browser download a file. Without `name`, the file store names the file. */
export const download = (url: string, name?: string) => {
  const link = document.createElement('a')
  link.href = url
  link.download = name ?? ''
  link.rel = 'noopener'
  document.body.append(link)
  link.click()
  link.remove()
}

/**
 * Downloads the file that a task has made. Returns false if the server no longer stores the file. The address expires,
 * so each download requests a new address.
 */
export const downloadOf = async (task: string): Promise<boolean> => {
  const { file } = await call('task/get', { id: task })
  if (file) download(file.url, file.name)
  return file !== undefined
}
