import { countMonth, dollarsOf } from '../kit/cost.ts'
import type { Report } from './main.ts'

// What a month costs, by the company's size. With many people ten of them punch: one costs as much as another.

const punching = 10

const costOf = (people: number) => async (report: Report) => {
  const { items, bytes, count, dollars, parts, terminal, deployment } = await countMonth(people, { punching })
  const of = `of ${people}`
  report(`${of}: items of one`, items, 'items')
  report(`${of}: stored of one`, bytes, 'bytes')
  for (const [name, number] of Object.entries(count)) report(`${of}: ${name}s of one`, number, 'a month')
  for (const [name, part] of Object.entries(parts)) report(`${of}: ${name}`, dollarsOf(part), 'dollars a month')
  report(`${of}: one`, dollars, 'dollars a month')
  report(`${of}: a terminal`, dollarsOf(terminal), 'dollars a month')
  report(`${of}: the deployment itself`, dollarsOf(deployment), 'dollars a month')
}

export const bench = { ten: costOf(10), thousand: costOf(1000) }
