// The security headers of every response of the site. The cloud and a local stack send the same headers. So a page that
// works locally also works for visitors.

/**
 * Allows only scripts and styles of this host. The hash of the empty text allows the style library's empty style
 * elements, which it fills through the object model. `styles` are hashes of further styles on a page. `files` is the
 * origin of a separate file store, for the upload and display of photos.
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
