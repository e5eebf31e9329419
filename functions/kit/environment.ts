/** The environment of this process. A missing variable is a deployment error and stops the process at once. */
export const environment = (
  name: 'TABLE' | 'BUS' | 'FILES' | 'FONTS' | 'KEY_ID' | 'MAIL_FROM' | 'PLACES' | 'SITE' | 'SOCKET_ENDPOINT',
): string => {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set`)
  return value
}
