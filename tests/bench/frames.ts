import { chromium, type Page } from '@playwright/test'
import type { PathOutput } from '../../shared/api.ts'
import { daysBetween } from '../../shared/local-day.ts'
import { mostRequestsAtOnce } from '../../shared/request.ts'
import { findChromium } from '../browser/chromium.ts'
import { client, register } from '../kit/client.ts'
import { importSheet } from '../kit/sheet.ts'
import { startStack } from '../kit/stack.ts'
import type { Goal, Report } from './main.ts'

// The frame times of the longest pages during fast scrolling. The pages are a fully loaded list of 10,000 people and a
// board month of 500 people, a quarter of them on leave.

const people = 10_000
const departments = 20
const month = '2098-03'
const days = daysBetween(`${month}-01`, `${month}-31`)

/** Pixels per second: three seconds down, then two seconds up. */
const pixelsPerSecond = 4000

const quantile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

/**
 * Scrolls a box from its top. Returns the milliseconds of each frame, and the number of frames without a row in the
 * middle.
 */
const scroll = (page: Page, box: string) =>
  page.locator(box).evaluate(
    (element, pixelsPerSecond) =>
      new Promise<{ frames: number[]; blank: number }>(resolve => {
        element.scrollTop = 0
        const { left, top, width, height } = element.getBoundingClientRect()
        const frames: number[] = []
        let [blank, startTime, lastTime] = [0, 0, 0]
        const draw = (time: number) => {
          if (startTime === 0) startTime = time
          else frames.push(time - lastTime)
          lastTime = time
          if (!document.elementFromPoint(left + width / 2, top + height / 2)?.closest('[role="row"]')) blank++
          const seconds = (time - startTime) / 1000
          if (seconds > 5) return resolve({ frames, blank })
          element.scrollTop = pixelsPerSecond * (seconds < 3 ? seconds : 6 - seconds)
          requestAnimationFrame(draw)
        }
        requestAnimationFrame(draw)
      }),
    pixelsPerSecond,
  )

export const bench = async (report: Report) => {
  const stack = await startStack({ site: true })
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const http = client(stack.address)
    const owner = await register(http)
    const names = Array.from({ length: departments }, (_, i) => `Department ${i}`)
    await importSheet(http, owner, `name\n${names.join('\n')}\n`, { path: 'department/import' })
    const lines = Array.from({ length: people }, (_, i) => `Person,Number ${i},${1000 + i},${names[i % departments]}`)
    await importSheet(http, owner, `first_name,last_name,workno,department\n${lines.join('\n')}\n`)
    const { list } = await http.call('department/all', {}, owner)
    const department = list.find(({ name }) => name === names[0])?.id ?? ''
    const employees: string[] = []
    for (let page: string | undefined, isFirst = true; isFirst || page; isFirst = false) {
      const part: PathOutput<'employee/grid'> = await http.call(
        'employee/grid',
        { filters: { department }, size: 200, ...(page && { page }) },
        owner,
      )
      employees.push(...part.list.map(({ id }) => id))
      page = part.next
    }
    if (employees.length !== people / departments) throw new Error(`There are ${employees.length} people.`)
    const times = { punchStart: '08:00', onDuty: '09:00', offDuty: '17:00', punchEnd: '18:00' }
    const { id: shift } = await http.call('shift/add', { name: 'Day', ...times }, owner)
    const cells = days.map(() => [0])
    const plan = { from: `${month}-01`, shifts: [shift], rows: [{ employees, cells }] }
    const { task } = await http.call('schedule/plan', { plan }, owner)
    for (let state = 'waiting'; state !== 'done'; ) {
      ;({ state } = await http.call('task/get', { id: task }, owner))
      if (state === 'failed') throw new Error('The month could not be planned.')
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    // A quarter of the people have approved leave in the month.
    const absent = employees.filter((_, i) => i % 4 === 0)
    const leave = { leaveType: 3, date: `${month}-09`, toDate: `${month}-13`, isAllDay: true }
    for (let i = 0; i < absent.length; i += mostRequestsAtOnce)
      await http.call('leave/add', { ...leave, employees: absent.slice(i, i + mostRequestsAtOnce) }, owner)

    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.addInitScript(token => localStorage.setItem('token', token), owner.token)
    const measure = async (name: string, box: string, leastRows: number) => {
      await page.locator(`${box} [role="row"]`).nth(5).waitFor()
      // Scrolls to the end until all rows are loaded, page by page.
      const lastRow = () =>
        page
          .locator(`${box} [aria-rowindex]`)
          .evaluateAll(rows => Math.max(0, ...rows.map(row => Number(row.getAttribute('aria-rowindex')))))
      const until = performance.now() + 120_000
      while ((await lastRow()) < leastRows && performance.now() < until) {
        await page.locator(box).evaluate(element => {
          element.scrollTop = element.scrollHeight
        })
        await page.waitForTimeout(50)
      }
      report(`${name}: rows`, await lastRow(), 'rows', { atLeast: leastRows })
      await measureScrolling(name, box, { atMost: 34 })
    }
    /** Keeps the best of three runs, because other load on the machine also costs frames. */
    const measureScrolling = async (name: string, box: string, goal?: Goal) => {
      const times = []
      for (let turn = 0; turn < 3; turn++) times.push(await scroll(page, box))
      const [best] = times.toSorted((a, b) => quantile(a.frames, 0.95) - quantile(b.frames, 0.95))
      if (!best) return
      report(`${name}: half of all frames take at most`, quantile(best.frames, 0.5), 'ms')
      report(`${name}: 95 of 100 frames take at most`, quantile(best.frames, 0.95), 'ms', goal)
      if (goal) report(`${name}: frames without a row in the middle`, best.blank, `of ${best.frames.length}`)
    }
    await page.setContent('<div id="box" style="height:100vh;overflow:auto"><div style="height:400000px"></div></div>')
    await measureScrolling('nothing but a scroll bar', '#box')
    await page.goto(`${stack.address}/employee`)
    await measure('list of 10,000 people', '.grid', people)
    await page.goto(`${stack.address}/schedule?department=${department}&month=${month}`)
    await measure('month of 500 people with leave', '.board', people / departments)
  } finally {
    await browser.close()
    await stack.stop()
  }
}
