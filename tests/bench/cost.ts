import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { countMonth, dollarsOf, type Month } from '../cost.ts'
import type { Report } from './main.ts'

// What a month costs, by the company's size. With many people ten of them punch: one costs as much as another.

const punching = 10

// The kit's clients are made once, for the table that is there then: each size is counted in a thread of its own.
if (!isMainThread) parentPort?.postMessage(await countMonth(Number(workerData), { punching }))

const countApart = (people: number): Promise<Month> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: people })
    thread.once('message', resolve).once('error', reject)
  })

export const bench = async (report: Report) => {
  for (const people of [10, 1000]) {
    const { items, bytes, count, dollars, parts, terminal, deployment } = await countApart(people)
    const of = `of ${people}`
    report(`${of}: items of one`, items, 'items')
    report(`${of}: stored of one`, bytes, 'bytes')
    for (const [name, number] of Object.entries(count)) report(`${of}: ${name}s of one`, number, 'a month')
    for (const [name, part] of Object.entries(parts)) report(`${of}: ${name}`, dollarsOf(part), 'dollars a month')
    report(`${of}: one`, dollars, 'dollars a month')
    report(`${of}: a terminal`, dollarsOf(terminal), 'dollars a month')
    report(`${of}: the deployment itself`, dollarsOf(deployment), 'dollars a month')
  }
}
