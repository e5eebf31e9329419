import type { ComponentProps } from 'react'
import { usePhoto } from '../../photos.ts'
import { Avatar } from '../shell/avatar.tsx'

/** The avatar of a person in an answer without photos. The photo appears once it is read. */
export function PersonAvatar({ id, person }: { id: string } & Pick<ComponentProps<typeof Avatar>, 'person'>) {
  return <Avatar person={person} photo={usePhoto(id)} />
}
