import useSWR, { mutate } from 'swr'
import { call, isUnanswered, type PathOutput, write } from '../../api.ts'
import { refresh } from '../../read.ts'

// The saved views and the hidden columns of the user's lists. All lists of the site share one read.

const path = 'user/view/all'
const key = [path, {}] as const
type Choices = PathOutput<typeof path>

export const useListChoices = (): Choices | undefined =>
  useSWR(key, () => call(path, {}), {
    // A list works without the choices, so a failed read shows no error.
    shouldRetryOnError: false,
    revalidateIfStale: false,
    revalidateOnFocus: true,
  }).data

/** Sends the writes one at a time, so that the last write wins. */
let lastWrite: Promise<unknown> = Promise.resolve()

/** Hides columns of a list. The list changes at once, and changes back if the server refuses. */
export const hideColumns = (list: string, hidden: string[]): Promise<void> => {
  const withHidden = (choices: Choices | undefined): Choices | undefined =>
    choices && {
      ...choices,
      columns: [...choices.columns.filter(other => other.list !== list), ...(hidden.length ? [{ list, hidden }] : [])],
    }
  void mutate<Choices>(key, withHidden, { revalidate: false })
  const run = lastWrite.catch(() => undefined).then(() => write('user/column/update', { list, hidden }))
  lastWrite = run
  return run.then(
    () => undefined,
    error => {
      // Without an answer, the change may have arrived.
      if (!isUnanswered(error)) refresh([path])
      throw error
    },
  )
}
