// What a trial of `tests/chaos` is given and how it says what it found. The same trials run large by `npm run chaos -- <name>`
// and small in `tests/api/chaos.long.test.ts`.

export interface Goal {
  atLeast?: number
  atMost?: number
  /** Short of this the trial has proved nothing: too few kills, for example. It fails as void. */
  elseVoid?: true
}

export interface Trial {
  /** Everything drawn by lot follows from it: the same seed draws the same lots. */
  seed: number
  /** 1 is the size that is promised; less is the same trial in small. */
  size: number
  report(figure: string, value: number, unit: string, goal?: Goal): void
  /** How far it is, for whoever waits for minutes. */
  say?(text: string): void
}

/** What every file of a trial exports. */
export interface TrialFile {
  run(trial: Trial): Promise<void>
}

export interface Figure {
  figure: string
  value: number
  unit: string
  goal?: Goal
  /** Absent where nothing was promised. */
  met?: boolean
}

/** Keeps the figures of one trial, and tells each as soon as it is there. */
export const keepFigures = (tell: (figure: Figure) => void = () => undefined) => {
  const figures: Figure[] = []
  const report: Trial['report'] = (figure, value, unit, goal) => {
    const met = goal && value >= (goal.atLeast ?? -Infinity) && value <= (goal.atMost ?? Infinity)
    const told = { figure, value: Number(value.toPrecision(4)), unit, ...(goal && { goal, met: met === true }) }
    figures.push(told)
    tell(told)
  }
  return {
    report,
    /** `void` before `failed`: what proved nothing has not failed either. */
    verdict(): 'passed' | 'failed' | 'void' {
      const missed = figures.filter(({ met }) => met === false)
      if (missed.some(({ goal }) => goal?.elseVoid)) return 'void'
      return missed.length > 0 || figures.every(({ met }) => met === undefined) ? 'failed' : 'passed'
    },
    missed: () => figures.filter(({ met }) => met === false),
  }
}

/** A goal that only the whole trial is held to: in small the machine's quickness says nothing. */
export const inFull = (size: number, goal: Goal): Goal | undefined => (size === 1 ? goal : undefined)

/** At least one, however small the trial is. */
export const part = (whole: number, size: number): number => Math.max(1, Math.round(whole * size))
