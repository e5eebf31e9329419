import { call } from './api.ts'

/** Has the browser load a file as its own page would: where it is kept says what it is called. */
export const download = (url: string, name?: string) => {
  const link = document.createElement('a')
  link.href = url
  link.download = name ?? ''
  link.rel = 'noopener'
  document.body.append(link)
  link.click()
  link.remove()
}

/** Loads what a task has made; false where it is not kept any more. Its address is asked for now, as each is good for a while. */
export const downloadOf = async (task: string): Promise<boolean> => {
  const { file } = await call('task/get', { id: task })
  if (file) download(file.url, file.name)
  return file !== undefined
}
