import { firstWorkno, openLive } from '../kit/live.ts'
import { startStack } from '../kit/stack.ts'
import type { Report } from './main.ts'

// From a punch sent by a terminal to an open browser told to refresh its report: store, acknowledge, stream, facts,
// calculation, row, fact, push. One punch at a time, each of another employee.

const punches = 200
const people = 20

const quantile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0

export const bench = async (report: Report) => {
  const stack = await startStack()
  try {
    const { day, terminal, browser } = await openLive(stack.address, {
      ...{ people, serialNumber: 'BENCHLINE', quietMilliseconds: 1500 },
    })
    const isTold = async () => {
      for (;;) {
        const message = await browser.hear({})
        if (Array.isArray(message.refresh) && message.refresh.includes('report/')) return
      }
    }
    const acknowledged: number[] = []
    const told: number[] = []
    for (let i = 0; i < punches; i++) {
      const minute = String(Math.floor(i / people)).padStart(2, '0')
      const record = [
        { enrollid: firstWorkno + (i % people), time: `${day} 09:${minute}:00`, mode: 8, inout: 0, event: 0 },
      ]
      const sentAt = performance.now()
      terminal.say({ cmd: 'sendlog', count: 1, logindex: i, record })
      await terminal.hear({ ret: 'sendlog' })
      acknowledged.push(performance.now() - sentAt)
      await isTold()
      told.push(performance.now() - sentAt)
    }
    report('punch sent → acknowledged, p50', quantile(acknowledged, 0.5), 'ms')
    report('punch sent → acknowledged, p95', quantile(acknowledged, 0.95), 'ms')
    report('punch sent → browser told, p50', quantile(told, 0.5), 'ms')
    // Two seconds are promised to a person, whatever the machine.
    report('punch sent → browser told, p95', quantile(told, 0.95), 'ms', { atMost: 2000 })
  } finally {
    await stack.stop()
  }
}
