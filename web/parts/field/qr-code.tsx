import { useEffect, useState } from 'react'
import './qr-code.css'

/**
 * A text as a QR code, dark on light in both themes because cameras need that contrast. Loads the encoder only when it
 * renders.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string }>()
  useEffect(() => {
    let isCurrent = true
    const draw = async () => {
      const { encode } = await import('uqr')
      // Level Q: the code works even if a quarter of it is unreadable, as on a worn poster.
      const { size, data } = encode(text, { ecc: 'Q', border: 3 })
      const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
      if (isCurrent) setDrawn({ size, path })
    }
    void draw()
    return () => {
      isCurrent = false
    }
  }, [text])
  if (!drawn) return <span className="qr-code skeleton" />
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect width={drawn.size} height={drawn.size} fill="#ffffff" />
      <path d={drawn.path} fill="#0b1512" />
    </svg>
  )
}
