import { client, register } from '../kit/client.ts'
import { importSheet, sendSheet } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { startStack } from '../kit/stack.ts'
import type { Report } from './main.ts'

// A sheet of 10,000 people, with a browser that shows the progress: upload, check, writing, and all jobs that follow.

const people = 10_000
const departments = 20

const sheetOf = (names: string[]) => {
  const lines = Array.from({ length: people }, (_, i) => {
    const number = 1000 + i
    return `Quentin ${i},Longbottom ${i % 997},${number},${names[i % departments]},Baker,person${number}@example.com,+30 210 ${number},2026-01-15`
  })
  return `first_name,last_name,workno,department,position,email,tel,hireDay\n${lines.join('\n')}\n`
}

export const bench = async (report: Report) => {
  const stack = await startStack()
  try {
    const http = client(stack.address)
    const owner = await register(http)
    const names = Array.from({ length: departments }, (_, i) => `Department ${i}`)
    const tree = `name\n${names.join('\n')}\n`
    await importSheet(http, owner, tree, { path: 'department/import' })
    const browser = await openSocket(http.address)
    browser.say({ cmd: 'home.login', token: owner.token })
    await browser.hear({ ret: 'home.login' })

    const startedAt = performance.now()
    const seconds = () => (performance.now() - startedAt) / 1000
    const upload = await sendSheet(http, owner, sheetOf(names))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, owner)
    const stepSeconds: Record<string, number> = {}
    const seenProgress = new Set<string>()
    for (;;) {
      const { state, step, done, total, rowCount } = await http.call('task/get', { id: task }, owner)
      seenProgress.add(`${step} ${done}/${total}`)
      if (step) stepSeconds[step] ??= seconds()
      if (state === 'failed' || (state === 'done' && rowCount !== people)) throw new Error(`It ended as ${state}.`)
      if (state === 'done') break
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    const importSeconds = seconds()
    // Waits until the browser receives no more events, because then all jobs have ended.
    const waitUntilQuiet = async () => {
      for (let quiet = 0; quiet < 10; quiet++) {
        const unheardCount = browser.unheard.length
        await new Promise(resolve => setTimeout(resolve, 100))
        if (browser.unheard.length > unheardCount) quiet = 0
      }
    }
    await waitUntilQuiet()
    report('checked after', stepSeconds.write ?? 0, 's')
    report('imported after', importSeconds, 's', { atMost: 60 })
    report('rows per second', people / importSeconds, 'rows/s')
    report('the company’s jobs at rest after', seconds(), 's')
    report('different progress seen', seenProgress.size, 'times', { atLeast: 10 })
    report('browser told', browser.unheard.length, 'times')
  } finally {
    await stack.stop()
  }
}
