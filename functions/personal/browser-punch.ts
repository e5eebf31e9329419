import { defaultParameters } from '../../shared/attendance/input.ts'
import type { Company } from '../../shared/company.ts'
import type { Input, Output } from '../../shared/contract.ts'
import { departmentsOf } from '../../shared/employee.ts'
import { Problem } from '../../shared/errors.ts'
import { localDay } from '../../shared/local-day.ts'
import {
  type BrowserPunch,
  defaultBrowserPunch,
  type LastTap,
  type Located,
  lastTapKey,
  leastRepeatSeconds,
  type personalPunchPaths,
  placeOf,
} from '../../shared/personal/browser-punch.ts'
import { browserSn, type Punch, punchKey } from '../../shared/punch.ts'
import { localTimeAt } from '../../shared/terminal/clock.ts'
import { readCompany } from '../company/store.ts'
import type { Caller } from '../kit/caller.ts'
import { departmentsBelow } from '../kit/caller.ts'
import { again } from '../kit/table/change.ts'
import { save } from '../kit/table.ts'
import { moveOvertaken, positionNow } from '../record/order.ts'

// Punching in the browser. The person's clock is never asked, nor is their word taken for who they are: only that of their session.

type Tapped = Output<(typeof personalPunchPaths)['personal/punch/add']>
type Told = Output<(typeof personalPunchPaths)['personal/punch/get']>

const keptSeconds = 24 * 3600
/** A degree's hundred-thousandth is a metre: nobody needs to know it better. */
const rounded = (degrees: number) => Math.round(degrees * 100_000) / 100_000

const rulesOf = ({ browserPunch = defaultBrowserPunch }: Company) => browserPunch

/** Whether the company lets somebody punch in the browser today. A day before they are hired none of their punches counts for them. */
const mayTap = async ({ table, employee }: Caller, company: Company): Promise<boolean> => {
  const { isOn, departments } = rulesOf(company)
  if (!isOn || (employee.hireDay ?? '') > localDay(company.timezone, Date.now())) return false
  if (!departments) return true
  const below = await departmentsBelow(table, departments)
  return departmentsOf(employee).some(department => below.has(department))
}

/** Whether a punch has to be made in one of the company's places. */
const isFenced = ({ isPlaceAsked, places }: BrowserPunch) => isPlaceAsked && places.length > 0
const isPlaceNeeded = (rules: BrowserPunch) => isFenced(rules) && rules.outside === 'refuse'

/** What is kept of where a punch was made; throws where it may not be made there. */
const locate = (rules: BrowserPunch, located: Located | undefined): Pick<Punch, 'located' | 'place' | 'isOutside'> => {
  if (!rules.isPlaceAsked) return {}
  if (isPlaceNeeded(rules) && !located) throw new Problem(60001, { latitude: 60001 })
  const place = located && placeOf(located, rules.places)
  const isOutside = isFenced(rules) && !place
  if (isOutside && isPlaceNeeded(rules)) throw new Problem(60087)
  return {
    ...(located && { located }),
    ...(place && { place: place.name }),
    ...(isOutside && { isOutside }),
  }
}

const pointOf = ({
  latitude,
  longitude,
  accuracyMetres,
}: Input<(typeof personalPunchPaths)['personal/punch/add']>): Located | undefined =>
  latitude === undefined || longitude === undefined
    ? undefined
    : {
        latitude: rounded(latitude),
        longitude: rounded(longitude),
        ...(accuracyMetres !== undefined && { accuracyMetres: Math.ceil(accuracyMetres) }),
      }

const tell = ({ at, timezone, place, isOutside }: Omit<LastTap, 'expiresAt'>) => ({
  at,
  timezone,
  ...(place !== undefined && { place }),
  isOutside: isOutside ?? false,
})

export const tellTaps = async (caller: Caller): Promise<Told> => {
  const company = await readCompany(caller)
  const rules = rulesOf(company)
  const [isAllowed, last] = await Promise.all([
    mayTap(caller, company),
    caller.table.get(lastTapKey(caller.employee.id)),
  ])
  return {
    isAllowed,
    isPlaceAsked: rules.isPlaceAsked,
    isPlaceNeeded: isPlaceNeeded(rules),
    ...(last && { last: tell(last) }),
  }
}

/**
 * Punches for the caller by our clock, to the second. Of two taps at once the slower one looks again, and finds the first; so does
 * one in the same second of an hour that a clock change repeats, which comes into the next.
 */
export const tap = (caller: Caller, form: Input<(typeof personalPunchPaths)['personal/punch/add']>): Promise<Tapped> =>
  again(async () => {
    const { table, employee } = caller
    const company = await readCompany(caller)
    if (!(await mayTap(caller, company))) throw new Problem(60086)
    const now = Math.floor(Date.now() / 1000) * 1000
    const last = await table.get(lastTapKey(employee.id))
    const { bounceSeconds } = company.parameters ?? defaultParameters
    // A last tap that is far ahead was made before the clock stepped back.
    if (last && Math.abs(now - Date.parse(last.at)) < Math.max(bounceSeconds, leastRepeatSeconds) * 1000)
      return { ...tell(last), isRepeat: true }

    const where = locate(rulesOf(company), pointOf(form))
    const { timezone } = company
    const at = new Date(now).toISOString()
    const punch = {
      ...{ number: employee.workno, sn: browserSn, source: 'browser' as const, generation: 0 },
      ...{ at, receivedAt: at, localTime: localTimeAt(timezone, now), zone: timezone, ...where },
      ...(await positionNow(table, now)),
    }
    const { place, isOutside } = where
    const tapped: LastTap = {
      ...{ at, timezone, expiresAt: now / 1000 + keptSeconds },
      ...(place !== undefined && { place }),
      ...(isOutside && { isOutside }),
    }
    const key = lastTapKey(employee.id)
    await save(
      table.insert(punchKey(punch), punch),
      last ? table.replace(key, { ...tapped, version: last.version }) : table.insert(key, tapped),
    )
    await moveOvertaken(table, [punch])
    return { ...tell(tapped), isRepeat: false }
  })
