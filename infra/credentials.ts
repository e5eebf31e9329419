// Takes the place of the SDK's search for credentials in the bundles: a Lambda finds its own in the environment and nowhere
// else, and the search through files, profiles and sign-ins would be a third of every bundle.

/** Throws where the environment holds no credentials. */
export const defaultProvider = () => async () => {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env
  if (!accessKeyId || !secretAccessKey) throw new Error('The environment holds no AWS credentials')
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}
