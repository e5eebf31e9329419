import { erasedFirstName } from '../shared/erasure.ts'
import {
  namesInOrder,
  type PersonName,
  fullName as sharedFullName,
  greetingName as sharedGreetingName,
} from '../shared/person-name.ts'

// The site writes names in the order of the user's company. A page load has only one company. So this module holds the
// order, and components need not pass it on.

let isFamilyFirst = false

/** Sets the order from the answer of `auth/get`, before any component shows a name. */
export const setNameOrder = (company: { isFamilyFirst: boolean }): void => {
  isFamilyFirst = company.isFamilyFirst
}

type Names = Pick<PersonName, 'first_name' | 'last_name'>

/** The pseudonym of an erased person keeps its own order. */
const inOrder = ({ first_name, last_name }: Names): PersonName => ({
  first_name,
  last_name,
  isFamilyFirst: isFamilyFirst && first_name !== erasedFirstName,
})

export const fullName = (person: Names): string => sharedFullName(inOrder(person))

/** Two letters that replace a missing photo, from both names or from a full name in one text. */
export const initials = (person: Names | string): string => {
  const names = typeof person === 'string' ? person.split(' ') : namesInOrder(inOrder(person))
  return [names[0], names.length > 1 ? names.at(-1) : undefined]
    .map(name => [...(name ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

export const greetingName = (person: Names): string => sharedGreetingName(inOrder(person))
