import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Plants faults into a copy of the product. A trial is a proof only if it finds the faults. Each fault names the source
// text that it replaces, and planting fails if that text is missing.

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Fault {
  file: string
  /** The replacement of `of`, a text that occurs exactly once in the file. */
  instead: string
  of: string
}

export const plantedFaults = {
  'ack-before-store': {
    file: 'functions/terminal/hear.ts',
    of: 'const { isKept } = await ingest(origin, taken.records, source, sender.now)',
    // The delay is short, so that a kill hits it without hundreds of tries.
    instead: 'const isKept = true; setTimeout(() => void ingest(origin, taken.records, source, sender.now), 50)',
  },
  'no-dedupe': {
    file: 'functions/terminal/intake.ts',
    of: 'const write = table.insert(key, item)',
    instead: 'const write = table.insert({ ...key, sk: key.sk + Math.random() }, item)',
  },
  'ack-on-error': {
    file: 'functions/terminal/intake.ts',
    of: "if (outcomes.includes('failed')) return { isKept: false, added: [] }",
    instead: '',
  },
  'lost-last-page': {
    file: 'functions/terminal/page.ts',
    of: 'const { isKept, added } = await ingest(origin, records, command, now)',
    instead: 'const { isKept, added } = await ingest(origin, records.length < 50 ? [] : records, command, now)',
  },
} as const satisfies Record<string, Fault>

export type PlantedFault = keyof typeof plantedFaults

/** Copies the product with one fault into a new folder, and returns its main file. */
export const plant = (name: PlantedFault, folder: string): string => {
  mkdirSync(folder, { recursive: true })
  for (const part of ['shared', 'functions', 'events', 'infra', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  for (const part of ['node_modules', '.build']) symlinkSync(join(root, part), join(folder, part))
  const { file, of, instead }: Fault = plantedFaults[name]
  const path = join(folder, file)
  const parts = readFileSync(path, 'utf8').split(of)
  if (parts.length !== 2)
    throw new Error(`The fault ${name} cannot be planted: ${file} says ${parts.length - 1} times: ${of}`)
  writeFileSync(path, parts.join(instead))
  return join(folder, 'infra/local/main.ts')
}
