import type { TemplateForm } from './template-column.ts'

// Ready-made templates as a start. They resemble the usual import files of payroll programs; a company adapts them.

export const starterNames = ['generic', 'datev', 'adp', 'gusto'] as const
export type StarterName = (typeof starterNames)[number]

const usual: Omit<TemplateForm, 'name' | 'layout' | 'columns'> = {
  type: 'csv',
  unit: 'decimal',
  decimalSign: '.',
  separator: ',',
  dateFormat: 'YYYY-MM-DD',
  hasHeadings: true,
  measures: [],
}

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
    measures: [
      { measure: 'work', code: '1000' },
      { measure: 'unscheduled', code: '1001' },
      { measure: 'overtime', code: '1010' },
      { measure: 'leave1', code: '1100' },
      { measure: 'leave2', code: '1110' },
      { measure: 'leave3', code: '1101' },
    ],
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
      { column: 'work', heading: 'Regular hours' },
      { column: 'overtime', heading: 'Overtime hours' },
      { column: 'leave1', heading: 'Vacation hours' },
      { column: 'leave2', heading: 'Sick hours' },
    ],
  },
  // One row per employee, with headings in lower case.
  gusto: {
    ...usual,
    ...{ layout: 'summary', dateFormat: 'MM/DD/YYYY' },
    columns: [
      { column: 'name', heading: 'employee' },
      { column: 'workno', heading: 'employee_id' },
      { column: 'work', heading: 'regular_hours' },
      { column: 'overtime', heading: 'overtime_hours' },
      { column: 'leave1', heading: 'vacation_hours' },
      { column: 'leave2', heading: 'sick_hours' },
    ],
  },
}
