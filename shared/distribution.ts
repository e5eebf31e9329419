// The headers that the distribution sends to the functions.

/**
 * The header with a secret that only the distribution and the functions know. The functions trust the caller's address
 * in a call with this secret.
 */
export const secretHeader = 'x-distribution-secret'

/** The header with the caller's address and port, such as `203.0.113.7:50123` or `2001:db8::7:50123`. */
export const addressHeader = 'cloudfront-viewer-address'
