import { describe, expect, test } from 'vitest'
import { paths, sampleInput } from '../kit/sample.ts'

// The walks through all paths are worth what their samples are: one that its own declaration refuses would be refused before
// anything is looked at that the walk is to prove.

const id = 'a'.repeat(16)
const names = {
  company: id,
  department: id,
  employee: id,
  role: id,
  shift: id,
  task: id,
  day: '2026-03-04',
  text: 'A 1',
}

describe('the sample of', () => {
  test.each(paths)('%s is what the path takes', (path, { input }) => {
    const { success, error } = input.safeParse(sampleInput(path, names))
    expect(success, JSON.stringify([sampleInput(path, names), error?.issues])).toBe(true)
  })
})
