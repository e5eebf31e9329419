// The input and the output of a chaos trial. The same trials run in full size by `npm run chaos -- <name>`, and in
// small in `tests/api/chaos.long.test.ts`.

export interface Goal {
  atLeast?: number
  atMost?: number
  /** Below this goal the trial proves nothing, for example with too few kills. Then the verdict is void. */
  elseVoid?: true
}

export interface Trial {
  /** The seed of all random decisions. */
  seed: number
  /** 1 is the promised size. A lower number runs the same trial in small. */
  size: number
  report(figure: string, value: number, unit: string, goal?: Goal): void
  /** Reports the progress, for an observer of a long trial. */
  say?(text: string): void
}

/** The exports of each trial file. */
export interface TrialFile {
  run(trial: Trial): Promise<void>
}

export interface Figure {
  figure: string
  value: number
  unit: string
  goal?: Goal
  /** Undefined for a figure without a goal. */
  met?: boolean
}

/** Keeps the figures of a trial, and reports each at once. */
export const keepFigures = (onFigure: (figure: Figure) => void = () => undefined) => {
  const figures: Figure[] = []
  const report: Trial['report'] = (figure, value, unit, goal) => {
    const met = goal && value >= (goal.atLeast ?? -Infinity) && value <= (goal.atMost ?? Infinity)
    const reported = { figure, value: Number(value.toPrecision(4)), unit, ...(goal && { goal, met: met === true }) }
    figures.push(reported)
    onFigure(reported)
  }
  return {
    report,
    /** `void` takes precedence over `failed`, because a trial that proves nothing has not failed. */
    verdict(): 'passed' | 'failed' | 'void' {
      const missed = figures.filter(({ met }) => met === false)
      if (missed.some(({ goal }) => goal?.elseVoid)) return 'void'
      return missed.length > 0 || figures.every(({ met }) => met === undefined) ? 'failed' : 'passed'
    },
    missed: () => figures.filter(({ met }) => met === false),
  }
}

/** Applies a goal only at full size, because in small the machine’s speed proves nothing. */
export const inFull = (size: number, goal: Goal): Goal | undefined => (size === 1 ? goal : undefined)

/** A share of a number, but at least one. */
export const part = (total: number, size: number): number => Math.max(1, Math.round(total * size))
