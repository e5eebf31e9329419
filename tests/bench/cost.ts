import { countMonth, dollarsOf } from '../kit/cost.ts'
import type { Report } from './main.ts'

// The cost of a month by company size. In a large company only ten employees punch, because each punch costs the same.

const punching = 10

const costOf = (people: number) => async (report: Report) => {
  const { items, bytes, count, dollars, parts, terminal, deployment } = await countMonth(people, { punching })
  const prefix = `of ${people}`
  report(`${prefix}: items of one`, items, 'items')
  report(`${prefix}: stored of one`, bytes, 'bytes')
  for (const [name, number] of Object.entries(count)) report(`${prefix}: ${name}s of one`, number, 'a month')
  for (const [name, part] of Object.entries(parts)) report(`${prefix}: ${name}`, dollarsOf(part), 'dollars a month')
  report(`${prefix}: one`, dollars, 'dollars a month')
  report(`${prefix}: a terminal`, dollarsOf(terminal), 'dollars a month')
  report(`${prefix}: the deployment itself`, dollarsOf(deployment), 'dollars a month')
}

export const bench = { ten: costOf(10), thousand: costOf(1000) }
