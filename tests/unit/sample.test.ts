import { describe, expect, test } from 'vitest'
import { paths, sampleInput } from '../kit/sample.ts'

// The tests of all paths need valid samples. The server refuses an invalid sample before the checks under test.

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
  test.each(paths)('%s is a valid input of the path', (path, { input }) => {
    const { success, error } = input.safeParse(sampleInput(path, names))
    expect(success, JSON.stringify([sampleInput(path, names), error?.issues])).toBe(true)
  })
})
