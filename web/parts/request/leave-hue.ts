const hues = ['blue', 'rose', 'teal', 'violet', 'green', 'amber', 'slate', 'orange'] as const

/** The colour of a leave type. Leave whose type the user may not see is grey. */
export const leaveHue = (leaveType: number | undefined): (typeof hues)[number] =>
  hues[((leaveType ?? 7) - 1) % hues.length] ?? 'slate'
