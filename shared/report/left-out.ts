import * as z from 'zod'
import type { Figures } from '../figure.ts'
import { kindColumnOf, kindOfColumn } from './column.ts'
import { kindName } from './file-column.ts'
import { type TemplateForm, type TemplateMeasure, templateMeasures } from './template-column.ts'

// Paid hours must not go missing between the report and the payroll file. A template may leave a measure out on purpose,
// so nothing refuses it. The preview and the checklist name the hours that the file does not contain.

/** The hours that people are paid for, apart from leave by type. */
const paidFigures = {
  work: 'workMinutes',
  unscheduled: 'unscheduledMinutes',
  overtime: 'overtimeMinutes',
} as const satisfies Partial<Record<TemplateMeasure, keyof Figures>>
type PaidFigure = keyof typeof paidFigures

/** A measure with hours that a file does not contain. */
export interface LeftOut {
  measure: TemplateMeasure
  minutes: number
}

export const leftOutList = z
  .array(z.object({ measure: z.union([z.enum(templateMeasures), kindName]), minutes: z.int().min(0) }))
  .describe('the hours of the period that the file of the template does not contain, in unrounded minutes')

/** The measures that a file of the template contains. */
const namesOf = ({ layout, columns, measures }: Pick<TemplateForm, 'layout' | 'columns' | 'measures'>) =>
  new Set<string>(layout === 'measure' ? measures.map(({ measure }) => measure) : columns.map(({ column }) => column))

/** The figures and the leave types that a template leaves out. */
export const gapsOf = (template: Pick<TemplateForm, 'layout' | 'columns' | 'measures'>) => {
  const names = namesOf(template)
  // The two parts of overtime add up to it.
  if (names.has('automaticOvertime') && names.has('requestedOvertime')) names.add('overtime')
  const hasAllLeave = names.has('leave') || names.has('leaveTypes')
  // Base kinds add up to work and overtime, so a file with kinds must have all base kinds instead.
  const hasKinds = [...names].some(name => kindOfColumn(name) !== undefined)
  return {
    figures: hasKinds ? [] : (Object.keys(paidFigures) as PaidFigure[]).filter(name => !names.has(name)),
    lacksKind: (code: string) => hasKinds && !names.has(kindColumnOf(code)),
    hasKinds,
    // Hours of days without an hour set have no kind.
    lacksUnkinded: hasKinds && !names.has('work'),
    lacksLeave: (type: string) => !hasAllLeave && !names.has(`leave${type}`),
    hasAllLeave,
  }
}

/** The measures with hours that a template leaves out. */
export const leftOutOf = (
  template: Pick<TemplateForm, 'layout' | 'columns' | 'measures'>,
  figures: Figures,
  leaveTypes: Readonly<Record<string, number>>,
  /** Minutes by base kind. */
  baseKinds: Readonly<Record<string, number>> = {},
): LeftOut[] => {
  const gaps = gapsOf(template)
  const kindMinutes = Object.values(baseKinds).reduce((sum, minutes) => sum + minutes, 0)
  const unkinded = figures.workMinutes + figures.overtimeMinutes - kindMinutes
  const all: LeftOut[] = [
    ...(gaps.lacksUnkinded ? [{ measure: 'work' as const, minutes: unkinded }] : []),
    ...gaps.figures.map(measure => ({ measure, minutes: figures[paidFigures[measure]] })),
    ...Object.entries(baseKinds)
      .filter(([code]) => gaps.lacksKind(code))
      .map(([code, minutes]) => ({ measure: kindColumnOf(code), minutes })),
    ...Object.entries(leaveTypes)
      .filter(([type]) => gaps.lacksLeave(type))
      .map(([type, minutes]) => ({ measure: `leave${Number(type)}` as const, minutes })),
  ]
  return all.filter(({ minutes }) => minutes > 0)
}
