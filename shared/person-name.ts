/** A person's two names, and whether the company writes the family name first. */
export interface PersonName {
  first_name: string
  last_name: string
  isFamilyFirst?: boolean | undefined
}

/** Chinese, Japanese and Korean letters, and the dots between the parts of a transcribed name. */
const unspaced = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}ー·・]+$/u

/**
 * Whether both names are in a script that puts the family name first without a space: 张伟. The company's choice does not
 * matter.
 */
const isUnspaced = ({ first_name, last_name }: PersonName) => unspaced.test(last_name) && unspaced.test(first_name)

/** The names in reading order. */
export const namesInOrder = (person: PersonName): [string, string] =>
  person.isFamilyFirst || isUnspaced(person)
    ? [person.last_name, person.first_name]
    : [person.first_name, person.last_name]

/** The full name for screens, files and mails. */
export const fullName = (person: PersonName): string =>
  namesInOrder(person)
    .join(isUnspaced(person) ? '' : ' ')
    .trim()

/** The name in a greeting: the first name. If a first name alone is impolite, the full name. */
export const greetingName = (person: PersonName): string => (isUnspaced(person) ? fullName(person) : person.first_name)
