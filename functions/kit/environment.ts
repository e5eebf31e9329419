/** Where this process runs, as its deployment says. A missing name is a mistake of the deployment and stops it at once. */
export const environment = (
  name: 'TABLE' | 'BUS' | 'FILES' | 'FONTS' | 'KEY_ID' | 'MAIL_FROM' | 'PLACES' | 'SITE' | 'SOCKET_ENDPOINT',
): string => {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} is not set`)
  return value
}
