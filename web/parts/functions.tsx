import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { permissions as allFunctions, type Permission } from '../../shared/permissions.ts'
import './functions.css'

// What a role or an API key may open and change, as people know it.

/** As the menus are: the pages that belong together stand together. */
const functionGroups: readonly (readonly [
  group: 'organization' | 'shift' | 'record',
  functions: readonly Permission[],
])[] = [
  ['organization', [1, 3, 2]],
  ['shift', [7, 6, 5, 10]],
  ['record', [9, 11, 8]],
]
export const shownFunctions = functionGroups.flatMap(([, functions]) => functions)

/** The function whose pages include all those of another one: who has it needs the other no more. */
const includedIn = (number: Permission): Permission | undefined =>
  shownFunctions.find(other => {
    const pages: readonly string[] = allFunctions[other].pages
    return (
      other !== number &&
      allFunctions[number].pages.every(page => pages.includes(page)) &&
      pages.length > allFunctions[number].pages.length
    )
  })

/** Whether all that is shown is granted. */
export const areAllFunctions = (granted: readonly number[]) =>
  shownFunctions.every(number => granted.includes(number) || granted.includes(includedIn(number) ?? number))

/** The functions grouped as the menus are; with `onChange` each can be ticked. */
export function Functions(props: {
  granted: readonly number[]
  onChange?: (granted: number[]) => void
  /** What one opens, where that is other than for people. */
  hints?: Partial<Record<Permission, string>>
}) {
  const { t } = useTranslation(['role', 'shell'])
  const id = useId()
  const { granted, onChange, hints } = props
  const has = (number: number) => granted.includes(number)
  const turn = (number: Permission, on: boolean) =>
    onChange?.(on ? [...granted, number].sort((one, other) => one - other) : granted.filter(other => other !== number))
  return (
    <div className="functions">
      {functionGroups.map(([group, functions]) => (
        <fieldset key={group}>
          <legend>{t(`shell:nav.group.${group}`)}</legend>
          {functions.map(number => {
            const wider = includedIn(number)
            const isIncluded = wider !== undefined && has(wider)
            return (
              <label key={number} className="check">
                <input
                  type="checkbox"
                  aria-labelledby={`${id}-${number}`}
                  aria-describedby={`${id}-${number}-hint`}
                  checked={has(number) || isIncluded}
                  disabled={!onChange || isIncluded}
                  onChange={event => turn(number, event.target.checked)}
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
