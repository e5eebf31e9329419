import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'

/** What a walk found, at its end: how much was looked at, and every finding once, with how often it was met. */
export default class Overview implements Reporter {
  private readonly findings = new Map<string, { times: number; where: string }>()
  private looks = 0
  private cutOff = 0

  onTestEnd(part: TestCase, result: TestResult) {
    if (result.status !== 'passed' && !result.annotations.some(({ type }) => type === 'looks')) this.cutOff++
    for (const { type, description = '' } of result.annotations) {
      if (type === 'looks') this.looks += Number(description)
      if (type !== 'finding') continue
      const [where = '', what = ''] = description.split(/: (.*)/s)
      const known = this.findings.get(what)
      this.findings.set(what, { times: (known?.times ?? 0) + 1, where: known?.where ?? `${part.title}: ${where}` })
    }
  }

  onEnd() {
    console.log(`\n${this.looks} looks, ${this.findings.size} findings, ${this.cutOff} parts without an end`)
    const often = [...this.findings].sort(([, a], [, b]) => b.times - a.times)
    for (const [what, { times, where }] of often) console.log(`${times} ×  ${what}\n      ${where}`)
  }

  printsToStdio() {
    return false
  }
}
