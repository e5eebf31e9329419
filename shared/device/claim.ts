import type { Key } from '../table.ts'

/** A claim without a terminal expires after this time. A manager can reopen it. */
export const claimHours = 24

/** The only company that holds a serial number. `openUntil` limits a claim that no terminal has taken yet. */
export interface Claim {
  company: string
  openUntil?: string
}

/** Global. */
export const serialNumberKey = (serialNumber: string): Key<Claim> => ({
  pk: `DEVICE#${serialNumber}`,
  sk: '-',
})

/** The terminal owes a reply, or one of its commands has expired. */
export interface DueTerminal {
  company: string
  serialNumber: string
  dueAt: string
}

/** The terminal is connected, or was recently. The poll job checks it every few minutes. */
export interface OpenTerminal {
  company: string
  serialNumber: string
  connection: string
  zone: string
}

/** Both keys are global, because the scheduled job covers the terminals of all companies. */
export const dueTerminalKey = (serialNumber: string): Key<DueTerminal> => ({ pk: 'DUE_TERMINAL', sk: serialNumber })

export const openTerminalKey = (serialNumber: string): Key<OpenTerminal> => ({ pk: 'OPEN_TERMINAL', sk: serialNumber })
