import { Problem } from '../../shared/errors.ts'

// Webhooks are offered unless the deployment says otherwise.

export const isDeveloperMode = (): boolean => process.env.DEVELOPER_MODE !== 'off'

/** Throws 60005 where they are not offered. */
export const needDeveloperMode = (): void => {
  if (!isDeveloperMode()) throw new Problem(60005)
}
