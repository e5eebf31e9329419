import { useEffect, useState } from 'react'
import './qr-code.css'

/** A text as a QR code, dark on light in both themes because cameras want it so. What draws it is loaded when one is shown. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string }>()
  useEffect(() => {
    let isCurrent = true
    const draw = async () => {
      const { encode } = await import('uqr')
      // A quarter of it may be unreadable, as on a poster that has hung for a while.
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
