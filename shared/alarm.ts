/** The words that name an alarm in a log line. Metric filters in infra/figure.ts count such lines. */
export const alarmNames = {
  held: 'record held',
  unreadable: 'record unreadable',
  failed: 'work failed',
} as const
export type AlarmName = (typeof alarmNames)[keyof typeof alarmNames]
