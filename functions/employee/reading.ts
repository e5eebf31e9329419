import { type Company, nameFormats } from '../../shared/company.ts'
import type { Employee } from '../../shared/employee.ts'
import { fullName } from '../../shared/person-name.ts'

type Named = Pick<Employee, 'first_name' | 'last_name' | 'isFamilyFirst' | 'reading'>

const han = /\p{Script=Han}/u

/**
 * The pronunciation of a Chinese name in pinyin without tones: `zhang wei` for 张伟, `shan xiong xin` for 单雄信. Lists sort
 * by this reading, and searches find it. Returns undefined for a name without Chinese letters.
 */
const readingOf = async (employee: Named): Promise<string | undefined> => {
  const name = fullName(employee)
  if (!han.test(name)) return undefined
  // Import on demand: 300 KB that only Chinese names need.
  const { pinyin } = await import('pinyin-pro')
  const syllables = pinyin(name, { toneType: 'none', type: 'array', surname: 'head', nonZh: 'consecutive', v: true })
  return syllables
    .map(syllable => syllable.trim())
    .filter(syllable => syllable !== '')
    .join(' ')
    .toLowerCase()
}

/** The employee with the reading of the present name. */
export const withReading = async <P extends Named>({ reading: _, ...person }: P): Promise<P> => {
  const reading = await readingOf(person)
  return { ...person, ...(reading !== undefined && { reading }) } as P
}

/** A new employee with the reading of the name, in the company's name order. */
export const named = async <P extends Named>(
  person: P,
  { nameformat_id }: Pick<Company, 'nameformat_id'>,
): Promise<P> => withReading({ ...person, ...(nameformat_id === nameFormats.familyFirst && { isFamilyFirst: true }) })
