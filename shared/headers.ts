// The security headers of every response of the site. The cloud and a laptop send the same, so that a page that works
// locally also works for visitors.

/**
 * Allows only scripts and styles of this host. The one hash is that of the empty text: the style library inserts empty
 * style elements and fills them through the object model. `styles` are hashes of further styles on a page. `files` is
 * the origin of the file store, if it is another one: the browser uploads photos there and shows them from there.
 */
export const contentSecurityPolicy = ({ styles = [], files }: { styles?: string[]; files?: string } = {}): string => {
  const origins = ["'self'", ...(files ? [files] : [])].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${['47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', ...styles].map(hash => `'sha256-${hash}'`).join(' ')}`,
    `img-src ${origins} data: blob:`,
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self' blob:",
    `connect-src ${origins}`,
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
