/** The columns of the payroll file: every figure, and the employee ID. */
export const payrollColumns = [
  ...(['name', 'workno', 'department', 'daysPresent', 'daysAbsent', 'daysLeave', 'leaveDays'] as const),
  ...(['duty', 'work', 'late', 'early', 'absent', 'leave', 'unresolved', 'unscheduled', 'overtime'] as const),
]
