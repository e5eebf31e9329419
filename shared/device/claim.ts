import type { Key } from '../table.ts'

/** A claim that no terminal took up within this time is closed until somebody approves it again. */
export const claimHours = 24

/** The one company a serial number belongs to; while no terminal came by it, until then. */
export interface Claim {
  company: string
  openUntil?: string
}

/** Global. */
export const serialNumberKey = (serialNumber: string): Key<Claim> => ({
  pk: `DEVICE#${serialNumber}`,
  sk: '-',
})

/** Something is due of this terminal: an answer, or a command whose time is over. */
export interface DueTerminal {
  company: string
  serialNumber: string
  dueAt: string
}

/** This terminal is connected, or was a moment ago, and looked after every few minutes. */
export interface OpenTerminal {
  company: string
  serialNumber: string
  connection: string
  zone: string
}

/** Global, both: the clock goes through all companies' terminals. */
export const dueTerminalKey = (serialNumber: string): Key<DueTerminal> => ({ pk: 'DUE_TERMINAL', sk: serialNumber })

export const openTerminalKey = (serialNumber: string): Key<OpenTerminal> => ({ pk: 'OPEN_TERMINAL', sk: serialNumber })
