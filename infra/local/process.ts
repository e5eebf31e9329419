import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** What the operating system says of a process: its parent and its command line; undefined where it has ended. */
export const readProcess = (id: number): { parent: number; command: string } | undefined => {
  try {
    if (existsSync('/proc/self/stat')) {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
      // The name in brackets may hold anything; behind it come the state and the parent. A zombie has ended.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z') return undefined
      return { parent: Number(parent), command: readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ') }
    }
    const line = execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(id)], { encoding: 'utf8' }).trim()
    return { parent: Number.parseInt(line, 10), command: line.replace(/^\d+\s+/, '') }
  } catch {
    return undefined
  }
}

const isRunning = (id: number) => readProcess(id) !== undefined

/** Asks a process to end, and after two seconds ends it. */
export const endProcess = async (id: number): Promise<void> => {
  for (const [signal, tries] of [
    ['SIGTERM', 200],
    ['SIGKILL', 200],
  ] as const) {
    try {
      process.kill(id, signal)
    } catch {
      return
    }
    for (let i = 0; i < tries; i++) {
      if (!isRunning(id)) return
      await wait(10)
    }
  }
}
