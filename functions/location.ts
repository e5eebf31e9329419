import { Problem } from '../shared/errors.ts'
import { locationPaths } from '../shared/location.ts'
import { lambda } from './kit/lambda.ts'
import { countries, statesOf } from './location/places.ts'

const sorted = <T extends { name: string }>(list: T[], language: string): T[] => {
  const { compare } = new Intl.Collator(language, { numeric: true })
  return list.toSorted((one, other) => compare(one.name, other.name))
}

export const handler = lambda(locationPaths, {
  'location/country': async (_, { language }) => {
    const names = new Intl.DisplayNames(language, { type: 'region' })
    const list = (await countries()).map(id => ({ id, name: names.of(id) ?? id }))
    return { list: sorted(list, language) }
  },

  'location/state': async ({ country_id }, { language }) => {
    const states = await statesOf(country_id)
    if (!states) throw new Problem(60004, { country_id: 60004 })
    return { list: sorted(states, language).map(({ cities: _, ...state }) => state) }
  },

  'location/city': async ({ state_id }, { language }) => {
    const state = (await statesOf(state_id.slice(0, 2)))?.find(({ id }) => id === state_id)
    if (!state) throw new Problem(60004, { state_id: 60004 })
    return { list: sorted(state.cities, language) }
  },
})
