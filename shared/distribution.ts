// The headers that the distribution sends to the functions behind it.

/**
 * Holds a secret that only the distribution and the functions know. A call with this secret may be trusted about its
 * caller.
 */
export const secretHeader = 'x-distribution-secret'

/** The caller's address and port, `203.0.113.7:50123` or `2001:db8::7:50123`. */
export const addressHeader = 'cloudfront-viewer-address'
