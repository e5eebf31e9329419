import { type CsvFormat, plainCsv } from '../csv-format.ts'
import { leaveMeasures, type TemplateColumn, type TemplateForm, type TemplateMeasure } from './template-column.ts'

// Ready-made templates as a start. They resemble the usual import files of payroll programs; a company adapts them. Each
// contains all hours that people are paid for, so that a new template loses none.

export const starterNames = ['generic', 'datev', 'adp', 'gusto'] as const
export type StarterName = (typeof starterNames)[number]

const usual: Omit<TemplateForm, 'name' | 'layout' | 'columns'> = {
  type: 'csv',
  unit: 'decimal',
  ...plainCsv,
  dateFormat: 'YYYY-MM-DD',
  hasHeadings: true,
  measures: [],
}

/** The English headings of leave types, as payroll programs name them. */
const leaveHeadings = [
  ...(['Vacation', 'Sick', 'Annual leave', 'Sabbatical', 'Parental leave', 'Marriage leave'] as const),
  ...(['Bereavement', 'Paternity leave', 'Maternity leave', 'Other leave'] as const),
]
const paid: [column: 'work' | 'unscheduled' | 'overtime', heading: string][] = [
  ['work', 'Regular hours'],
  ['unscheduled', 'Unscheduled hours'],
  ['overtime', 'Overtime hours'],
]

/** A column for each measure that people are paid for. */
const paidColumns = (headingOf: (heading: string) => string): TemplateColumn[] => [
  ...paid.map(([column, heading]) => ({ column, heading: headingOf(heading) })),
  ...leaveMeasures.map((column, at) => ({ column, heading: headingOf(`${leaveHeadings[at]} hours`) })),
]

/** The wage types of the measures, as a company in Germany may number them. */
const wageTypes: [measure: TemplateMeasure, code: string][] = [
  ...([
    ['work', '1000'],
    ['unscheduled', '1001'],
    ['overtime', '1010'],
    ['leave1', '1100'],
    ['leave2', '1110'],
    ['leave3', '1101'],
  ] as const satisfies [TemplateMeasure, string][]),
  ...leaveMeasures.slice(3).map((measure, at): [TemplateMeasure, string] => [measure, String(1120 + at)]),
]

export const starters: Record<StarterName, Omit<TemplateForm, 'name'>> = {
  generic: {
    ...usual,
    layout: 'summary',
    columns: [
      ...(['workno', 'name', 'department', 'from', 'to', 'work', 'overtime', 'leave', 'absent'] as const),
      ...(['unresolved', 'unscheduled', 'daysPresent'] as const),
    ].map(column => ({ column })),
  },
  // One row per wage type, with the numbers of the consultant and the client in front.
  datev: {
    ...usual,
    ...{ layout: 'measure', separator: ';', decimalSign: ',', dateFormat: 'DD.MM.YYYY' },
    columns: [
      { column: 'text', heading: 'Consultant', text: '1001' },
      { column: 'text', heading: 'Client', text: '1' },
      { column: 'workno', heading: 'Personnel number' },
      { column: 'from', heading: 'From' },
      { column: 'to', heading: 'To' },
      { column: 'code', heading: 'Wage type' },
      { column: 'amount', heading: 'Hours' },
    ],
    measures: wageTypes.map(([measure, code]) => ({ measure, code })),
  },
  // One row per employee, with a company code and a batch in front.
  adp: {
    ...usual,
    ...{ layout: 'summary', dateFormat: 'MM/DD/YYYY' },
    columns: [
      { column: 'text', heading: 'Company code', text: 'ABC' },
      { column: 'text', heading: 'Batch', text: '1' },
      { column: 'workno', heading: 'File number' },
      { column: 'name', heading: 'Employee name' },
      ...paidColumns(heading => heading),
    ],
  },
  // One row per employee, with headings in lower case.
  gusto: {
    ...usual,
    ...{ layout: 'summary', dateFormat: 'MM/DD/YYYY' },
    columns: [
      { column: 'name', heading: 'employee' },
      { column: 'workno', heading: 'employee_id' },
      ...paidColumns(heading => heading.toLowerCase().replaceAll(' ', '_')),
    ],
  },
}

/** A starter for a company. The general one has the CSV format of the company; payroll programs expect their own. */
export const starterFor = (name: StarterName, csv: CsvFormat): Omit<TemplateForm, 'name'> => ({
  ...starters[name],
  ...(name === 'generic' && csv),
})
