import { Problem } from '../../shared/errors.ts'

// Webhooks and API keys are available unless the deployment turns them off.

export const isDeveloperMode = (): boolean => process.env.DEVELOPER_MODE !== 'off'

/** Throws 60005 if the deployment turned off webhooks and API keys. */
export const needDeveloperMode = (): void => {
  if (!isDeveloperMode()) throw new Problem(60005)
}
