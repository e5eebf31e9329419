import type { Prevention } from './company.ts'

// The server stores temperatures in Celsius. Pages show them in the company's unit.

export type Unit = Prevention['temp_unit']
export const unitNames = { 0: '°C', 1: '°F' } as const

export const tenth = (degrees: number) => Math.round(degrees * 10) / 10
/** Converts to this unit from the other unit. */
export const inUnit = (degrees: number, unit: Unit) => tenth(unit === 1 ? degrees * 1.8 + 32 : (degrees - 32) / 1.8)
export const fromCelsius = (degrees: number, unit: Unit) => (unit === 1 ? inUnit(degrees, unit) : degrees)
