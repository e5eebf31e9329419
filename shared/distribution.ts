// What the distribution in front of everything says to the functions behind it.

/** Holds a secret only the two of them know: what else such a call says of its caller can be believed. */
export const secretHeader = 'x-distribution-secret'

/** The address and port the call came from, `203.0.113.7:50123` or `2001:db8::7:50123`. */
export const addressHeader = 'cloudfront-viewer-address'
