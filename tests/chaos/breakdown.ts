import { setTimeout as wait } from 'node:timers/promises'
import { endEngine, type Stack, type StackOptions, startStack } from '../kit/stack.ts'

// Kills a stack repeatedly, some seconds after each start, and restarts the stack at the same address.

export interface Breakdown {
  readonly stack: Stack
  readonly kills: number
  /**
   * Kills the stack until `heal`. Each kill comes when the stack has run for `aliveMilliseconds` and `isRipe` returns
   * true.
   */
  begin(aliveMilliseconds: number, isRipe: () => boolean): void
  /** Ends the kills. Resolves when the stack runs. */
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
