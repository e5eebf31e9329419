import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'

/** Prints the summary of a walk: the number of looks, and each distinct finding with its count and first page. */
export default class Overview implements Reporter {
  private readonly findings = new Map<string, { times: number; where: string }>()
  private looks = 0
  private cutOff = 0

  onTestEnd(part: TestCase, result: TestResult) {
    if (result.status !== 'passed' && !result.annotations.some(({ type }) => type === 'looks')) this.cutOff++
    for (const { type, description = '' } of result.annotations) {
      if (type === 'looks') this.looks += Number(description)
      if (type !== 'finding') continue
      const [where = '', finding = ''] = description.split(/: (.*)/s)
      const previous = this.findings.get(finding)
      this.findings.set(finding, {
        times: (previous?.times ?? 0) + 1,
        where: previous?.where ?? `${part.title}: ${where}`,
      })
    }
  }

  onEnd() {
    console.log(`\n${this.looks} looks, ${this.findings.size} findings, ${this.cutOff} parts without an end`)
    const byCount = [...this.findings].sort(([, a], [, b]) => b.times - a.times)
    for (const [finding, { times, where }] of byCount) console.log(`${times} ×  ${finding}\n      ${where}`)
  }

  printsToStdio() {
    return false
  }
}
