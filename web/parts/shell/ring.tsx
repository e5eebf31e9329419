/** A share as a ring of sixty ticks, like the minutes of a clock face. What it shows is said in words beside it. */
export function Ring({ share, children }: { share: number; children: React.ReactNode }) {
  const lit = Math.round(share * 60)
  return (
    <div className="ring">
      <svg viewBox="0 0 200 200" aria-hidden="true">
        {Array.from({ length: 60 }, (_, minute) => (
          <line
            // biome-ignore lint/suspicious/noArrayIndexKey: a tick is its place.
            key={minute}
            x1="100"
            y1="6"
            x2="100"
            y2="24"
            transform={`rotate(${minute * 6} 100 100)`}
            className={minute < lit ? 'lit' : undefined}
          />
        ))}
      </svg>
      <div className="ring-text">{children}</div>
    </div>
  )
}
