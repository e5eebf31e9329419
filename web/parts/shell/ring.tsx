/** A share from 0 to 1 as a ring of sixty ticks, like a clock face. `children` describes the share in words. */
export function Ring({ share, children }: { share: number; children: React.ReactNode }) {
  const litTicks = Math.round(share * 60)
  return (
    <div className="ring">
      <svg viewBox="0 0 200 200" aria-hidden="true">
        {Array.from({ length: 60 }, (_, minute) => (
          <line
            // biome-ignore lint/suspicious/noArrayIndexKey: the ticks never move.
            key={minute}
            x1="100"
            y1="6"
            x2="100"
            y2="24"
            transform={`rotate(${minute * 6} 100 100)`}
            className={minute < litTicks ? 'lit' : undefined}
          />
        ))}
      </svg>
      <div className="ring-text">{children}</div>
    </div>
  )
}
