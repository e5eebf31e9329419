/** Signals for a graceful stop. Only Windows sends SIGBREAK, for Ctrl-Break. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const

/** Whether a process runs, also if another user owns it. A zombie counts as running. */
export const isAlive = (id: number): boolean => {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
