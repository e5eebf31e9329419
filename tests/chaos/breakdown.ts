import { setTimeout as wait } from 'node:timers/promises'
import { endEngine, type Stack, type StackOptions, startStack } from '../kit/stack.ts'

// A stack that is killed repeatedly, some seconds after each start, and restarted at the same address.

export interface Breakdown {
  readonly stack: Stack
  readonly kills: number
  /** Starts the kills until `heal`. Each kill comes after this time of life, as soon as `isRipe`. */
  begin(aliveMilliseconds: number, isRipe: () => boolean): void
  /** Ends the kills; resolves when the stack runs. */
  heal(): Promise<void>
  stop(): Promise<void>
}

export const startBreakdown = async (options: StackOptions & { data: string }): Promise<Breakdown> => {
  let stack = await startStack(options)
  const port = Number(new URL(stack.address).port)
  let kills = 0
  let isHealed = false
  let breaking: Promise<void> = Promise.resolve()
  const killRepeatedly = async (aliveMilliseconds: number, isRipe: () => boolean) => {
    for (;;) {
      await wait(aliveMilliseconds)
      while (!isHealed && !isRipe()) await wait(5)
      if (isHealed) return
      await stack.kill9()
      kills++
      stack = await startStack({ ...options, port })
    }
  }
  return {
    get stack() {
      return stack
    },
    get kills() {
      return kills
    },
    begin(aliveMilliseconds, isRipe) {
      breaking = killRepeatedly(aliveMilliseconds, isRipe)
      breaking.catch(() => undefined)
    },
    async heal() {
      isHealed = true
      await breaking
    },
    async stop() {
      isHealed = true
      await breaking.catch(() => undefined)
      await stack.stop()
      endEngine(options.data)
    },
  }
}
