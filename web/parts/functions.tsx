import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { permissions as allFunctions, type Permission } from '../../shared/permissions.ts'
import './functions.css'

// The functions of the site that the permissions of a role or an API key grant.

/** The permission numbers, grouped like the pages in the menus. */
const functionGroups: readonly (readonly [
  group: 'organization' | 'shift' | 'record',
  functions: readonly Permission[],
])[] = [
  ['organization', [1, 3, 2]],
  ['shift', [7, 6, 5, 10]],
  ['record', [9, 11, 8]],
]
export const shownFunctions = functionGroups.flatMap(([, functions]) => functions)

/**
 * The wider function whose pages include all pages of this function. A person with the wider function does not need
 * this one.
 */
const widerThan = (number: Permission): Permission | undefined =>
  shownFunctions.find(other => {
    const pages: readonly string[] = allFunctions[other].pages
    return (
      other !== number &&
      allFunctions[number].pages.every(page => pages.includes(page)) &&
      pages.length > allFunctions[number].pages.length
    )
  })

/** Whether every shown function is granted, directly or by a wider function. */
export const areAllFunctions = (granted: readonly number[]) =>
  shownFunctions.every(number => granted.includes(number) || granted.includes(widerThan(number) ?? number))

/** The functions in groups. With `onChange`, each has a checkbox. */
export function Functions(props: {
  granted: readonly number[]
  onChange?: (granted: number[]) => void
  /** Hints that replace the usual ones, which describe a person's permissions. */
  hints?: Partial<Record<Permission, string>>
}) {
  const { t } = useTranslation(['role', 'shell'])
  const id = useId()
  const { granted, onChange, hints } = props
  const isGranted = (number: number) => granted.includes(number)
  const setGranted = (number: Permission, on: boolean) =>
    onChange?.(on ? [...granted, number].sort((a, b) => a - b) : granted.filter(other => other !== number))
  return (
    <div className="functions">
      {functionGroups.map(([group, functions]) => (
        <fieldset key={group}>
          <legend>{t(`shell:nav.group.${group}`)}</legend>
          {functions.map(number => {
            const wider = widerThan(number)
            const isIncluded = wider !== undefined && isGranted(wider)
            return (
              <label key={number} className="check">
                <input
                  type="checkbox"
                  aria-labelledby={`${id}-${number}`}
                  aria-describedby={`${id}-${number}-hint`}
                  checked={isGranted(number) || isIncluded}
                  disabled={!onChange || isIncluded}
                  onChange={event => setGranted(number, event.target.checked)}
                />
                <span>
                  <span id={`${id}-${number}`}>{t(`function.${number as 1}.name`)}</span>
                  <span id={`${id}-${number}-hint`} className="muted small">
                    {isIncluded && wider
                      ? t('functions.included', { name: t(`function.${wider as 1}.name`) })
                      : (hints?.[number] ?? t(`function.${number as 1}.hint`))}
                  </span>
                </span>
              </label>
            )
          })}
        </fieldset>
      ))}
    </div>
  )
}
