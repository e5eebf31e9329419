/** A log line names its alarm by one of these words; infra/figure.ts counts such lines. */
export const alarmNames = {
  held: 'record held',
  unreadable: 'record unreadable',
  failed: 'work failed',
} as const
export type AlarmName = (typeof alarmNames)[keyof typeof alarmNames]
