// What a browser is told about every answer of the site, in the cloud and on a laptop alike, so that nothing works here
// that a visitor's browser would refuse there.

/**
 * Only this host's own scripts and styles. The one hash is that of the empty text: the style library inserts empty style
 * elements and fills them through the object model. `styles` are hashes of further styles a page may hold; `files` is the
 * origin of the store of files, where it is another one: there photos are sent to and shown from.
 */
export const contentSecurityPolicy = ({ styles = [], files }: { styles?: string[]; files?: string } = {}): string => {
  const ours = ["'self'", ...(files ? [files] : [])].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${['47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', ...styles].map(hash => `'sha256-${hash}'`).join(' ')}`,
    `img-src ${ours} data: blob:`,
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self' blob:",
    `connect-src ${ours}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
  ].join('; ')
}

export const securityHeaders: Record<string, string> = {
  'content-security-policy': contentSecurityPolicy(),
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}
