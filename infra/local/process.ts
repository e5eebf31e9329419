import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { isAlive } from './terminal/process.ts'

export interface ProcessLine {
  parent: number
  command: string
}

/** The program that prints the parent and the command line of a process on systems without `/proc`. */
export const processQuery = (platform: NodeJS.Platform, id: number): [program: string, options: string[]] => {
  if (platform === 'win32') {
    const print = '"$($_.ParentProcessId) $($_.CommandLine)"'
    const script = `Get-CimInstance Win32_Process -Filter 'ProcessId = ${id}' | ForEach-Object { ${print} }`
    return ['powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script]]
  }
  // On macOS, a second name in the same option becomes a heading. Without `-ww`, lines end after 79 characters.
  return ['ps', ['-ww', '-o', 'ppid=', '-o', 'command=', '-p', String(id)]]
}

/** Reads the output line of `processQuery`; undefined if the line is empty. */
export const readProcessLine = (line: string): ProcessLine | undefined => {
  const [, parent, command = ''] = /^\s*(\d+)\s+(.*?)\s*$/s.exec(line) ?? []
  return parent === undefined ? undefined : { parent: Number(parent), command }
}

/** Reads `/proc/<id>/stat` and `/proc/<id>/cmdline`; undefined for a zombie, because a zombie has ended. */
export const readProcFiles = (stat: string, commandLine: string): ProcessLine | undefined => {
  // The name in brackets may contain any character. The state and the parent follow the last bracket.
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' ? undefined : { parent: Number(parent), command: commandLine.replaceAll('\0', ' ') }
}

/** The parent and the command line of a process; undefined if it has ended. */
export const readProcess = (id: number): ProcessLine | undefined => {
  try {
    if (existsSync('/proc/self/stat'))
      return readProcFiles(readFileSync(`/proc/${id}/stat`, 'utf8'), readFileSync(`/proc/${id}/cmdline`, 'utf8'))
    const [program, options] = processQuery(process.platform, id)
    return readProcessLine(execFileSync(program, options, { encoding: 'utf8', windowsHide: true }))
  } catch {
    return undefined
  }
}

/** Whether a command line names a folder. Windows paths are case-insensitive. */
export const namesFolder = (command: string, folder: string, platform: NodeJS.Platform = process.platform): boolean =>
  platform === 'win32' ? command.toLowerCase().includes(folder.toLowerCase()) : command.includes(folder)

/** `kill` regards a zombie as alive, so `/proc` decides whether the process runs. */
const hasEnded = (id: number) => !isAlive(id) || (existsSync('/proc/self/stat') && readProcess(id) === undefined)

/** Asks a process to end, and kills it after two seconds. Windows cannot ask, so it kills the process at once. */
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
      if (hasEnded(id)) return
      await wait(10)
    }
  }
}
