import { createContext, useContext } from 'react'
import useSWR from 'swr'
import { mostPhotos } from '../shared/image.ts'
import { call } from './api.ts'
import { useMayOpenPerson } from './parts/person-link.tsx'

// The photos of people in lists. Lists hold only names, so the site reads the photos of all shown people together.

type Photos = ReadonlyMap<string, string>

const readPhotos = async (ids: string[]): Promise<Photos> => {
  const photos = new Map<string, string>()
  for (let from = 0; from < ids.length; from += mostPhotos) {
    // A name without its photo is still complete, so a failed read shows no error.
    const portion = { ids: ids.slice(from, from + mostPhotos) }
    const { list } = await call('employee/photo/list', portion).catch(() => ({ list: [] }))
    for (const { id, photo } of list) photos.set(id, photo)
  }
  return photos
}

/** The people whose photos the next call reads. */
let next: { ids: Set<string>; photos: Promise<Photos> } | undefined

/** Batches all reads of one tick into one call. */
const readPhoto = async (id: string): Promise<string | undefined> => {
  if (!next) {
    const ids = new Set<string>()
    const begin = () => {
      next = undefined
      return readPhotos([...ids])
    }
    next = { ids, photos: new Promise<void>(done => setTimeout(done)).then(begin) }
  }
  next.ids.add(id)
  return (await next.photos).get(id)
}

/** Within this context, nothing reads photos, because paper shows none. */
export const WithoutPhotos = createContext(false)

/** Addresses stay valid for at least 15 minutes. */
const freshMilliseconds = 10 * 60_000

/** The address of a person's photo. Undefined without a photo, without the permission and while it loads. */
export const usePhoto = (id: string): string | undefined => {
  const isOff = useContext(WithoutPhotos)
  const mayRead = useMayOpenPerson() && !isOff
  const { data } = useSWR(mayRead ? ['employee/photo/list', id] : null, ([, person]) => readPhoto(person), {
    dedupingInterval: freshMilliseconds,
    revalidateOnFocus: false,
    shouldRetryOnError: false,
  })
  return data
}
