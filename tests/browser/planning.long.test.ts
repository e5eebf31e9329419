import type { Locator, Page } from '@playwright/test'
import { dayName, dayNumber, weekStart } from '../../shared/attendance/calendar.ts'
import { instantOf } from '../../shared/attendance/zone.ts'
import { addDays, localDay } from '../../shared/local-day.ts'
import { openSocket } from '../kit/socket.ts'
import { address, call, expect, newCompany, openAs, settled, test } from './site.ts'

// A rotation over the last clock change, from the board to the report.

const zones = ['America/New_York', 'Europe/Athens', 'Australia/Sydney', 'America/Santiago']
const noon = (zone: string, day: string) => instantOf(zone, dayNumber(day) * 1440 + 720)

/**
 * The zone of the last clock change, the day before that night, and the night's length in minutes. The change was over
 * two weeks ago.
 */
const findLastClockChange = () => {
  for (let back = 15; back < 250; back++)
    for (const zone of zones) {
      const day = addDays(localDay(zone, Date.now()), -back)
      const elapsed = noon(zone, addDays(day, 1)) - noon(zone, day)
      if (elapsed !== 1440) return { zone, day, elapsed }
    }
  throw new Error('No clock has changed for eight months')
}
const { zone, day: changeDay, elapsed } = findLastClockChange()
const monday = dayName(weekStart(dayNumber(changeDay), 1))
const range = { from: monday, to: addDays(monday, 13) }

test.use({ timezoneId: zone, viewport: { width: 1440, height: 1300 } })

const titles = ['Scheduled hours', 'Worked', 'Late', 'Left early', 'Absent', 'Overtime']
type Sums = Record<string, number>
const minutesIn = (text: string | null) => Number((text ?? '').replace(/[^\d]/g, ''))

/** Reads the report of the employees' night shifts: scheduled minutes by day, and the sum of every column. */
const readReport = async (page: Page, employees: readonly string[]) => {
  const sums: Sums = {}
  const dutyOn: Record<string, number> = {}
  for (const employee of employees) {
    await page.goto(`/report?from=${range.from}&to=${range.to}&employee=${employee}`)
    const rows = page.getByRole('row').filter({ has: page.getByRole('cell', { name: 'Night', exact: true }) })
    await expect(rows.first()).toBeVisible()
    await settled(page)
    for (const row of await rows.all()) {
      const cell = (title: string) => row.locator(`[data-title^="${title}"]`).first().textContent()
      for (const title of titles) sums[title] = (sums[title] ?? 0) + minutesIn(await cell(title))
      dutyOn[/\d{4}-\d\d-\d\d/.exec((await cell('Day')) ?? '')?.[0] ?? ''] = minutesIn(await cell('Scheduled hours'))
    }
  }
  return { sums, dutyOn }
}

/** Reads the totals of a preview. The preview has no line for a figure that is 0 before and after. */
const readTotals = async (dialog: Locator) => {
  const totals: { before: Sums; after: Sums } = { before: {}, after: {} }
  for (const title of titles) Object.assign(totals.before, { [title]: 0 })
  Object.assign(totals.after, totals.before)
  for (const row of await dialog.locator('.preview-totals tbody tr').all()) {
    const [before, after] = await row.getByRole('cell').allTextContents()
    const figure = await row.getByRole('rowheader').innerText()
    const name = titles.find(title => figure.startsWith(title)) ?? figure
    totals.before[name] = minutesIn(before ?? '')
    totals.after[name] = minutesIn(after ?? '')
  }
  return totals
}

test('a manager schedules nights over a clock change, and an edit of the shift has the previewed effect', async ({
  page,
}) => {
  // The journey takes as long as a dozen other tests.
  test.setTimeout(240_000)
  const token = await newCompany('Harbour Bakery', zone)
  const department = String((await call('department/add', { name: 'Night bakery' }, token)).id)
  const person = (first_name: string, workno: string) =>
    call('employee/add', { first_name, last_name: 'Baker', workno, department }, token)
  const employees = [String((await person('Ada', '11')).id), String((await person('Ben', '12')).id)]
  const night = { onDuty: '22:00', offDuty: '06:00+1', punchStart: '20:00', punchEnd: '09:00+1' }
  const early = { onDuty: '05:00', offDuty: '13:00', punchStart: '04:00', punchEnd: '15:00' }
  await call('shift/add', { name: 'Night', color: 'violet', ...night }, token)
  await call('shift/add', { name: 'Early', color: 'amber', ...early }, token)

  await test.step('assign a two-week rotation to the department', async () => {
    await openAs(page, { token }, `/schedule?weeks=${monday}`)
    await page.getByLabel('Department').selectOption({ label: 'Night bakery' })
    await expect(page.getByRole('row', { name: / Baker / })).toHaveCount(2)
    await page.getByText('Change past days').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change past days' }).click()
    await page.locator('[data-row="0"][data-column="0"]').click()
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: 'Repeat…' }).click()
    await page.getByText('Rotation').click()
    for (const weekday of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']) {
      await page.getByLabel(`Week 1, ${weekday}`).selectOption({ label: 'Night' })
      await page
        .getByLabel(`Week 2, ${weekday}`)
        .selectOption({ label: ['Sat', 'Sun'].includes(weekday) ? 'Day off' : 'Early' })
    }
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'From' }).fill(range.from)
    await dialog.getByRole('combobox', { name: 'Until' }).fill(range.to)
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Save 24 days' })).toBeVisible()
  })

  await test.step('see that the last night overlaps the first early shift, and resolve it', async () => {
    const conflicts = page.getByRole('region', { name: 'Conflicts' })
    await expect(conflicts).toContainText('2 conflicts')
    await expect(conflicts).toContainText(
      /Ada Baker: Night 22:00–06:00 \+1 on Sun, .* overlaps Early 05:00–13:00 on Mon, /,
    )
    await page.screenshot({ path: 'tests/browser/shots/planning-conflict.png' })
    await page.locator('[data-row="0"][data-column="6"]').click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Delete')
    await expect(page.getByText('2 conflicts')).toHaveCount(0)
  })

  await test.step('save past days after a preview and a question', async () => {
    await page.getByRole('button', { name: 'Save 22 days' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change past days?' })
    await expect(dialog.getByText('22 days of 2 people change.')).toBeVisible()
    await page.screenshot({ path: 'tests/browser/shots/planning-past.png' })
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await expect(page.getByText('22 days saved').last()).toBeVisible()
    await page.reload()
    await expect(page.getByRole('gridcell', { name: /^Ada Baker, .*: Night 22:00–06:00 \+1$/ })).toHaveCount(6)
  })

  await test.step('the terminal delivers the punches of the nights', async () => {
    const serialNumber = `NIGHT${Date.now()}`
    const { serverPath } = await call('device/add', { serialNumber, name: 'Bakery', department }, token)
    const terminal = await openSocket(address(), { path: String(serverPath) })
    terminal.say({ cmd: 'reg', sn: serialNumber, devinfo: { modelname: 'AiFace', firmware: 'v1', usednewlog: 0 } })
    expect(await terminal.hear({ ret: 'reg' })).toMatchObject({ result: true })
    const punch = (enrollid: number, day: string, time: string) => ({
      ...{ enrollid, time: `${day} ${time}`, mode: 8, inout: 0, event: 0 },
    })
    const nights = Array.from({ length: 6 }, (_, place) => addDays(monday, place))
    const record = nights.flatMap((day, place) => [
      punch(11, day, place === 2 ? '22:17:00' : '21:55:00'),
      punch(11, addDays(day, 1), '06:04:00'),
      ...(place === 3 ? [] : [punch(12, day, '21:50:00'), punch(12, addDays(day, 1), '05:35:00')]),
    ])
    terminal.say({ cmd: 'sendlog', sn: serialNumber, count: record.length, logindex: 1, record })
    expect(await terminal.hear({ ret: 'sendlog' })).toMatchObject({ result: true })
    terminal.close()
  })

  const scheduled = 480
  const before =
    await test.step('the report counts the nights, and the night of the clock change by its actual hours', async () => {
      await expect
        .poll(async () => {
          const { list } = await call('report/grid', { filters: range, size: 200 }, token)
          return (list as { shift?: string; firstIn?: string }[]).filter(row => row.shift === 'Night' && row.firstIn)
            .length
        })
        .toBe(11)
      const report = await readReport(page, employees)
      expect(report.dutyOn).toMatchObject({
        [addDays(changeDay, -1)]: scheduled,
        [changeDay]: scheduled + (elapsed - 1440),
      })
      expect(report.sums).toMatchObject({
        Late: 17,
        Absent: scheduled,
        'Scheduled hours': 2 * (6 * scheduled + (elapsed - 1440)),
      })
      return report
    })

  const previewed = await test.step('a preview shows the effect of an edit before the save', async () => {
    await page.goto('/shift')
    await page.getByRole('button', { name: 'Night', exact: true }).click()
    await page.getByLabel('Late grace period').fill('20')
    await page.getByLabel('End time', { exact: true }).fill('05:00')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Save changes to Night?' })
    await expect(dialog.getByText('12 days of 2 people change.')).toBeVisible()
    const totals = await readTotals(dialog)
    await page.screenshot({ path: 'tests/browser/shots/planning-preview.png' })
    expect(totals.before).toEqual(before.sums)
    expect(totals.after).toMatchObject({
      Late: 0,
      Absent: scheduled - 60,
      'Scheduled hours': (before.sums['Scheduled hours'] ?? 0) - 12 * 60,
    })
    await dialog.getByRole('button', { name: 'Save and recalculate' }).click()
    return totals
  })

  await test.step('the report shows the same figures as the preview', async () => {
    await expect(page.getByText('Days of the changed shift recalculated')).toBeVisible()
    const { sums, dutyOn } = await readReport(page, employees)
    expect(sums).toEqual(previewed.after)
    expect(dutyOn).toMatchObject({ [changeDay]: scheduled - 60 + (elapsed - 1440) })
    await page.screenshot({ path: 'tests/browser/shots/planning-report.png' })
  })
})
