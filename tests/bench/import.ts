import { client, register } from '../kit/client.ts'
import { importSheet, sendSheet } from '../kit/sheet.ts'
import { openSocket } from '../kit/socket.ts'
import { startStack } from '../kit/stack.ts'
import type { Report } from './main.ts'

// A sheet of 10,000 people as somebody sends it, with a browser open that shows how far it is: upload, check, writing, and all
// that the company's jobs make of it.

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
    const mine = await register(http)
    const names = Array.from({ length: departments }, (_, i) => `Department ${i}`)
    const tree = `name\n${names.join('\n')}\n`
    await importSheet(http, mine, tree, { path: 'department/import' })
    const browser = await openSocket(http.address)
    browser.say({ cmd: 'home.login', token: mine.token })
    await browser.hear({ ret: 'home.login' })

    const startedAt = performance.now()
    const seconds = () => (performance.now() - startedAt) / 1000
    const upload = await sendSheet(http, mine, sheetOf(names))
    const { task } = await http.call('employee/import', { upload, dryRun: false }, mine)
    const reached: Record<string, number> = {}
    const shown = new Set<string>()
    for (;;) {
      const { state, step, done, total, rowCount } = await http.call('task/get', { id: task }, mine)
      shown.add(`${step} ${done}/${total}`)
      if (step) reached[step] ??= seconds()
      if (state === 'failed' || (state === 'done' && rowCount !== people)) throw new Error(`It ended as ${state}.`)
      if (state === 'done') break
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    const imported = seconds()
    // Everything that was written is told, and nothing is left to do.
    const told = async () => {
      for (let quiet = 0; quiet < 10; quiet++) {
        const heard = browser.unheard.length
        await new Promise(resolve => setTimeout(resolve, 100))
        if (browser.unheard.length > heard) quiet = 0
      }
    }
    await told()
    report('checked after', reached.write ?? 0, 's')
    report('imported after', imported, 's', { atMost: 60 })
    report('rows per second', people / imported, 'rows/s')
    report('the company’s jobs at rest after', seconds(), 's')
    report('different progress seen', shown.size, 'times', { atLeast: 10 })
    report('browser told', browser.unheard.length, 'times')
  } finally {
    await stack.stop()
  }
}
