import { Problem } from '../../shared/errors.ts'

// Webhooks are available unless the deployment turns them off.

export const isDeveloperMode = (): boolean => process.env.DEVELOPER_MODE !== 'off'

/** Throws 60005 if webhooks are turned off. */
export const needDeveloperMode = (): void => {
  if (!isDeveloperMode()) throw new Problem(60005)
}
