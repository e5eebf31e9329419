// Replaces the SDK's credential search in the bundles. A Lambda has its credentials only in the environment. The SDK's
// search through files, profiles and sign-ins would be a third of every bundle.

/** Throws if the environment contains no credentials. */
export const defaultProvider = () => async () => {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env
  if (!accessKeyId || !secretAccessKey) throw new Error('The environment holds no AWS credentials')
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}
