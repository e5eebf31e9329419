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
import { faultOf, log } from '../kit/log.ts'
import { again } from '../kit/table/change.ts'
import { save } from '../kit/table.ts'
import { moveOvertaken, positionNow } from '../record/order.ts'

// Punching in the browser. The server's clock gives the time and the session gives the employee; the browser decides
// neither.

type AddedPunch = Output<(typeof personalPunchPaths)['personal/punch/add']>
type PunchSettings = Output<(typeof personalPunchPaths)['personal/punch/get']>

const keptSeconds = 24 * 3600
/** Rounds to a hundred-thousandth of a degree, about a metre, because the comparison needs no more precision. */
const roundDegrees = (degrees: number) => Math.round(degrees * 100_000) / 100_000

const rulesOf = ({ browserPunch = defaultBrowserPunch }: Company) => browserPunch

/** Whether the caller may punch in the browser today. Punches before the hire day do not count for an employee. */
const mayPunch = async ({ table, employee }: Caller, company: Company): Promise<boolean> => {
  const { isOn, departments } = rulesOf(company)
  if (!isOn || (employee.hireDay ?? '') > localDay(company.timezone, Date.now())) return false
  if (!departments) return true
  const below = await departmentsBelow(table, departments)
  return departmentsOf(employee).some(department => below.has(department))
}

/** Whether the company compares punches with its places. */
const isFenced = ({ isPlaceAsked, places }: BrowserPunch) => isPlaceAsked && places.length > 0
const isPlaceNeeded = (rules: BrowserPunch) => isFenced(rules) && rules.outside === 'refuse'

/**
 * The stored position of a punch. If the company rejects punches outside its places, throws 60001 without a position
 * and 60087 outside all places.
 */
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
        latitude: roundDegrees(latitude),
        longitude: roundDegrees(longitude),
        ...(accuracyMetres !== undefined && { accuracyMetres: Math.ceil(accuracyMetres) }),
      }

const showTap = ({ at, timezone, place, isOutside }: Omit<LastTap, 'expiresAt'>) => ({
  at,
  timezone,
  ...(place !== undefined && { place }),
  isOutside: isOutside ?? false,
})

export const tellTaps = async (caller: Caller): Promise<PunchSettings> => {
  const company = await readCompany(caller)
  const rules = rulesOf(company)
  const [isAllowed, last] = await Promise.all([
    mayPunch(caller, company),
    caller.table.get(lastTapKey(caller.employee.id)),
  ])
  return {
    isAllowed,
    isPlaceAsked: rules.isPlaceAsked,
    isPlaceNeeded: isPlaceNeeded(rules),
    ...(last && { last: showTap(last) }),
  }
}

/** Imports on demand, because this imports the whole calculation. A punch is never lost because its use is unknown. */
const countsNow = async ({ table, employee }: Caller, timezone: string, at: string): Promise<boolean> => {
  try {
    const { wouldCount } = await import('./period.ts')
    return await wouldCount(table, { employee: employee.id, timezone, at })
  } catch (error) {
    log({ event: 'punch.use.unknown', error: faultOf(error) })
    return true
  }
}

/**
 * Adds a punch for the caller at the server's time, to the second. Of two taps at once, the slower tap retries and
 * finds the first one. Around a clock change a local second occurs twice: a tap in a taken second retries into the
 * next.
 */
export const tap = (
  caller: Caller,
  form: Input<(typeof personalPunchPaths)['personal/punch/add']>,
): Promise<AddedPunch> =>
  again(async () => {
    const { table, employee } = caller
    const company = await readCompany(caller)
    if (!(await mayPunch(caller, company))) throw new Problem(60086)
    const now = Math.floor(Date.now() / 1000) * 1000
    const last = await table.get(lastTapKey(employee.id))
    const { bounceSeconds } = company.parameters ?? defaultParameters
    // A last tap in the far future dates from before an operator set the server's clock back.
    if (last && Math.abs(now - Date.parse(last.at)) < Math.max(bounceSeconds, leastRepeatSeconds) * 1000)
      return { ...showTap(last), isCounted: !last.isUncounted, isRepeat: true }

    const position = locate(rulesOf(company), pointOf(form))
    const { timezone } = company
    const at = new Date(now).toISOString()
    const punch = {
      ...{ number: employee.workno, sn: browserSn, source: 'browser' as const, generation: 0 },
      ...{ at, receivedAt: at, localTime: localTimeAt(timezone, now), zone: timezone, ...position },
      ...(await positionNow(table, now)),
    }
    const { place, isOutside } = position
    const isCounted = await countsNow(caller, timezone, at)
    const nextTap: LastTap = {
      ...{ at, timezone, expiresAt: now / 1000 + keptSeconds },
      ...(place !== undefined && { place }),
      ...(isOutside && { isOutside }),
      ...(!isCounted && { isUncounted: true as const }),
    }
    const key = lastTapKey(employee.id)
    await save(
      table.insert(punchKey(punch), punch),
      last ? table.replace(key, { ...nextTap, version: last.version }) : table.insert(key, nextTap),
    )
    await moveOvertaken(table, [punch])
    return { ...showTap(nextTap), isCounted, isRepeat: false }
  })
