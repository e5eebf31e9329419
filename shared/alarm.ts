/** The words that name an alarm in a log line; infra/figure.ts counts such lines. */
export const alarmNames = {
  held: 'record held',
  unreadable: 'record unreadable',
  failed: 'work failed',
} as const
export type AlarmName = (typeof alarmNames)[keyof typeof alarmNames]
